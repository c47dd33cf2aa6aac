// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums and means that several topics need.
#pragma once

#include "compiler/aten/expression.h"
#include "compiler/aten/lowering.h"

namespace lanewise::compiler::aten {

int64_t product_of(const Shape& sizes, const std::vector<int64_t>& dims);

// Sum over `dims`, which stay with size 1, divided by how many elements there are. f32.
Expr mean_of(Expr x, const std::vector<int64_t>& dims);

// x / n; a multiplication where that is the same.
Expr divided_by(Expr x, double n);

// All dimensions of a tensor of this rank.
std::vector<int64_t> all_dims(int64_t rank);

}  // namespace lanewise::compiler::aten
