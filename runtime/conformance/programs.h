// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Small programs that the suite runs, in text form. All tensors are 128 rows of f32.
#pragma once

#include <cstdint>

#include "isa/program.h"

namespace lanewise::runtime::conformance {

inline constexpr int64_t kRows = 128;

// y = x * parameter 0. Buffers: x, y.
isa::Program scale_program(int64_t columns);
// y = x + c, where row r, column k of the constant c is r + k, and x goes through scratch memory. Buffers: x, y.
isa::Program add_constant_program(int64_t columns);
// y[r] = x[index[r]]. Buffers: x, index (i32, one a row), y. An index out of range is an error while it runs.
isa::Program gather_program(int64_t columns);

}  // namespace lanewise::runtime::conformance
