// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aten/reduce.h"

#include <cmath>
#include <numeric>

#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {

using isa::ActFn;
using isa::AluOp;

int64_t product_of(const Shape& sizes, const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (const int64_t d : dims) product *= sizes[d];
  return product;
}

std::vector<int64_t> all_dims(int64_t rank) {
  std::vector<int64_t> dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

Expr divided_by(Expr x, double n) {
  int exponent = 0;
  const bool power_of_two = std::frexp(n, &exponent) == 0.5;
  return power_of_two ? x * (1 / n) : x / n;
}

Expr mean_of(Expr x, const std::vector<int64_t>& dims) {
  const double n = static_cast<double>(product_of(x.build->shape(x), dims));
  return divided_by(x.reduced(AluOp::add, dims), n);
}

namespace {

// No list and an empty list mean all dimensions.
Result<std::vector<int64_t>> dims_of(Lowering& l, size_t i) {
  const int64_t rank = l.build.rank(l.tensor(0));
  const std::vector<int64_t> given = l.integers(i);
  if (given.empty()) return all_dims(rank);
  LW_ASSIGN_OR_RETURN(std::vector<int64_t> dims, l.dims(given, rank));
  if (rank == 0) dims.clear();
  return dims;
}

// The reduced dimensions are there with size 1, or gone, as the result says.
Status finish(Lowering& l, size_t k, ValueId value) {
  return l.wanted(k) ? l.result(k, l.build.reshape(value, l.meta(k).sizes)) : ok_status();
}

// The operand as PyTorch accumulates it: first in the result's dtype (dtype=, or i64 for integers), then f32 if that is
// a floating point dtype.
ValueId accumulated(Lowering& l) {
  const DType dtype = l.meta().dtype;
  return l.build.convert(l.build.convert(l.tensor(0), dtype), math_dtype(dtype));
}

template <AluOp alu>
Status total(Lowering& l, const std::vector<int64_t>& dims) {
  return finish(l, 0, l.build.reduce(alu, accumulated(l), dims));
}

Status lower_sum_all(Lowering& l) { return total<AluOp::add>(l, all_dims(l.build.rank(l.tensor(0)))); }
Status lower_prod_all(Lowering& l) { return total<AluOp::multiply>(l, all_dims(l.build.rank(l.tensor(0)))); }

template <AluOp alu>
Status lower_total(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, dims_of(l, 1));
  return total<alu>(l, dims);
}

Status lower_mean_all(Lowering& l) {
  return finish(l, 0, mean_of({l.build, accumulated(l)}, all_dims(l.build.rank(l.tensor(0)))));
}

Status lower_mean(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, dims_of(l, 1));
  return finish(l, 0, mean_of({l.build, accumulated(l)}, dims));
}

constexpr Row kRows[] = {
    {"aten::mean", "tensor | dtype?", lower_mean_all},
    {"aten::mean.dim", "tensor ints? | bool dtype?", lower_mean},
    {"aten::prod", "tensor | dtype?", lower_prod_all},
    {"aten::prod.dim_int", "tensor int | bool dtype?", lower_total<AluOp::multiply>},
    {"aten::sum", "tensor | dtype?", lower_sum_all},
    {"aten::sum.dim_IntList", "tensor ints? | bool dtype?", lower_total<AluOp::add>},
};

}  // namespace

std::span<const Row> reduce_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
