// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Softmax and its logarithm, forward and backward. The row's largest element is subtracted first, as everywhere.
#include <cmath>

#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::AluOp;

// A 0-dim tensor is one row of one element.
Result<Expr> rows(Lowering& l, size_t argument) {
  Expr x(l.build, l.build.convert(l.tensor(argument), DType::f32));
  if (l.build.rank(x) == 0) x = Expr(l.build, l.build.reshape(x, {1}));
  return x;
}

Result<int64_t> row_dim(Lowering& l, size_t argument, const Expr& x) { return l.dim(l.integer(argument), l.build.rank(x)); }

Status done(Lowering& l, Expr value) { return l.result(l.build.reshape(value, l.meta().sizes)); }

bool empty(const Expr& x) { return x.build->op(x).elements() == 0; }

template <bool safe>
Status lower_softmax(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Expr x, rows(l, 0));
  LW_ASSIGN_OR_RETURN(const int64_t dim, row_dim(l, 1, x));
  if (empty(x)) return done(l, x);
  const Expr most = x.reduced(AluOp::maximum, {dim});
  const Expr e = exp(x - most);
  const Expr y = e / e.reduced(AluOp::add, {dim});
  // A row of nothing but -inf gives zeros instead of NaN.
  return done(l, safe ? select(most == -INFINITY, y.same(0), y) : y);
}

Status lower_log_softmax(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Expr x, rows(l, 0));
  LW_ASSIGN_OR_RETURN(const int64_t dim, row_dim(l, 1, x));
  if (empty(x)) return done(l, x);
  const Expr shifted = x - x.reduced(AluOp::maximum, {dim});
  return done(l, shifted - log(exp(shifted).reduced(AluOp::add, {dim})));
}

// y * (dy - sum(dy * y))
Status lower_softmax_backward(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Expr dy, rows(l, 0));
  LW_ASSIGN_OR_RETURN(const Expr y, rows(l, 1));
  LW_ASSIGN_OR_RETURN(const int64_t dim, row_dim(l, 2, y));
  const Expr product = dy * y;
  return done(l, product - y * product.reduced(AluOp::add, {dim}));
}

// dy - exp(y) * sum(dy)
Status lower_log_softmax_backward(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Expr dy, rows(l, 0));
  LW_ASSIGN_OR_RETURN(const Expr y, rows(l, 1));
  LW_ASSIGN_OR_RETURN(const int64_t dim, row_dim(l, 2, y));
  return done(l, dy - exp(y) * dy.reduced(AluOp::add, {dim}));
}

constexpr Row kRows[] = {
    {"aten::_log_softmax", "tensor int bool", lower_log_softmax},
    {"aten::_log_softmax_backward_data", "tensor tensor int dtype", lower_log_softmax_backward},
    {"aten::_safe_softmax", "tensor int | dtype?", lower_softmax<true>},
    {"aten::_softmax", "tensor int bool", lower_softmax<false>},
    {"aten::_softmax_backward_data", "tensor tensor int dtype", lower_softmax_backward},
};

}  // namespace

std::span<const Row> softmax_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
