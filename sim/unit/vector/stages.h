// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/pipeline.h"

namespace lanewise::sim::vector {

// An instruction in the engine's two stages.
//   plain             `fixed_cycles` and its cycles (timing.h) from begin to end, stages as long as its cycles
//   wide reads        in a performance mode read one a cycle and written two; others read at `wide_stride_cycles_x4`
//   partial writes    `partial_write_ps` an element, whatever the clock
core::Stages stages(const isa::Instruction& in, const machine::Machine& machine, core::Patterns patterns);

}  // namespace lanewise::sim::vector
