// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The public table FrameworkInstruction: what each node of the framework's graph cost on the device.
//
// A node's children are the runs of its instructions and the DMAs that they ordered. Elements are multiply-accumulates of the tensor
// engine: the public definition of an operator's HFU divides them by rows x columns x cycles.
#include <algorithm>
#include <array>
#include <map>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/operands.h"
#include "trace/device_analysis/public_schema.h"
#include "trace/device_analysis/public_tables.h"
#include "trace/device_analysis/traffic.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;
using device::Space;

// A time at which a node was at work, and what was done in it.
struct Part {
  Picos begin, end;
  int64_t elements = 0, transposed = 0, hbm_bytes = 0;
};

// Sorted; overlapping and touching parts become one.
void merge(std::vector<Part>* parts) {
  std::sort(parts->begin(), parts->end(), [](const Part& a, const Part& b) { return a.begin < b.begin; });
  size_t last = 0;
  for (size_t i = 1; i < parts->size(); ++i) {
    Part &into = (*parts)[last], &next = (*parts)[i];
    if (next.begin > into.end) {
      (*parts)[++last] = next;
      continue;
    }
    into.end = std::max(into.end, next.end);
    into.elements += next.elements;
    into.transposed += next.transposed;
    into.hbm_bytes += next.hbm_bytes;
  }
  if (!parts->empty()) parts->resize(last + 1);
}

struct Cost {
  std::vector<Part> parts;
  std::array<int64_t, isa::kEngineCount> runs{};
  int64_t hbm_read = 0, hbm_write = 0, sbuf_read = 0, sbuf_write = 0, load_weights = 0;

  void add(const device::InstructionRun& run, const device::Instruction& in) {
    Part& part = parts.emplace_back(Part{run.begin, run.end});
    ++runs[static_cast<size_t>(run.engine)];
    if (in.queue != kNone) return;   // its DMAs read and write
    const OnChipBytes bytes = on_chip_bytes(in);
    sbuf_read += bytes.sbuf_read;
    sbuf_write += bytes.sbuf_written;
    if (in.engine != isa::Engine::pe) return;
    part.elements = in.flops / 2;
    part.transposed = in.transpose ? in.flops / 2 : 0;
    if (!fills_psum(in)) load_weights += in.bytes_read;
  }

  void add(const device::DmaRun& run, const Moved& moved) {
    const int64_t read = moved.from == Space::hbm ? moved.read : 0, written = moved.to == Space::hbm ? moved.written : 0;
    parts.push_back({run.begin, run.end, 0, 0, read + written});
    hbm_read += read;
    hbm_write += written;
    if (moved.from == Space::sbuf) sbuf_read += moved.read;
    if (moved.to == Space::sbuf) sbuf_write += moved.written;
  }
};

std::string path_of(const device::Source& source) {
  std::string path = source.module;
  std::replace(path.begin(), path.end(), '.', '/');
  const std::string& leaf = source.op.empty() ? source.node : source.op;
  return path.empty() ? leaf : path + "/" + leaf;
}

}  // namespace

FrameworkNodes framework_nodes(const device::Program& program) {
  FrameworkNodes out;
  for (const device::Source& source : program.sources) out.paths.push_back(path_of(source));
  std::map<std::string_view, int64_t> known;
  for (const device::Instruction& in : program.instructions) {
    if (in.source < program.sources.size()) {
      out.of_instruction.push_back(int64_t{in.source} + 1);
    } else if (in.aten_node.empty()) {
      out.of_instruction.push_back(0);
    } else {
      const auto [at, fresh] = known.try_emplace(in.aten_node, static_cast<int64_t>(out.paths.size()) + 1);
      if (fresh) out.paths.push_back(in.aten_node);
      out.of_instruction.push_back(at->second);
    }
  }
  return out;
}

void add_public_framework(const PublicBuilder& b) {
  const device::DeviceProfile& p = b.subject.profile;
  const FrameworkNodes nodes = framework_nodes(p.program);
  std::vector<Cost> costs(nodes.paths.size() + 1);   // by id; 0: of no node
  for (const device::InstructionRun& run : p.instructions) {
    if (run.instruction != kNone) costs[static_cast<size_t>(nodes.of_instruction[run.instruction])].add(run, p.program.instructions[run.instruction]);
  }
  const std::vector<Moved> all = moved(p);
  for (size_t i = 0; i < p.dmas.size(); ++i) {
    if (p.dmas[i].trigger != kNone) costs[static_cast<size_t>(nodes.of_instruction[p.dmas[i].trigger])].add(p.dmas[i], all[i]);
  }

  PublicTable t("FrameworkInstruction");
  for (size_t id = 1; id < costs.size(); ++id) {
    Cost& c = costs[id];
    if (c.parts.empty()) continue;
    merge(&c.parts);
    std::string intervals;
    std::vector<int64_t> elements, transposed, hbm;
    for (const Part& part : c.parts) {
      intervals += (intervals.empty() ? "[" : ", ") + ("[" + std::to_string(ns_down(part.begin)) + ", " + std::to_string(ns_up(part.end)) + "]");
      elements.push_back(part.elements);
      transposed.push_back(part.transposed);
      hbm.push_back(part.hbm_bytes);
    }
    const auto runs = [&](isa::Engine engine) { return c.runs[static_cast<size_t>(engine)]; };
    t.row().set("id", static_cast<int64_t>(id)).set("raw_framework_id", static_cast<int64_t>(id)).set("framework_name", nodes.paths[id - 1])
        .set("start_ts", ns_down(c.parts.front().begin)).set("end_ts", ns_up(c.parts.back().end)).set("time_intervals", intervals + "]")
        .set("element_count_per_interval", elements).set("transpose_element_count_per_interval", transposed).set("hbm_transfer_size_per_interval", hbm)
        .set("hbm_read_bytes", c.hbm_read).set("hbm_write_bytes", c.hbm_write).set("sbuf_read_bytes", c.sbuf_read).set("sbuf_write_bytes", c.sbuf_write)
        .set("load_weight_bytes", c.load_weights).set("tensor_engine_instruction_count", runs(isa::Engine::pe))
        .set("scalar_engine_instruction_count", runs(isa::Engine::scalar)).set("sync_engine_instruction_count", runs(isa::Engine::sync))
        .set("gpsimd_engine_instruction_count", runs(isa::Engine::gpsimd)).set("vector_engine_instruction_count", runs(isa::Engine::vector));
  }
  b.add(std::move(t), "the program does not say which node of a framework's graph its instructions are of");
}

}  // namespace lanewise::trace::device_analysis
