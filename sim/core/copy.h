// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies between two patterns of equally many elements, in element order.
#pragma once

#include <vector>

#include "sim/core/view.h"

namespace lanewise::sim::core {

// Moves bits; both dtypes have the same size.
void copy_bits(const View& to, const View& from);

// Equal dtypes: bit exact. Integer to integer: exact (keeps the low bits; bool is "not zero"). Else through f32.
void copy_cast(const View& to, const View& from);

// One dimension that both patterns share, innermost first.
struct SharedDim {
  int64_t count, to_stride, from_stride;
};
// The coarsest common loop nest of two patterns. False when their dimensions do not divide each other.
bool share_dims(const View& to, const View& from, std::vector<SharedDim>* dims);

}  // namespace lanewise::sim::core
