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

// Argument `i` as dimensions of argument 0: no list and an empty list mean all of them.
Result<std::vector<int64_t>> reduced_dims(Lowering& l, size_t i);

// Result `k` is `value`, whose reduced dimensions have size 1; the result has them too or not.
Status reduced_result(Lowering& l, size_t k, ValueId value);

// Argument 0 as PyTorch accumulates it: first in the result's dtype (dtype=, or i64 for integers), then f32 if that is a
// floating point dtype.
ValueId accumulated(Lowering& l);

// A dtype that counts to n exactly; f32 where it does, since more engines take it.
constexpr DType index_dtype(int64_t n) { return n < (int64_t{1} << 24) ? DType::f32 : DType::i64; }

}  // namespace lanewise::compiler::aten
