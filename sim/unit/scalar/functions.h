// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The activation functions of the Scalar engine on rows of f32.
//
// Every result is within 2 units in the last place of the correctly rounded f32 (most are correctly rounded), over the
// whole range of arguments, and the same on every CPU. The real engine interpolates tables; its tables are not public,
// so we compute what they approximate. At infinities the value is that of the formula evaluated in IEEE arithmetic, as
// PyTorch does it: silu, gelu, gelu_tanh and mish of -infinity are NaN.
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace lanewise::sim::scalar {

using FunctionRow = void (*)(const float* x, float* out, int64_t n);   // out may be x

// Null for ActFn::none.
FunctionRow function_row(isa::ActFn fn);

}  // namespace lanewise::sim::scalar
