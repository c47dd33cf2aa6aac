// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/names.h"

#include "trace/device_analysis/intervals.h"

namespace lanewise::trace::device_analysis {

using device::kNone;

std::string_view lane_name(isa::Engine engine) {
  switch (engine) {
    case isa::Engine::pe: return "tensor";
    case isa::Engine::vector: return "vector";
    case isa::Engine::scalar: return "scalar";
    case isa::Engine::gpsimd: return "gpsimd";
    case isa::Engine::sync: return "sync";
  }
  return "";
}

std::string run_text(const device::DeviceProfile& profile, const device::InstructionRun& run) {
  std::string text = profile.program.cores > 1 ? std::to_string(run.core) + ":" : "";
  text += lane_name(run.engine);
  text += "[" + (run.instruction == kNone ? "-" : std::to_string(profile.program.instructions[run.instruction].index)) + "]";
  return text;
}

std::string run_text(const device::DeviceProfile& profile, const device::DmaRun& run) {
  const device::Program& program = profile.program;
  if (run.trigger != kNone) {
    const device::Instruction& in = program.instructions[run.trigger];
    return "DMA of " + (program.cores > 1 ? std::to_string(run.core) + ":" : "") + std::string(lane_name(in.engine)) + "[" + std::to_string(in.index) + "]";
  }
  return run.queue != kNone ? "DMA of queue " + program.queues[run.queue].name : "DMA";
}

std::string node_text(const Dependencies& d, uint32_t node) {
  const device::DeviceProfile& profile = d.profile();
  return d.is_dma(node) ? run_text(profile, profile.dmas[d.dma(node)]) : run_text(profile, profile.instructions[node]);
}

std::string place_text(const device::Operand& operand) {
  switch (operand.space) {
    case device::Space::sbuf: return "SBUF";
    case device::Space::psum: return "PSUM";
    case device::Space::hbm: return operand.tensor.empty() ? "HBM" : operand.tensor;
    default: return "";
  }
}

std::string direction_text(const device::DeviceProfile& profile, const device::DmaRun& run) {
  if (run.descriptor == kNone) return "";
  const device::DmaDescriptor& d = profile.program.descriptors[run.descriptor];
  const std::string from = place_text(d.from), to = place_text(d.to);
  return from.empty() && to.empty() ? "" : (from.empty() ? "?" : from) + " -> " + (to.empty() ? "?" : to);
}

}  // namespace lanewise::trace::device_analysis
