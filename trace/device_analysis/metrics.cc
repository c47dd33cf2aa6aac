// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/metrics.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/device/exec_span.h"
#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/operands.h"
#include "trace/device_analysis/peaks.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;

// Names of real opcodes are in capitals, ours are not.
bool is_named(std::string_view opcode, std::string_view name) {
  if (opcode.size() < name.size()) return false;
  for (size_t at = 0; at + name.size() <= opcode.size(); ++at) {
    size_t i = 0;
    while (i < name.size() && (opcode[at + i] | 0x20) == name[i]) ++i;
    if (i == name.size()) return true;
  }
  return false;
}

void add_engines(const device::DeviceProfile& profile, Metrics* m) {
  std::vector<Interval> all;
  std::array<Picos, isa::kEngineCount> active{};
  Picos any, within;
  const device::Span exec = device::exec_span(profile).value_or(device::Span{});
  for (uint16_t core = 0; core < core_count(profile); ++core) {
    all = dma_busy(profile, core);
    for (const Lane& lane : lanes(profile)) {
      if (lane.core != core) continue;
      const std::vector<Interval> spans = busy(profile, lane);
      active[static_cast<int>(lane.engine)] += total(spans);
      all.insert(all.end(), spans.begin(), spans.end());
    }
    all = merged(std::move(all));
    any += total(all);
    within += total_overlap(all, {{exec.begin, exec.end}});
  }
  m->exec_active_time = Picos(within.value / m->cores);
  for (int e = 0; e < isa::kEngineCount; ++e) m->engines[e].active = Picos(active[e].value / m->cores);
  m->total_active_time = Picos(any.value / m->cores);
}

void add_operands(const device::Instruction& in, Metrics* m) {
  const OnChipBytes b = on_chip_bytes(in);
  m->sbuf_read += b.sbuf_read;
  m->sbuf_written += b.sbuf_written;
  m->psum_read += b.psum_read;
  m->psum_written += b.psum_written;
  if (b.psum_read > 0 && b.sbuf_written > 0) {
    m->psum_to_sbuf_bytes += b.sbuf_written;
    ++m->psum_to_sbuf_count;
  }
}

std::string_view operand_dtype(const device::Instruction& in) {
  for (const device::Operand& o : in.operands) {
    if (!is_written(o) && !o.dtype.empty()) return o.dtype;
  }
  return "";
}

void add_instructions(const device::DeviceProfile& profile, Metrics* m) {
  for (const device::InstructionRun& run : profile.instructions) {
    EngineMetrics& e = m->engines[static_cast<int>(run.engine)];
    e.instruction_time += run.end - run.begin;
    ++e.instructions;
    if (run.instruction == kNone) continue;
    const device::Instruction& in = profile.program.instructions[run.instruction];
    e.flops += in.flops;
    if (in.queue == kNone) add_operands(in, m);
    if (run.engine == isa::Engine::pe) {
      const double factor = bf16_equivalent(operand_dtype(in));
      m->hardware_flops += in.flops;
      m->adjusted_hardware_flops += factor * static_cast<double>(in.flops);
      if (in.transpose) {
        m->transpose_flops += in.flops;
        m->adjusted_transpose_flops += factor * static_cast<double>(in.flops);
      }
      m->matmuls += is_named(in.opcode, "matmul");
      if (run.throttled) m->throttled += run.end - run.begin;
    }
    if (run.engine == isa::Engine::scalar && is_named(in.opcode, "activat")) {
      ++m->activations;
      m->activation_time += run.end - run.begin;
    }
  }
}

DmaOrigin origin_of(const device::DeviceProfile& profile, const device::DmaRun& run) {
  if (run.trigger != kNone) {
    for (const device::Operand& o : profile.program.instructions[run.trigger].operands) {
      if (o.role == "row_index") return DmaOrigin::software;   // descriptors of an index list are made by software
    }
  }
  if (run.queue == kNone) return DmaOrigin::fixed;
  // Public names of queues: qScalarDynamicHW, qGpSimdDynamicSW, ...
  const std::string& name = profile.program.queues[run.queue].name;
  if (name.find("Dynamic") == name.npos) return DmaOrigin::fixed;
  return name.find("HW") != name.npos ? DmaOrigin::hardware : DmaOrigin::software;
}

void add_dmas(const device::DeviceProfile& profile, Metrics* m) {
  // Runs of one trigger on several DMA engines are packets of one transfer.
  struct Transfer {
    Interval span;
    DmaOrigin origin;
  };
  std::map<std::tuple<uint16_t, uint32_t, uint32_t, uint32_t>, Transfer> split;
  std::array<std::vector<Interval>, 4> spans;   // by origin, then all
  const auto count = [&](Interval span, DmaOrigin origin) {
    for (DmaMetrics* d : {&m->dma, &m->dma_by_origin[static_cast<int>(origin)]}) {
      ++d->transfers;
      d->transfer_time += span.end - span.begin;
    }
  };
  for (const device::DmaRun& run : profile.dmas) {
    const DmaOrigin origin = origin_of(profile, run);
    for (DmaMetrics* d : {&m->dma, &m->dma_by_origin[static_cast<int>(origin)]}) {
      d->packets += run.descriptors;
      d->bytes += run.bytes;
    }
    if (run.dma_engine == UINT16_MAX || run.trigger == kNone) {
      count({run.begin, run.end}, origin);
      continue;
    }
    const auto [at, fresh] = split.try_emplace({run.core, run.queue, run.trigger, run.iteration}, Transfer{{run.begin, run.end}, origin});
    at->second.span.begin = std::min(at->second.span.begin, run.begin);
    at->second.span.end = std::max(at->second.span.end, run.end);
  }
  for (const auto& [key, transfer] : split) count(transfer.span, transfer.origin);
  for (uint16_t core = 0; core < core_count(profile); ++core) {
    for (auto& s : spans) s.clear();
    for (const device::DmaRun& run : profile.dmas) {
      if (run.core != core) continue;
      spans[static_cast<int>(origin_of(profile, run))].push_back({run.begin, run.end});
      spans[3].push_back({run.begin, run.end});
    }
    for (int o = 0; o < 3; ++o) m->dma_by_origin[o].active += total(merged(std::move(spans[o])));
    m->dma.active += total(merged(std::move(spans[3])));
  }
  m->dma.active = Picos(m->dma.active.value / m->cores);
  for (auto& d : m->dma_by_origin) d.active = Picos(d.active.value / m->cores);
}

}  // namespace

Metrics metrics(const Subject& subject) {
  const device::DeviceProfile& profile = subject.profile;
  Metrics m;
  m.cores = active_cores(profile);
  m.total_time = whole(profile);
  m.total_exec_time = device::exec_span(profile).value_or(device::Span{}).length();
  m.overhead = to_picos(Nanos(profile.exec_overhead_ns + profile.device_capture_overhead_ns));
  m.traffic = traffic(profile);
  add_engines(profile, &m);
  add_instructions(profile, &m);
  add_dmas(profile, &m);
  m.sbuf_read += m.traffic.sbuf_read;
  m.sbuf_written += m.traffic.sbuf_written;
  m.psum_read += m.traffic.psum_read;
  m.psum_written += m.traffic.psum_written;
  for (const device::Tensor& t : profile.program.tensors) {
    if (t.kind == "input") m.input_bytes += t.bytes;
    if (t.kind == "output") m.output_bytes += t.bytes;
    if (t.kind == "constant") m.weight_bytes += t.bytes;
  }
  return m;
}

double seconds(Picos t) { return static_cast<double>(t.value) / 1e12; }

namespace {
double over(double value, Picos total, double peak) { return total.value <= 0 || peak <= 0 ? 0 : value / seconds(total) / peak; }
double hbm_bytes(const Metrics& m) { return static_cast<double>(m.traffic.hbm_read + m.traffic.hbm_written); }
}  // namespace

double mfu(const Metrics& m, const machine::Machine& machine, Picos total) {
  return over(static_cast<double>(m.hardware_flops - m.transpose_flops), total, peak_ops(machine) * static_cast<double>(m.cores));
}
double hfu(const Metrics& m, const machine::Machine& machine, Picos total) {
  return over(static_cast<double>(m.hardware_flops), total, peak_ops(machine) * static_cast<double>(m.cores));
}
double mbu(const Metrics& m, const machine::Machine& machine, Picos total) { return over(hbm_bytes(m), total, hbm_stack(machine)); }
double mbu_of_share(const Metrics& m, const machine::Machine& machine, Picos total) {
  return over(hbm_bytes(m), total, hbm_share(machine) * static_cast<double>(m.cores));
}
double arithmetic_intensity(const Metrics& m) {
  return hbm_bytes(m) == 0 ? 0 : static_cast<double>(m.hardware_flops - m.transpose_flops) / hbm_bytes(m);
}

}  // namespace lanewise::trace::device_analysis
