// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/pipeline.h"

namespace lanewise::sim::scalar {

// What SBUF makes of an instruction's patterns (sim/unit/sbuf/access.h).
struct Patterns {
  bool wide_read = false, partial_write = false;
};

// An instruction in the engine's two stages.
//   plain             the latency of scalar::cost, stages as long as its elements
//   wide reads        `wide_stride_cycles_x4` for four elements
//   partial writes    `partial_write_ps` an element, whatever the clock
core::Stages stages(const isa::Instruction& in, const machine::Machine& machine, Patterns patterns);

}  // namespace lanewise::sim::scalar
