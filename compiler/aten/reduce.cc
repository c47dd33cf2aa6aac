// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aten/reduce.h"

#include <cmath>
#include <numeric>

#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {

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

Result<std::vector<int64_t>> reduced_dims(Lowering& l, size_t i) {
  const int64_t rank = l.build.rank(l.tensor(0));
  const std::vector<int64_t> given = l.integers(i);
  if (given.empty()) return all_dims(rank);
  LW_ASSIGN_OR_RETURN(std::vector<int64_t> dims, l.dims(given, rank));
  if (rank == 0) dims.clear();
  return dims;
}

Status reduced_result(Lowering& l, size_t k, ValueId value) {
  return l.wanted(k) ? l.result(k, l.build.reshape(value, l.meta(k).sizes)) : ok_status();
}

ValueId accumulated(Lowering& l) {
  const DType dtype = l.meta().dtype;
  return l.build.convert(l.build.convert(l.tensor(0), dtype), math_dtype(dtype));
}

namespace {

template <AluOp alu>
Status total(Lowering& l, const std::vector<int64_t>& dims) {
  return reduced_result(l, 0, l.build.reduce(alu, accumulated(l), dims));
}

Status lower_sum_all(Lowering& l) { return total<AluOp::add>(l, all_dims(l.build.rank(l.tensor(0)))); }
Status lower_prod_all(Lowering& l) { return total<AluOp::multiply>(l, all_dims(l.build.rank(l.tensor(0)))); }

template <AluOp alu>
Status lower_total(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, reduced_dims(l, 1));
  return total<alu>(l, dims);
}

Status lower_mean_all(Lowering& l) {
  return reduced_result(l, 0, mean_of({l.build, accumulated(l)}, all_dims(l.build.rank(l.tensor(0)))));
}

Status lower_mean(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, reduced_dims(l, 1));
  return reduced_result(l, 0, mean_of({l.build, accumulated(l)}, dims));
}

// Running sum: after step k every element holds the sum of the 2^k elements up to it, so log2(n) shifted additions are
// enough. Exact for integers, and an infinity stays where it is.
Status lower_cumsum(Lowering& l) {
  Expr x(l.build, accumulated(l));
  const int64_t rank = l.build.rank(x);
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), rank));
  if (rank == 0) return l.result(x);
  const int64_t n = l.build.size(x, dim);
  for (int64_t shift = 1; shift < n; shift *= 2) {
    std::vector<int64_t> starts(rank, 0), steps(rank, 1);
    starts[dim] = shift;
    const ValueId kept = l.build.slice_dim(x, dim, 0, n - shift);
    x = x + Expr(l.build, l.build.pad(kept, x.same(0), starts, steps, l.build.shape(x)));
  }
  return l.result(x);
}

constexpr Row kRows[] = {
    {"aten::cumsum", "tensor int | dtype?", lower_cumsum},
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
