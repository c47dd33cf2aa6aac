// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The verifier's parts: rules of one operand, rules of one instruction. verify() in verify.cc walks the program.
// A rule returns an empty text when it holds, else the sentence that says which one is broken and how.
#pragma once

#include <array>
#include <string>

#include "isa/program.h"

namespace lanewise::isa {

struct RuleContext {
  const Program& program;
  const VerifyLimits& limits;
  // Largest value each loop register of this stream takes, and its step; -1 where no loop that is open here uses it.
  std::array<int64_t, kLoopRegisters> last_value;
  std::array<int64_t, kLoopRegisters> step;
};

using Broken = std::string;

// Quadrant rule, counts, alignment, extents, loop register. `written`: no element may be written twice by a 0 stride.
Broken check_tile(const RuleContext& context, const Tile& tile, bool written);
Broken check_hbm(const RuleContext& context, const Hbm& hbm, bool written);
// `partitions`: what a per-partition scalar must have.
Broken check_scalar(const RuleContext& context, const Scalar& scalar, int partitions);

Broken check_instruction(const RuleContext& context, const Instruction& instruction);

}  // namespace lanewise::isa
