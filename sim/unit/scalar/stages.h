// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/pipeline.h"

namespace lanewise::sim::scalar {

// An instruction in the engine's two stages.
//   plain             one element a cycle; begin to end `copy_fixed_cycles` beyond that for copies and tensor_scalar,
//                     `function_fixed_cycles` for activations; activation_reduce adds one minimum interval for reading its
//                     sums (V226: max(MIN_II, N) + MIN_II)
//   wide reads        `wide_stride_cycles_x4` for four elements
//   partial writes    `partial_write_ps` an element, whatever the clock
core::Stages stages(const isa::Instruction& in, const machine::Machine& machine, core::Patterns patterns);

}  // namespace lanewise::sim::scalar
