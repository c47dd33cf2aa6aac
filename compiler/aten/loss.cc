// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses and their gradients. `reduction` is PyTorch's number: 0 none, 1 mean, 2 sum.
#include "compiler/aten/expression.h"
#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::ActFn;
using isa::AluOp;

enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

Expr f32(Lowering& l, size_t i) { return {l.build, l.build.convert(l.tensor(i), DType::f32)}; }

Status reduced_loss(Lowering& l, Expr loss, int64_t reduction) {
  const auto dims = all_dims(l.build.rank(loss));
  if (reduction == kNone) return l.result(loss);
  return reduced_result(l, 0, reduction == kMean ? mean_of(loss, dims) : loss.reduced(AluOp::add, dims));
}

// The incoming gradient for every element: divided by the number of elements for a mean.
Expr spread_gradient(Expr grad, const Expr& like, int64_t reduction) {
  if (reduction != kMean) return grad;
  return divided_by(grad, static_cast<double>(like.build->op(like).elements()));
}

Status lower_mse(Lowering& l) {
  const Expr difference = f32(l, 0) - f32(l, 1);
  return reduced_loss(l, difference * difference, l.integer(2, kMean));
}

Status lower_mse_backward(Lowering& l) {
  const Expr difference = f32(l, 1) - f32(l, 2);
  return l.result(difference * 2.0 * spread_gradient(f32(l, 0), difference, l.integer(3)));
}

// |d| < beta ? d^2 / (2 beta) : |d| - beta / 2
Status lower_smooth_l1(Lowering& l) {
  const Expr size = abs(f32(l, 0) - f32(l, 1));
  const Expr beta(l.build, l.number_or(3, 1, DType::f32, l.build.shape(size).size()));
  return reduced_loss(l, select(size < beta, size * size * 0.5 / beta, size - beta * 0.5), l.integer(2, kMean));
}

Status lower_smooth_l1_backward(Lowering& l) {
  const Expr difference = f32(l, 1) - f32(l, 2);
  const Expr beta(l.build, l.number(4, DType::f32, l.build.shape(difference).size()));
  const Expr slope = select(abs(difference) < beta, difference / beta, difference.apply(ActFn::sign));
  return l.result(slope * spread_gradient(f32(l, 0), difference, l.integer(3)));
}

// (1 - t) x + w log(1 + exp(-x)), w = 1 + (pos_weight - 1) t; all of it times weight.
Status lower_bce_with_logits(Lowering& l) {
  const Expr x = f32(l, 0), t = f32(l, 1);
  Expr tail = (x * -1.0).apply(ActFn::softplus);
  if (l.given(3)) tail = tail * ((f32(l, 3) - 1.0) * t + 1.0);
  Expr loss = (1.0 - t) * x + tail;
  if (l.given(2)) loss = loss * f32(l, 2);
  return reduced_loss(l, loss, l.integer(4, kMean));
}

// The logarithms do not go below -100, so that a certain wrong answer is not an infinite loss.
Status lower_bce(Lowering& l) {
  const Expr x = f32(l, 0), t = f32(l, 1);
  const Expr yes = maximum(log(x), x.same(-100)), no = maximum((x * -1.0).apply(ActFn::log1p), x.same(-100));
  Expr loss = (t - 1.0) * no - t * yes;
  if (l.given(2)) loss = loss * f32(l, 2);
  return reduced_loss(l, loss, l.integer(3, kMean));
}

Status lower_bce_backward(Lowering& l) {
  const Expr x = f32(l, 1), t = f32(l, 2);
  Expr slope = (x - t) / maximum((1.0 - x) * x, x.same(1e-12));
  if (l.given(3)) slope = slope * f32(l, 3);
  return l.result(slope * spread_gradient(f32(l, 0), slope, l.integer(4, kMean)));
}

// Target classes [N, 1], made safe to look up, and where they count [N, 1].
struct Targets {
  Expr classes, counts;
};

Result<Targets> targets(Lowering& l, size_t logits, size_t target, int64_t ignore) {
  const int64_t rank = l.build.rank(l.tensor(logits));
  const ValueId classes = l.tensor(target);
  if (rank < 1 || rank > 2 || l.build.rank(classes) != rank - 1) return l.unsupported("wants [N, C] with [N], or [C] with one class");
  if (l.build.dtype(classes) != DType::i64) return l.unsupported("targets must be i64");
  const Expr column(l.build, l.build.reshape(classes, {l.build.op(classes).elements(), 1}));
  const Expr ignored = column == Expr(l.build, l.build.constant_integer(DType::i64, ignore, {1, 1}));
  return Targets{select(ignored, column.same(0), column), {l.build, l.build.logical_not(ignored)}};
}

// Each target's weight [N, 1]: that of its class or 1, 0 where it does not count.
Expr target_weights(Lowering& l, const Targets& t, size_t weight) {
  const Expr one(l.build, l.build.constant(DType::f32, 1, {1, 1}));
  if (!l.given(weight)) return t.counts.as(DType::f32);
  const ValueId table = l.build.reshape(l.tensor(weight), {l.build.op(l.tensor(weight)).elements(), 1});
  const ValueId flat = l.build.reshape(t.classes, {l.build.size(t.classes, 0)});
  const Expr w = Expr(l.build, l.build.gather(table, flat)).as(DType::f32);
  return select(t.counts, w, one.same(0));
}

// nll_loss_forward(self, target, weight?, reduction, ignore_index): output, total weight
Status lower_nll(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Targets t, targets(l, 0, 1, l.integer(4)));
  const ValueId self = l.tensor(0);
  const int64_t n = l.build.size(t.classes, 0), classes = l.build.size(self, l.build.rank(self) - 1), reduction = l.integer(3);
  // One element a row: its number in the flattened matrix.
  const Expr row(l.build, l.build.iota(DType::i64, {n, 1}, 0, 0, classes));
  const ValueId elements = l.build.reshape(t.classes + row, {n});
  const Expr picked = Expr(l.build, l.build.gather(l.build.reshape(self, {n * classes, 1}), elements)).as(DType::f32);
  const Expr weights = target_weights(l, t, 2);
  const Expr loss = select(t.counts, picked * weights * -1.0, picked.same(0));
  const Expr total = weights.reduced(AluOp::add, {0, 1});
  if (reduction == kNone) {
    LW_RETURN_IF_ERROR(reduced_result(l, 0, loss));
    if (!l.wanted(1) || l.build.rank(self) == 1) return reduced_result(l, 1, total);
    return l.result(1, l.build.constant(l.meta(1).dtype, 0, l.meta(1).sizes));   // PyTorch leaves it at 0
  }
  const Expr sum = loss.reduced(AluOp::add, {0, 1});
  LW_RETURN_IF_ERROR(reduced_result(l, 0, reduction == kMean ? sum / total : sum));
  return reduced_result(l, 1, total);
}

// -weight[target] * grad (/ total for a mean) at the target's class, 0 elsewhere.
Status lower_nll_backward(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Targets t, targets(l, 1, 2, l.integer(5)));
  const ValueId self = l.tensor(1);
  const int64_t n = l.build.size(t.classes, 0), classes = l.build.size(self, l.build.rank(self) - 1), reduction = l.integer(4);
  const Expr grad(l.build, l.build.reshape(f32(l, 0), {l.build.op(l.tensor(0)).elements(), 1}));
  Expr value = target_weights(l, t, 3) * -1.0 * grad;
  if (reduction == kMean) value = value / Expr(l.build, l.build.reshape(f32(l, 6), {1, 1}));
  const DType counter = index_dtype(classes);
  const Expr column(l.build, l.build.iota(counter, {1, classes}, 1));
  const Expr at_class = (column == t.classes.as(counter)) && t.counts;
  const Expr full = select(at_class, value, value.same(0));
  return l.result(l.build.reshape(full, n == 0 ? l.meta().sizes : l.build.shape(self)));
}

constexpr Row kRows[] = {
    {"aten::binary_cross_entropy", "tensor tensor | tensor? int", lower_bce},
    {"aten::binary_cross_entropy_backward", "tensor tensor tensor | tensor? int", lower_bce_backward},
    {"aten::binary_cross_entropy_with_logits", "tensor tensor | tensor? tensor? int", lower_bce_with_logits},
    {"aten::mse_loss", "tensor tensor | int", lower_mse},
    {"aten::mse_loss_backward", "tensor tensor tensor int", lower_mse_backward},
    {"aten::nll_loss_backward", "tensor tensor tensor tensor? int int tensor", lower_nll_backward},
    {"aten::nll_loss_forward", "tensor tensor tensor? int int", lower_nll},
    {"aten::smooth_l1_loss", "tensor tensor | int number", lower_smooth_l1},
    {"aten::smooth_l1_loss_backward", "tensor tensor tensor int number", lower_smooth_l1_backward},
};

}  // namespace

std::span<const Row> loss_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
