// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tensor engine computes.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "sim/core/datapath.h"

namespace lanewise::sim::pe {

// What the last load_stationary of a run left in the array.
struct Stationary {
  isa::DType dtype = isa::DType::f32;
  int64_t rows = 0, columns = 0;    // 0: nothing loaded yet
  std::vector<float> weights;       // [rows][columns], the loaded part of each
  std::vector<std::byte> bits;      // the same elements as they were
};

// nc_matmul: every element is fma(a[k], b[k], sum) for k = 0, 1, ... K-1 in f32 from 0, then added to PSUM when the
// instruction accumulates. nc_transpose moves bits. load_stationary fills `held`, multiply_moving multiplies with it as
// nc_matmul does, or moves its bits past an identity.
// Errors: unimplemented for an opcode this engine does not have; failed_precondition for columns that move past an empty
// array; invalid_argument where shapes do not fit or a pass_through operand is no identity; those of core/datapath.h.
Status run(const core::Work& work, Stationary* held);

}  // namespace lanewise::sim::pe
