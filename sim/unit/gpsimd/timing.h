// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How long GpSimd takes: one element a cycle and partition beyond `fixed_cycles` (`iota_fixed_cycles` for iota);
// 64-bit integers go through in `int64_factor` pieces.
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/cost.h"

namespace lanewise::sim::gpsimd {

core::Cost cost(const isa::Instruction& in, const machine::Machine& machine, int64_t stride_factor);

}  // namespace lanewise::sim::gpsimd
