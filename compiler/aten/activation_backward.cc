// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the activation functions, times the incoming gradient (argument 0).
#include "compiler/aten/expression.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::ActFn;

Expr math(Lowering& l, size_t i) { return {l.build, l.math(i)}; }
Expr number(Lowering& l, size_t i, double otherwise) { return {l.build, l.number_or(i, otherwise, DType::f32)}; }

Status lower_threshold(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  const Expr threshold(l.build, l.number(2, l.build.dtype(x)));
  return l.result(select(x <= threshold, grad.same(0), grad));
}

Status lower_sigmoid(Lowering& l) {
  const Expr grad = math(l, 0), y = math(l, 1);
  return l.result(grad * (1.0 - y) * y);
}

Status lower_tanh(Lowering& l) {
  const Expr grad = math(l, 0), y = math(l, 1);
  return l.result(grad * (1.0 - y * y));
}

Status lower_silu(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  const Expr s = sigmoid(x);
  return l.result(grad * s * (1.0 + x * (1.0 - s)));
}

// cdf(x) + x * pdf(x) of the normal distribution.
Expr gelu_slope(Expr x) {
  const Expr cdf = ((x * 0.70710678118654752).apply(ActFn::erf) + 1.0) * 0.5;
  const Expr pdf = exp(x * x * -0.5) * 0.3989422804014327;
  return cdf + x * pdf;
}

Expr gelu_tanh_slope(Expr x) {
  constexpr double kBeta = 0.7978845608028654, kKappa = 0.044715;
  const Expr square = x * x;
  const Expr t = tanh((x + square * x * kKappa) * kBeta);
  const Expr left = (t + 1.0) * 0.5;
  const Expr inner_slope = (square * (3 * kKappa) + 1.0) * kBeta;
  return left + x * 0.5 * (1.0 - t * t) * inner_slope;
}

Status lower_gelu(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  const std::string kind = l.text(2);
  if (!kind.empty() && kind != "none" && kind != "tanh") return l.wrong("approximate is 'none' or 'tanh', not '" + kind + "'");
  return l.result(grad * (kind == "tanh" ? gelu_tanh_slope(x) : gelu_slope(x)));
}

Status lower_softplus(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  const Expr scaled = x * number(l, 2, 1);
  return l.result(select(scaled > number(l, 3, 20), grad, grad * sigmoid(scaled)));
}

Status lower_leaky_relu(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  return l.result(select(x > 0.0, grad, grad * number(l, 2, 0.01)));
}

Status lower_hardtanh(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  const Expr low = number(l, 2, -1), high = number(l, 3, 1);
  return l.result(select((x <= low) || (x >= high), grad.same(0), grad));
}

Status lower_elu(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 5);
  const Expr alpha = number(l, 1, 1), scale = number(l, 2, 1), input_scale = number(l, 3, 1);
  const Expr negative = alpha * scale;
  // x is the forward's result, or its input.
  const Expr slope = l.boolean(4) ? input_scale * (x + negative) : input_scale * negative * exp(x * input_scale);
  return l.result(grad * select(x <= 0.0, slope, scale));
}

Status lower_hardsigmoid(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  return l.result(select((x > -3.0) && (x < 3.0), grad * (1.0 / 6.0), grad.same(0)));
}

Status lower_hardswish(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  const Expr inside = grad * (x / 3.0 + 0.5);
  return l.result(select(x <= -3.0, grad.same(0), select(x < 3.0, inside, grad)));
}

Status lower_mish(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  const Expr t = tanh(x.apply(ActFn::softplus));
  return l.result(grad * (t + x * sigmoid(x) * (1.0 - t * t)));
}

Status lower_log_sigmoid(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  return l.result(grad * sigmoid(x * -1.0));
}

Status lower_glu(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1);
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(2, -1), l.build.rank(x)));
  const int64_t half = l.build.size(x, dim) / 2;
  const Expr a(l.build, l.build.slice_dim(x, dim, 0, half)), b(l.build, l.build.slice_dim(x, dim, half, half));
  const Expr s = sigmoid(b);
  const Expr first = grad * s, second = grad * a * s * (1.0 - s);
  return l.result(l.build.concat({first, second}, dim));
}

// Gradients of the input and, element by element, of the weight.
Status lower_prelu(Lowering& l) {
  const Expr grad = math(l, 0), x = math(l, 1), weight = math(l, 2);
  const Expr positive = x > 0.0;
  LW_RETURN_IF_ERROR(l.result(0, select(positive, grad, grad * weight)));
  return l.result(1, select(positive, grad.same(0), grad * x));
}

// native_dropout_backward(grad, mask, scale)
Status lower_dropout(Lowering& l) {
  const Expr grad(l.build, l.build.convert(l.tensor(0), DType::f32)), mask(l.build, l.build.convert(l.tensor(1), DType::f32));
  return l.result(grad * mask * number(l, 2, 1));
}

constexpr Row kRows[] = {
    {"aten::_prelu_kernel_backward", "tensor tensor tensor", lower_prelu},
    {"aten::elu_backward", "tensor number number number bool tensor", lower_elu},
    {"aten::gelu_backward", "tensor tensor | string", lower_gelu},
    {"aten::glu_backward", "tensor tensor int", lower_glu},
    {"aten::hardsigmoid_backward", "tensor tensor", lower_hardsigmoid},
    {"aten::hardswish_backward", "tensor tensor", lower_hardswish},
    {"aten::hardtanh_backward", "tensor tensor number number", lower_hardtanh},
    {"aten::leaky_relu_backward", "tensor tensor number bool", lower_leaky_relu},
    {"aten::log_sigmoid_backward", "tensor tensor tensor", lower_log_sigmoid},
    {"aten::mish_backward", "tensor tensor", lower_mish},
    {"aten::native_dropout_backward", "tensor tensor number", lower_dropout},
    {"aten::sigmoid_backward", "tensor tensor", lower_sigmoid},
    {"aten::silu_backward", "tensor tensor", lower_silu},
    {"aten::softplus_backward", "tensor tensor number number", lower_softplus},
    {"aten::tanh_backward", "tensor tensor", lower_tanh},
    {"aten::threshold_backward", "tensor tensor number", lower_threshold},
};

}  // namespace

std::span<const Row> activation_backward_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
