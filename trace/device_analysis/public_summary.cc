// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/public_summary.h"

#include <algorithm>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/metrics.h"
#include "trace/device_analysis/peaks.h"

namespace lanewise::trace::device_analysis {
namespace {

class Row {
 public:
  void count(std::string name, int64_t value) { values_.push_back({std::move(name), true, value, {}}); }
  void real(std::string name, double value) { values_.push_back({std::move(name), false, {}, value}); }
  void no_count(std::string name) { values_.push_back({std::move(name), true, {}, {}}); }
  void no_real(std::string name) { values_.push_back({std::move(name), false, {}, {}}); }
  std::vector<PublicValue> take() { return std::move(values_); }

 private:
  std::vector<PublicValue> values_;
};

double of(double part, double all) { return all > 0 ? part / all : 0; }
double of(Picos part, Picos all) { return of(static_cast<double>(part.value), static_cast<double>(all.value)); }

void add_dma_origin(Row* row, const Metrics& m, const std::string& name, DmaOrigin origin) {
  const DmaMetrics& d = m.dma_by_origin[static_cast<int>(origin)];
  row->real(name + "_dma_active_time", seconds(d.active));
  row->real(name + "_dma_active_time_percent", of(d.active, m.total_time));
  row->count(name + "_dma_packet_count", d.packets);
  row->count(name + "_dma_size", d.bytes);
  row->real(name + "_dma_packet_percent", of(static_cast<double>(d.packets), static_cast<double>(m.dma.packets)));
  row->real(name + "_dma_size_percent", of(static_cast<double>(d.bytes), static_cast<double>(m.dma.bytes)));
}

void add_engine(Row* row, const Metrics& m, const std::string& name, isa::Engine engine) {
  const EngineMetrics& e = m.engines[static_cast<int>(engine)];
  row->real(name + "_engine_instruction_time", seconds(e.instruction_time));
  row->real(name + "_engine_active_time", seconds(e.active));
  row->real(name + "_engine_active_time_percent", of(e.active, m.total_time));
  row->count(name + "_engine_instruction_count", e.instructions);
}

// Clock that cycles of the whole core are counted in (public: 1.4 GHz of trn1, 1.2 of trn2): that of the Scalar engine.
double core_hz(const machine::Machine& machine) { return static_cast<double>(machine.scalar.clock.khz) * 1e3; }

int64_t queue_bytes(const Subject& subject, std::string_view kind) {
  const device::DeviceProfile& p = subject.profile;
  const Traffic t = traffic(p);
  int64_t sum = 0;
  for (size_t i = 0; i < t.tensors.size(); ++i) {
    if (p.program.tensors[i].kind == kind) sum += kind == "output" ? t.tensors[i].written : t.tensors[i].read;
  }
  return sum;
}

// Mean over time of the limits that a real capture records; -1: it records none.
double mean_limit(const device::DeviceProfile& p, uint16_t core) {
  double sum = 0, limit = 1;
  Picos at;
  bool any = false;
  for (const device::PeLimitChange& change : p.pe_limits) {
    if (change.core != core) continue;
    sum += limit * static_cast<double>((change.at - at).value);
    limit = change.limit;
    at = change.at;
    any = true;
  }
  const Picos end = whole(p);
  return any && end.value > 0 ? (sum + limit * static_cast<double>((end - at).value)) / static_cast<double>(end.value) : -1;
}

}  // namespace

std::vector<PublicValue> public_summary(const Subject& subject) {
  const Metrics m = metrics(subject);
  const machine::Machine& machine = subject.machine;
  const device::DeviceProfile& p = subject.profile;
  const double total = seconds(m.total_time), hz = core_hz(machine);
  const DmaMetrics &fixed = m.dma_by_origin[0], &software = m.dma_by_origin[1], &hardware = m.dma_by_origin[2];
  const auto dynamic = [&](auto member) { return static_cast<double>(software.*member + hardware.*member); };
  // What the memory alone would allow: FLOPs per byte against the machine's ratio.
  const double achievable = of(arithmetic_intensity(m), peak_ops(machine) / hbm_stack(machine));
  const auto events = static_cast<int64_t>(p.instructions.size() + p.dmas.size() + p.semaphores.size());
  Row row;
  row.real("total_time", total);
  row.count("neuroncore_cycle_count", static_cast<int64_t>(total * hz));
  row.no_count("model_flops");   // counted from HLO, which neither file holds
  row.count("hardware_flops", m.hardware_flops);
  row.count("transpose_flops", m.transpose_flops);
  row.count("adjusted_hardware_flops", static_cast<int64_t>(m.adjusted_hardware_flops));
  row.count("adjusted_transpose_flops", static_cast<int64_t>(m.adjusted_transpose_flops));
  row.real("mm_arithmetic_intensity", arithmetic_intensity(m));
  row.real("peak_flops_bandwidth_ratio", peak_ops(machine) / hbm_stack(machine));
  row.count("trace_count", p.ledger.records);
  row.count("event_count", events);
  row.count("total_row_count", events);
  row.count("dma_active_cycles", static_cast<int64_t>(seconds(m.dma.active) * hz));
  row.real("dma_active_time", seconds(m.dma.active));
  row.real("dma_active_time_percent", of(m.dma.active, m.total_time));
  row.real("static_dma_active_time", seconds(fixed.active));
  row.real("dynamic_dma_active_time_percent", of(software.active + hardware.active, m.total_time));
  row.real("static_dma_active_time_percent", of(fixed.active, m.total_time));
  row.real("dma_transfer_average_bytes", of(static_cast<double>(m.dma.bytes), static_cast<double>(m.dma.transfers)));
  row.real("dma_packet_time", seconds(m.dma.transfer_time));
  row.real("dma_transfer_time", seconds(m.dma.transfer_time));
  row.count("dma_transfer_count", m.dma.transfers);
  row.count("dma_transfer_total_bytes", m.dma.bytes);
  row.count("dma_queue_count", static_cast<int64_t>(p.program.queues.size()));
  row.count("inputs_and_weights_size_bytes", m.input_bytes + m.weight_bytes);
  row.count("inputs_outputs_weights_size_bytes", m.input_bytes + m.output_bytes + m.weight_bytes);
  row.count("weight_size_bytes", m.weight_bytes);
  row.count("static_dma_packet_count", fixed.packets);
  row.count("static_dma_size", fixed.bytes);
  row.real("dynamic_dma_packet_percent", of(dynamic(&DmaMetrics::packets), static_cast<double>(m.dma.packets)));
  row.real("static_dma_packet_percent", of(static_cast<double>(fixed.packets), static_cast<double>(m.dma.packets)));
  row.real("dynamic_dma_size_percent", of(dynamic(&DmaMetrics::bytes), static_cast<double>(m.dma.bytes)));
  row.real("static_dma_size_percent", of(static_cast<double>(fixed.bytes), static_cast<double>(m.dma.bytes)));
  row.real("mbu_estimated_percent", mbu(m, machine, m.total_time));
  row.real("mbu_min_read_util_percent", of(static_cast<double>(m.input_bytes + m.weight_bytes), total * hbm_stack(machine)));
  row.count("hbm_write_bytes", m.traffic.hbm_written);
  row.count("hbm_read_bytes", m.traffic.hbm_read);
  row.count("sbuf_write_bytes", m.sbuf_written);
  row.count("sbuf_read_bytes", m.sbuf_read);
  row.count("spill_save_bytes", m.traffic.spill_save);
  row.count("spill_reload_bytes", m.traffic.spill_reload);
  row.count("psum_write_bytes", m.psum_written);
  row.count("psum_read_bytes", m.psum_read);
  row.count("psum_read_sbuf_write_count", m.psum_to_sbuf_count);
  row.count("psum_read_sbuf_write_bytes", m.psum_to_sbuf_bytes);
  row.count("input_queue_bytes", queue_bytes(subject, "input"));
  row.count("output_queue_bytes", queue_bytes(subject, "output"));
  row.count("weight_queue_bytes", queue_bytes(subject, "constant"));
  add_dma_origin(&row, m, "software_dynamic", DmaOrigin::software);
  add_dma_origin(&row, m, "hardware_dynamic", DmaOrigin::hardware);
  add_engine(&row, m, "tensor", isa::Engine::pe);
  row.count("matmul_instruction_count", m.matmuls);
  // The form from HLO is not known; the estimate is that from instructions.
  row.real("mfu_estimated_percent", mfu(m, machine, m.total_time));
  row.real("mfu_max_achievable_estimated_percent", achievable);
  row.no_real("mfu_hlo_estimated_percent");
  row.no_real("mfu_hlo_max_achievable_estimated_percent");
  row.real("mfu_inst_estimated_percent", mfu(m, machine, m.total_time));
  row.real("mfu_inst_max_achievable_estimated_percent", achievable);
  row.real("hfu_estimated_percent", hfu(m, machine, m.total_time));
  add_engine(&row, m, "vector", isa::Engine::vector);
  add_engine(&row, m, "scalar", isa::Engine::scalar);
  row.real("activate_instruction_time", seconds(m.activation_time));
  row.count("activate_instruction_count", m.activations);
  add_engine(&row, m, "sync", isa::Engine::sync);
  add_engine(&row, m, "gpsimd", isa::Engine::gpsimd);
  for (const char* name : {"cc_op_time", "cc_op_active_time", "cc_op_active_time_percent"}) row.real(name, 0);   // no collectives
  row.count("cc_op_count", 0);
  for (const char* name : {"cc_cores_instruction_time", "cc_cores_instruction_active_time", "cc_cores_instruction_active_time_percent"}) row.real(name, 0);
  row.count("cc_cores_instruction_count", 0);
  row.real("total_exec_time", seconds(m.total_exec_time));
  row.real("total_active_time", seconds(m.total_active_time));
  row.real("total_active_time_percent", of(m.exec_active_time, m.total_exec_time));
  return row.take();
}

std::vector<PublicValue> public_summary_extras(const Subject& subject) {
  const device::DeviceProfile& p = subject.profile;
  Row row;
  const uint16_t cores = core_count(p);
  row.count("nc_idx", p.first_core);
  row.count("nd_idx", subject.machine.chip.cores > 0 ? p.first_core / subject.machine.chip.cores : 0);
  for (uint16_t core = 0; core < cores; ++core) {
    // Mean of the utilisation limit over the time in which the tensor engine worked.
    Picos work;
    double limited = 0;
    for (const device::InstructionRun& run : p.instructions) {
      if (run.core != core || run.engine != isa::Engine::pe) continue;
      const Picos time = run.end - run.begin;
      work += time;
      limited += static_cast<double>(time.value) * (run.throttled && subject.machine.pe.throttle_factor > 0 ? 1.0 / static_cast<double>(subject.machine.pe.throttle_factor) : 1.0);
    }
    if (const double recorded = mean_limit(p, core); recorded >= 0) work = Picos(1), limited = recorded;
    row.real("throttle_avg_util_limit_nc" + std::to_string(p.first_core + core) + "_percent", work.value > 0 ? limited / static_cast<double>(work.value) : 1);
  }
  return row.take();
}

}  // namespace lanewise::trace::device_analysis
