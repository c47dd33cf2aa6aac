// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/device/select.h"

#include "trace/device_analysis/names.h"

namespace lanewise::server::device {

using trace::device::Instruction;
using trace::device::kNone;

namespace {

bool same(const std::optional<std::string>& asked, std::string_view is) { return !asked || *asked == is || (*asked == "-" && is.empty()); }

// "unknown", as tables have it, is none.
bool from(const Where& w, const trace::device::Program& program, const Instruction* in) {
  if (!w.node && !w.module && !w.file && !w.line) return true;
  using trace::device_analysis::kUnknownSource;
  const trace::device::Source* source = program.source_of(in);
  const trace::device::SourceFrame* line = program.line_of(source);
  const std::string_view module = source == nullptr || source->module.empty() ? kUnknownSource : std::string_view(source->module);
  const std::string_view file = line == nullptr ? kUnknownSource : std::string_view(line->file);
  if (w.node && *w.node != (source == nullptr ? std::string_view() : std::string_view(source->node))) return false;
  return (!w.module || *w.module == module) && (!w.file || *w.file == file) && (!w.line || *w.line == (line == nullptr ? 0 : line->line));
}

bool fits(const Where& w, const trace::device::Program& program, const Instruction& in) {
  return (!w.core || *w.core == in.core) && (!w.index || *w.index == in.index) && same(w.engine, trace::device_analysis::lane_name(in.engine)) &&
         same(w.opcode, in.opcode) && same(w.ir_op, in.ir_op) && same(w.aten_node, in.aten_node) && from(w, program, &in);
}

// A run of no instruction has none of its texts, as tables show it.
bool fits(const Where& w, const trace::device::Program& program, const trace::device::InstructionRun& run) {
  return !w.index && (!w.core || *w.core == run.core) && same(w.engine, trace::device_analysis::lane_name(run.engine)) && same(w.opcode, {}) &&
         same(w.ir_op, {}) && same(w.aten_node, {}) && from(w, program, nullptr);
}

}  // namespace

std::vector<uint32_t> find_events(const DeviceView& view, const Where& w) {
  const auto& profile = view.profile();
  const auto& program = profile.program;
  std::vector<bool> wanted(program.instructions.size());
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = fits(w, program, program.instructions[i]);
  std::vector<uint32_t> events;
  const bool of_dmas = w.queue || w.tensor;
  for (uint32_t event = 0; !of_dmas && event < profile.instructions.size(); ++event) {
    const auto& run = view.instruction_run(event);
    if (w.run && *w.run != trace::device_analysis::run_text(profile, run)) continue;
    if (run.instruction != kNone ? wanted[run.instruction] : fits(w, program, run)) events.push_back(event);
  }
  const bool asks_dmas = of_dmas || w.with_dmas || (w.run && w.run->starts_with("DMA"));
  for (uint32_t event = static_cast<uint32_t>(profile.instructions.size()); asks_dmas && event < view.events(); ++event) {
    const auto& run = view.dma_run(event);
    if (w.run && *w.run != trace::device_analysis::run_text(profile, run)) continue;
    if (w.queue && (run.queue == kNone || program.queues[run.queue].name != *w.queue)) continue;
    if (w.tensor) {
      if (run.descriptor == kNone) continue;
      const auto& descriptor = program.descriptors[run.descriptor];
      if (descriptor.from.tensor != *w.tensor && descriptor.to.tensor != *w.tensor) continue;
    }
    if (w.core && *w.core != run.core) continue;
    if (!w.run && !of_dmas && (run.trigger == kNone || !wanted[run.trigger])) continue;
    events.push_back(event);
  }
  return events;
}

}  // namespace lanewise::server::device
