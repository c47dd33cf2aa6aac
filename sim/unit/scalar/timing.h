// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How long the Scalar engine takes: one element a cycle and partition, `copy_fixed_cycles` beyond that for copies and
// tensor_scalar, `function_fixed_cycles` for activations; activation_reduce adds one minimum interval for reading its
// sums (V226: max(MIN_II, N) + MIN_II). A function whose table set is not loaded first loads it; load_table always loads.
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/cost.h"

namespace lanewise::sim::scalar {

core::Cost cost(const isa::Instruction& in, const machine::Machine& machine, int64_t stride_factor);

// The activation tables. None is loaded when a program starts.
class Tables {
 public:
  // Time that `in` spends on loading its table set first.
  Picos load(const isa::Instruction& in, const machine::Machine& machine);

 private:
  int loaded_ = 0;
};

}  // namespace lanewise::sim::scalar
