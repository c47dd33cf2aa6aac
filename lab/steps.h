// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions of a real program as work for the simulator's units.
#pragma once

#include <string_view>

#include "base/status.h"
#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/chip/steps.h"
#include "trace/device/profile.h"

namespace lanewise::lab {

// start: at the head of a binary; the runtime does not even load it.
enum class Work : uint8_t { none, start, load, columns, elements, table, wait, trigger };

struct Step {
  Work work = Work::none;
  sim::Step ours;              // of the same instruction in our set: load, columns, elements, table
};

// Which unit an opcode belongs to; Work::none for one that has none.
Work work_of(std::string_view opcode);

// Errors: unimplemented for an opcode or an access that no unit has; the sentence has the instruction.
Result<Step> step_of(const trace::device::Instruction& in, const machine::Machine& machine);

}  // namespace lanewise::lab
