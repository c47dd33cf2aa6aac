// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/metrics.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/peaks.h"
#include "trace/device_analysis/public_schema.h"
#include "trace/device_analysis/public_summary.h"
#include "trace/device_analysis/public_tables.h"
#include "trace/device_analysis/traffic.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;
using device::Space;

double ghz(Clock clock) { return static_cast<double>(clock.khz) / 1e6; }

void add_summary(const PublicBuilder& b) {
  PublicTable t("Summary");
  t.row();
  for (const PublicValue& v : public_summary(b.subject)) {
    if (!v.known()) continue;
    v.integer ? t.set(v.name, *v.whole) : t.set_real(v.name, *v.real);
  }
  b.add(std::move(t), "");
}

void add_opcodes(const PublicBuilder& b) {
  const device::DeviceProfile& p = b.subject.profile;
  struct Sum {
    int64_t n = 0;
    Picos time, active;
  };
  std::map<std::pair<std::string_view, std::string_view>, Sum> sums;
  for (const Lane& lane : lanes(p)) {
    std::map<std::string_view, std::vector<Interval>> spans;
    for (const uint32_t r : lane.runs) {
      const device::InstructionRun& run = p.instructions[r];
      const std::string_view opcode = run.instruction == kNone ? std::string_view("") : p.program.instructions[run.instruction].opcode;
      Sum& sum = sums[{lane_name(lane.engine), opcode}];
      ++sum.n;
      sum.time += run.end - run.begin;
      spans[opcode].push_back({run.begin, run.end});
    }
    for (auto& [opcode, s] : spans) sums[{lane_name(lane.engine), opcode}].active += total(merged(std::move(s)));
  }
  PublicTable t("OpcodeSummary");
  const auto all = static_cast<double>((p.last - p.first).value);
  for (const auto& [key, sum] : sums) {
    t.row().set("engine", key.first).set("opcode", key.second).set("instruction_count", sum.n).set("instruction_time_ns", ns_up(sum.time)).set("active_time_ns", ns_up(sum.active))
        .set_real("active_time_percent", all > 0 ? static_cast<double>(sum.active.value) / all : 0);
  }
  b.add(std::move(t), "the capture holds no instruction");
}

void add_tensors(const PublicBuilder& b) {
  const device::DeviceProfile& p = b.subject.profile;
  // Loads into SBUF only.
  struct Load {
    int64_t bytes = 0, dmas = 0;
  };
  std::vector<Load> loads(p.program.tensors.size());
  const std::vector<Moved> all = moved(p);
  for (const Moved& m : all) {
    if (m.from_tensor == kNone || m.to != Space::sbuf) continue;
    loads[m.from_tensor].bytes += m.read;
    ++loads[m.from_tensor].dmas;
  }
  PublicTable t("TensorInfo");
  for (size_t i = 0; i < loads.size(); ++i) {
    const device::Tensor& tensor = p.program.tensors[i];
    if (tensor.kind == "scratch") continue;   // the public table lists what the program is given and gives
    std::string shape;
    for (const int64_t n : tensor.shape) shape += (shape.empty() ? "" : ",") + std::to_string(n);
    t.row().set("variable_name", tensor.name).set("type", tensor.kind == "input" ? "IN" : tensor.kind == "output" ? "OUT" : "WEIGHT").set("size", tensor.bytes)
        .set("load_to_sbuf_total_size_bytes", loads[i].bytes).set("load_to_sbuf_dma_count", loads[i].dmas)
        .set("load_to_sbuf_avg_size_bytes", loads[i].dmas > 0 ? loads[i].bytes / loads[i].dmas : 0);
    if (!shape.empty()) t.set("shape", "[" + shape + "]");
    if (tensor.bytes > 0) t.set_real("load_to_sbuf_repeat_factor", static_cast<double>(loads[i].bytes) / static_cast<double>(tensor.bytes));
  }
  b.add(std::move(t), "the program names no tensor");
}

void add_execution(const PublicBuilder& b) {
  const device::DeviceProfile& p = b.subject.profile;
  PublicTable t("ExecutionInfo");
  t.row().set("execution_index", int64_t{0}).set("neff_name", p.program.name).set("execution_start_ts", int64_t{0}).set("execution_end_ts", ns_up(whole(p)))
      .set("num_subgraphs", int64_t{p.program.cores}).set("row_count", static_cast<int64_t>(p.instructions.size() + p.dmas.size() + p.semaphores.size()));
  b.add(std::move(t), "");
}

void add_metadata(const PublicBuilder& b) {
  const device::DeviceProfile& p = b.subject.profile;
  const machine::Machine& m = b.subject.machine;
  PublicTable t("Metadata");
  const std::string last = std::to_string(ns_up(whole(p)));
  t.row().set("profile_schema_version", kPublicSchemaVersion).set("num_physical_cores", int64_t{core_count(p)}).set("vnc_enabled", int64_t{core_count(p) > 1})
      .set("first_hw_timestamp", int64_t{0}).set("last_hw_timestamp", ns_up(whole(p))).set("first_ts", "0").set("last_ts", last)
      .set_real("dma_ddr_bandwidth", hbm_share(m)).set("num_dma_engines_per_neuroncore", m.dma.engines).set_real("hbm_ddr_bandwidth", hbm_stack(m))
      .set("tensor_engine_num_rows", m.memory.partitions).set("tensor_engine_num_cols", kPeColumns).set_real("tensor_engine_clock_freq", ghz(m.pe.clock))
      .set_real("vector_engine_clock_freq", ghz(m.vector.clock)).set("vector_engine_num_channels", m.memory.partitions).set_real("scalar_engine_clock_freq", ghz(m.scalar.clock))
      .set("scalar_engine_num_channels", m.memory.partitions).set_real("gpsimd_engine_clock_freq", ghz(m.gpsimd.clock)).set("gpsimd_engine_num_channels", m.memory.partitions)
      .set_real("neuroncore_clock_freq", ghz(m.scalar.clock)).set("ticks_per_nanosec", int64_t{1}).set("compiler_version", p.program.compiler)
      .set("neuroncore_idx", int64_t{p.first_core}).set("neuron_device_idx", m.chip.cores > 0 ? p.first_core / m.chip.cores : 0).set("instance_type", m.name)
      .set("is_simulation", int64_t{p.simulated});
  if (!p.simulator_version.empty()) t.set("explorer_version", "lanewise, simulator " + p.simulator_version);
  b.add(std::move(t), "");
}

void add_neff(const PublicBuilder& b) {
  const device::Program& program = b.subject.profile.program;
  PublicTable t("NeffHeader");
  t.row().set("network_name", program.name).set("hash", program.hash).set("build_version", program.compiler).set("neuroncore_count", int64_t{program.cores})
      .set("pcore_count_per_lnc", int64_t{program.cores});
  b.add(std::move(t), "");
}

void add_warnings(const PublicBuilder& b) {
  PublicTable t("Warning");
  for (const std::string& sentence : b.subject.profile.ledger.sentences) t.row().set("message", sentence).set("category", "Missing Data");
  if (b.dependencies.unknown_setters() > 0)
    t.row().set("message", std::to_string(b.dependencies.unknown_setters()) + " waits whose semaphore update has no known setter").set("category", "Missing Data");
  b.add(std::move(t), "nothing is missing");
}

void add_schema(const PublicBuilder& b) {
  PublicTable t("SchemaFields");
  for (const PublicTableSchema& schema : public_schema()) {
    for (const PublicColumn& c : schema.columns) {
      t.row().set("table_name", schema.name).set("table_description", "public schema " + std::string(kPublicSchemaVersion) + ", docs/device_level.md").set("field_name", c.name)
          .set("field_description", "").set("field_type", c.type).set("field_required", int64_t{c.required});
      if (!c.unit.empty()) t.set("field_unit", c.unit);
    }
  }
  b.add(std::move(t), "");
}

void add_queues(const PublicBuilder& b) {
  const device::Program& program = b.subject.profile.program;
  PublicTable t("DmaQueuesInfo");
  std::map<isa::Engine, int64_t> of_engine;
  for (const device::DmaQueue& q : program.queues) {
    // Which ring of which DMA engine, and which port: neither file says.
    t.row().set("name", q.name).set("type", "data").set("pcore_idx", q.core).set("idx", of_engine[q.engine]++).set("engine_idx", static_cast<int64_t>(q.engine));
  }
  b.add(std::move(t), "the program has no DMA queue");
}

}  // namespace

void add_public_lookups(const PublicBuilder& builder) {
  add_summary(builder);
  add_opcodes(builder);
  add_tensors(builder);
  add_queues(builder);
  add_execution(builder);
  add_metadata(builder);
  add_neff(builder);
  add_warnings(builder);
  add_schema(builder);
}

}  // namespace lanewise::trace::device_analysis
