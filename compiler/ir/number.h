// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What one number becomes in a dtype: for the host evaluation and for folding constants.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/dtype.h"

namespace lanewise::compiler::ir {

// `value` rounded to nearest even in a floating point dtype.
float round_to(isa::DType dtype, double value);
// `value` wrapped to an integer dtype; for b8, whether it is not 0.
int64_t wrap_to(isa::DType dtype, int64_t value);
// float -> integer: truncates toward zero, then wraps; beyond 64 bits and NaN give the smallest int64.
int64_t truncate_to(isa::DType dtype, double value);

// One element in memory.
float load_float(isa::DType dtype, const std::byte* at);
int64_t load_integer(isa::DType dtype, const std::byte* at);
void store_float(isa::DType dtype, float value, std::byte* at);
void store_integer(isa::DType dtype, int64_t value, std::byte* at);

}  // namespace lanewise::compiler::ir
