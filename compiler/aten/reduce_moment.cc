// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Variances, vector norms and log-sum-exp.
#include <cmath>

#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::AluOp;

struct Moments {
  Expr mean, variance;   // the reduced dimensions stay with size 1
};

// Two passes: the mean first, then the mean square of what is left, so that nothing cancels. The divisor is
// max(0, n - correction).
Result<Moments> moments(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, reduced_dims(l, 1));
  if (!isa::is_float(l.build.dtype(l.tensor(0)))) return l.wrong("is for floating point");
  const Expr x(l.build, l.math(0));
  const size_t rank = l.build.shape(x).size();
  const double n = static_cast<double>(product_of(l.build.shape(x), dims));
  const Expr mean = mean_of(x, dims), rest = x - mean;
  const Expr squares = (rest * rest).reduced(AluOp::add, dims);
  if (const auto correction = l.given(2) ? l.literal(2) : std::optional<double>(1)) {
    return Moments{mean, divided_by(squares, std::max(0.0, n - *correction))};
  }
  const Expr left = Expr(l.build, l.constant(DType::f32, n, rank)) - Expr(l.build, l.number(2, DType::f32, rank));
  return Moments{mean, squares / maximum(left, left.same(0))};
}

Status lower_var(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Moments m, moments(l));
  return reduced_result(l, 0, m.variance);
}

Status lower_std(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Moments m, moments(l));
  return reduced_result(l, 0, sqrt(m.variance));
}

template <bool root>
Status lower_with_mean(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Moments m, moments(l));
  LW_RETURN_IF_ERROR(reduced_result(l, 0, root ? sqrt(m.variance) : m.variance));
  return reduced_result(l, 1, m.mean);
}

Status lower_vector_norm(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, reduced_dims(l, 2));
  const auto order = l.given(1) ? l.literal(1) : std::optional<double>(2);
  if (!order) return l.unsupported("the order must be known when the program is made");
  const Expr x(l.build, accumulated(l));
  if (*order == 2) return reduced_result(l, 0, sqrt((x * x).reduced(AluOp::add, dims)));
  if (*order == 0) return reduced_result(l, 0, (x != 0.0).as(DType::f32).reduced(AluOp::add, dims));
  const Expr size = abs(x);
  if (*order == 1) return reduced_result(l, 0, size.reduced(AluOp::add, dims));
  if (std::isinf(*order)) {
    if (product_of(l.build.shape(x), dims) == 0) return l.wrong("of no elements has no infinite norm");
    return reduced_result(l, 0, size.reduced(*order > 0 ? AluOp::maximum : AluOp::minimum, dims));
  }
  const Expr sum = size.with(AluOp::power, size.same(*order)).reduced(AluOp::add, dims);
  return reduced_result(l, 0, sum.with(AluOp::power, sum.same(1 / *order)));
}

// The largest element is taken out first, unless it is infinite.
Status lower_logsumexp(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, reduced_dims(l, 1));
  const Expr x(l.build, l.build.convert(l.tensor(0), DType::f32));
  if (product_of(l.build.shape(x), dims) == 0) return l.result(l.build.constant(l.meta().dtype, -INFINITY, l.meta().sizes));
  const Expr most = x.reduced(AluOp::maximum, dims);
  const Expr shift = select(abs(most) == INFINITY, most.same(0), most);
  return reduced_result(l, 0, log(exp(x - shift).reduced(AluOp::add, dims)) + shift);
}

constexpr Row kRows[] = {
    {"aten::linalg_vector_norm", "tensor | number ints? bool dtype?", lower_vector_norm},
    {"aten::logsumexp", "tensor ints | bool", lower_logsumexp},
    {"aten::std.correction", "tensor | ints? number? bool", lower_std},
    {"aten::std_mean.correction", "tensor | ints? number? bool", lower_with_mean<true>},
    {"aten::var.correction", "tensor | ints? number? bool", lower_var},
    {"aten::var_mean.correction", "tensor | ints? number? bool", lower_with_mean<false>},
};

}  // namespace

std::span<const Row> reduce_moment_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
