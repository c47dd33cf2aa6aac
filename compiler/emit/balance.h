// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Selection gives floating point arithmetic to Vector. In a stage whose Vector work takes longer than its DMA, part of
// it moves: GpSimd computes the same f32, Scalar copies, scales and sums. Because a stage often has only one large op
// (the sum of a row), an op may also alternate: `share` of 256 of its tiles run on the other engine.
//
// The estimate is elements over clock rate; it decides speed, never results.
#pragma once

#include "compiler/emit/tile_ops.h"
#include "compiler/emit/tile_plan.h"
#include "machine/machine.h"

namespace lanewise::compiler::emit {

void balance_engines(const stage::Stage& stage, const TilePlan& plan, const machine::Machine& machine, TileCode& code);

}  // namespace lanewise::compiler::emit
