// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole optimiser steps on lists of tensors, as PyTorch's fused kernels do them (formulas: documentation of
// torch.optim.Adam, AdamW and SGD). Results are the lists of the arguments that the step writes, one after the other.
#include <cmath>

#include "compiler/aten/expression.h"
#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::AluOp;

// The elements of one list argument, one for each tensor that is stepped.
class Lists {
 public:
  explicit Lists(Lowering& l) : l_(l), count_(l.tensors(0).size()) {}

  size_t count() const { return count_; }
  bool empty(size_t argument) const { return l_.tensors(argument).empty(); }
  Status check(std::initializer_list<size_t> arguments) const {
    for (const size_t i : arguments) {
      if (l_.tensors(i).size() != count_) return l_.wrong("lists must be of one length");
    }
    return ok_status();
  }
  Expr f32(size_t argument, size_t k) const { return {l_.build, l_.build.convert(l_.tensors(argument)[k], DType::f32)}; }
  // Result `k` of the list number `list`.
  Status result(size_t list, size_t k, Expr value) { return l_.result(list * count_ + k, value); }

 private:
  Lowering& l_;
  size_t count_;
};

// The gradient as the step sees it: without the loss scale, turned around to maximise.
struct Gradient {
  Expr unscaled, signed_;
};

Gradient gradient(Lowering& l, Expr grad, size_t grad_scale, bool maximize) {
  const Expr unscaled = l.given(grad_scale) ? grad / Expr(l.build, l.math(grad_scale)) : grad;
  return {unscaled, maximize ? unscaled * -1.0 : unscaled};
}

// With found_inf not 0 nothing changes.
Expr unless_infinite(Lowering& l, size_t found_inf, Expr before, Expr after) {
  if (!l.given(found_inf)) return after;
  return select(Expr(l.build, l.math(found_inf)) != 0.0, before, after);
}

// lr is a number or a tensor without dimensions.
Expr number(Lowering& l, size_t i) {
  return l.is_tensor(i) ? Expr(l.build, l.math(i)) : Expr(l.build, l.number(i, DType::f32, 0));
}

// self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad,
// maximize, grad_scale, found_inf
template <bool decoupled_decay>
Status lower_adam(Lowering& l) {
  Lists lists(l);
  const bool amsgrad = l.boolean(11);
  LW_RETURN_IF_ERROR(lists.check({1, 2, 3, 5}));
  if (amsgrad) LW_RETURN_IF_ERROR(lists.check({4}));
  const Expr lr = number(l, 6), beta1 = number(l, 7), beta2 = number(l, 8), decay = number(l, 9), epsilon = number(l, 10);
  for (size_t k = 0; k < lists.count(); ++k) {
    const Expr parameter = lists.f32(0, k), m = lists.f32(2, k), v = lists.f32(3, k), step = lists.f32(5, k);
    const Gradient g = gradient(l, lists.f32(1, k), 13, l.boolean(12));
    const Expr decayed = decoupled_decay ? parameter - parameter * (lr * decay) : parameter;
    const Expr grad = decoupled_decay ? g.signed_ : g.signed_ + parameter * decay;
    const Expr new_m = m + (grad - m) * (1.0 - beta1);
    const Expr new_v = v * beta2 + grad * grad * (1.0 - beta2);
    const Expr correction1 = 1.0 - beta1.with(AluOp::power, step), correction2 = 1.0 - beta2.with(AluOp::power, step);
    const Expr second = amsgrad ? maximum(lists.f32(4, k), new_v) : new_v;
    const Expr denominator = sqrt(second) / sqrt(correction2) + epsilon;
    const Expr stepped = decayed - new_m * (lr / correction1) / denominator;
    LW_RETURN_IF_ERROR(lists.result(0, k, unless_infinite(l, 14, parameter, stepped)));
    LW_RETURN_IF_ERROR(lists.result(1, k, unless_infinite(l, 14, lists.f32(1, k), g.unscaled)));
    LW_RETURN_IF_ERROR(lists.result(2, k, unless_infinite(l, 14, m, new_m)));
    LW_RETURN_IF_ERROR(lists.result(3, k, unless_infinite(l, 14, v, new_v)));
    if (amsgrad) LW_RETURN_IF_ERROR(lists.result(4, k, unless_infinite(l, 14, lists.f32(4, k), second)));
  }
  return ok_status();
}

// self, grads, momentum_buffers, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step, grad_scale,
// found_inf
Status lower_sgd(Lowering& l) {
  Lists lists(l);
  LW_RETURN_IF_ERROR(lists.check({1}));
  const bool has_momentum = !lists.empty(2), nesterov = l.boolean(7), first = l.boolean(9);
  if (has_momentum) LW_RETURN_IF_ERROR(lists.check({2}));
  const Expr decay = number(l, 3), momentum = number(l, 4), lr = number(l, 5), dampening = number(l, 6);
  for (size_t k = 0; k < lists.count(); ++k) {
    const Expr parameter = lists.f32(0, k);
    const Gradient g = gradient(l, lists.f32(1, k), 10, l.boolean(8));
    Expr direction = g.signed_ + parameter * decay;
    if (has_momentum) {
      const Expr before = lists.f32(2, k);
      const Expr buffer = first ? direction : before * momentum + direction * (1.0 - dampening);
      LW_RETURN_IF_ERROR(lists.result(2, k, unless_infinite(l, 11, before, buffer)));
      direction = nesterov ? direction + buffer * momentum : buffer;
    }
    LW_RETURN_IF_ERROR(lists.result(0, k, unless_infinite(l, 11, parameter, parameter - direction * lr)));
    LW_RETURN_IF_ERROR(lists.result(1, k, unless_infinite(l, 11, lists.f32(1, k), g.unscaled)));
  }
  return ok_status();
}

// Gradients times inv_scale, and 1 when any of them is not finite.
Status lower_unscale(Lowering& l) {
  Lists lists(l);
  Expr found(l.build, l.math(1));
  const Shape shape = l.build.shape(found);
  for (size_t k = 0; k < lists.count(); ++k) {
    const Expr grad = lists.f32(0, k);
    const auto dims = all_dims(l.build.rank(grad));
    // Also of no elements: a sum, not a maximum.
    const Expr bad(l.build, l.build.logical_not(abs(grad) < INFINITY));
    const Expr any = (bad.as(DType::f32).reduced(AluOp::add, dims) > 0.0).as(DType::f32);
    found = maximum(found, Expr(l.build, l.build.reshape(any, shape)));
    LW_RETURN_IF_ERROR(lists.result(0, k, grad * Expr(l.build, l.math(2))));
  }
  return l.result(lists.count(), found);
}

constexpr std::string_view kAdam =
    "tensors tensors tensors tensors tensors tensors operand number number number number bool bool | tensor? tensor?";
constexpr std::string_view kSgd = "tensors tensors tensors number number operand number bool bool bool | tensor? tensor?";

constexpr Row kRows[] = {
    {"aten::_amp_foreach_non_finite_check_and_unscale", "tensors tensor tensor", lower_unscale},
    {"aten::_fused_adam", kAdam, lower_adam<false>},
    {"aten::_fused_adam.tensor_lr", kAdam, lower_adam<false>},
    {"aten::_fused_adamw", kAdam, lower_adam<true>},
    {"aten::_fused_adamw.tensor_lr", kAdam, lower_adam<true>},
    {"aten::_fused_sgd", kSgd, lower_sgd},
    {"aten::_fused_sgd.tensor_lr", kSgd, lower_sgd},
};

}  // namespace

std::span<const Row> optimizer_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
