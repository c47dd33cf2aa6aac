// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// About how long an instruction takes on an idle chip, from the machine's clocks and fixed costs. Decides the order of
// instructions, never results: the simulator has its own, exact model.
#pragma once

#include <cstdint>

#include "isa/instruction.h"
#include "machine/machine.h"

namespace lanewise::compiler::emit {

struct Estimate {
  int64_t occupies_ps = 0;   // until its engine may start the next instruction
  int64_t finishes_ps = 0;   // until its result is there; of a DMA without the transfer itself
  int64_t transfer_ps = 0;   // of a DMA on the DMA engines, which all DMAs share
};

Estimate estimate(const isa::Instruction& instruction, const machine::Machine& machine);

}  // namespace lanewise::compiler::emit
