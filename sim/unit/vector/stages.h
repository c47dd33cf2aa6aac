// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/pipeline.h"

namespace lanewise::sim::vector {

// What SBUF makes of an instruction's patterns (sim/unit/sbuf/access.h).
struct Patterns {
  bool wide_read = false, partial_write = false;
};

// An instruction in the engine's two stages.
//   plain             the latency of vector::cost, stages as long as its cycles
//   wide reads        2-byte elements read one a cycle and written at the 2x mode; 4-byte ones at `wide_stride_cycles_x4`
//   partial writes    `partial_write_ps` an element, whatever the clock
core::Stages stages(const isa::Instruction& in, const machine::Machine& machine, Patterns patterns);

}  // namespace lanewise::sim::vector
