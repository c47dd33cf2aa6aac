// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/chip/steps.h"

#include "sim/unit/gpsimd/stages.h"
#include "sim/unit/sbuf/access.h"
#include "sim/unit/scalar/stages.h"
#include "sim/unit/vector/stages.h"

namespace lanewise::sim {

using isa::Engine;
using isa::Opcode;

Step step_of(const isa::Instruction& in, const machine::Machine& machine) {
  Step step;
  switch (in.op) {
    case Opcode::semaphore_wait:
    case Opcode::semaphore_increment:
    case Opcode::loop_begin:
    case Opcode::loop_end: return step;
    case Opcode::dma_copy: step.unit = Unit::trigger; return step;
    default: break;
  }
  if (in.engine == Engine::pe) {
    step.unit = Unit::array;
    step.array = pe::work(in, machine, sbuf::inner_stride_bytes(in.src0) >= machine.memory.wide_stride_bytes);
    return step;
  }
  step.unit = Unit::datapath;
  const core::Patterns patterns = sbuf::access(in, machine);
  switch (in.engine) {
    case Engine::vector: step.stages = vector::stages(in, machine, patterns); break;
    case Engine::scalar: step.stages = scalar::stages(in, machine, patterns); break;
    default: step.stages = gpsimd::stages(in, machine, patterns); break;
  }
  return step;
}

core::Stages behind_table_load(core::Stages stages, Picos load) {
  stages.latency += load;
  stages.front += load;
  if (stages.back < load) stages.back = load;
  return stages;
}

}  // namespace lanewise::sim
