// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Activation functions of neural networks, forward. Formulas are those of PyTorch's public documentation.
#include "compiler/aten/expression.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::ActFn;
using isa::AluOp;

template <ActFn fn>
Status lower_function(Lowering& l) {
  return l.result(l.build.unary(fn, l.build.convert(l.tensor(0), DType::f32)));
}

Status lower_relu(Lowering& l) {
  const Expr x(l.build, l.math(0));
  return l.result(isa::is_float(l.build.dtype(x)) ? x.apply(ActFn::relu) : maximum(x, x.same(0)));
}

Status lower_gelu(Lowering& l) {
  const std::string kind = l.text(1);
  if (!kind.empty() && kind != "none" && kind != "tanh") return l.wrong("approximate is 'none' or 'tanh', not '" + kind + "'");
  return l.result(l.build.unary(kind == "tanh" ? ActFn::gelu_tanh : ActFn::gelu, l.math(0)));
}

Expr number(Lowering& l, size_t i, double otherwise) { return {l.build, l.number_or(i, otherwise, DType::f32)}; }

Status lower_leaky_relu(Lowering& l) {
  const Expr x(l.build, l.math(0)), slope = number(l, 1, 0.01);
  return l.result(select(x > 0.0, x, x * slope));
}

Status lower_prelu(Lowering& l) {
  const Expr x(l.build, l.math(0)), weight(l.build, l.math(1));
  return l.result(select(x > 0.0, x, x * weight));
}

Status lower_hardtanh(Lowering& l) {
  const Expr x(l.build, l.math(0));
  const DType dtype = l.build.dtype(x);
  const Expr low(l.build, l.number_or(1, -1, dtype)), high(l.build, l.number_or(2, 1, dtype));
  return l.result(minimum(maximum(x, low), high));
}

// log(1 + exp(beta * x)) / beta, and x itself where beta * x is above the threshold.
Status lower_softplus(Lowering& l) {
  const Expr x(l.build, l.math(0));
  const bool plain = (!l.given(1) || l.literal(1) == 1) && (!l.given(2) || l.literal(2) == 20);
  if (plain) return l.result(x.apply(ActFn::softplus));   // above 20 the rest is below half a unit of f32
  const Expr beta = number(l, 1, 1), threshold = number(l, 2, 20);
  const Expr scaled = x * beta;
  return l.result(select(scaled > threshold, x, scaled.apply(ActFn::softplus) / beta));
}

// scale * (x > 0 ? x : alpha * (exp(input_scale * x) - 1))
Status lower_elu(Lowering& l) {
  const Expr x(l.build, l.math(0));
  const Expr alpha = number(l, 1, 1), scale = number(l, 2, 1), input_scale = number(l, 3, 1);
  return l.result(select(x > 0.0, x * scale, (x * input_scale).apply(ActFn::expm1) * (alpha * scale)));
}

Expr clamped_to_six(Expr x) { return minimum(maximum(x + 3.0, x.same(0)), x.same(6)); }

Status lower_hardswish(Lowering& l) {
  const Expr x(l.build, l.math(0));
  return l.result(x * clamped_to_six(x) / 6.0);
}

Status lower_hardsigmoid(Lowering& l) {
  const Expr x(l.build, l.math(0));
  return l.result(clamped_to_six(x) / 6.0);
}

// The first half times the sigmoid of the second.
Status lower_glu(Lowering& l) {
  const Expr x(l.build, l.math(0));
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1, -1), l.build.rank(x)));
  const int64_t half = l.build.size(x, dim) / 2;
  const Expr a(l.build, l.build.slice_dim(x, dim, 0, half)), b(l.build, l.build.slice_dim(x, dim, half, half));
  return l.result(a * sigmoid(b));
}

// The second result is exp(-|x|), or nothing at all on some devices; the backward here does not read it.
Status lower_log_sigmoid(Lowering& l) {
  const Expr x(l.build, l.math(0));
  LW_RETURN_IF_ERROR(l.result(0, (x * -1.0).apply(ActFn::softplus) * -1.0));
  if (!l.wanted(1)) return ok_status();
  if (l.meta(1).sizes != l.build.shape(x)) return l.result(1, l.build.constant(l.meta(1).dtype, 0, l.meta(1).sizes));
  return l.result(1, exp(abs(x) * -1.0));
}

// native_dropout(self, p, train?): result and mask. Random numbers are not made here; without any it is a copy.
Status lower_dropout(Lowering& l) {
  const bool idle = (l.given(2) && !l.boolean(2)) || l.literal(1) == 0;
  if (!idle) return l.unsupported("random numbers are not made by programs");
  LW_RETURN_IF_ERROR(l.result(0, l.tensor(0)));
  return l.wanted(1) ? l.result(1, l.build.constant(DType::b8, 1, l.meta(1).sizes)) : ok_status();
}

constexpr Row kRows[] = {
    {"aten::_prelu_kernel", "tensor tensor", lower_prelu},
    {"aten::elu", "tensor | number number number", lower_elu},
    {"aten::gelu", "tensor | string", lower_gelu},
    {"aten::glu", "tensor | int", lower_glu},
    {"aten::hardsigmoid", "tensor", lower_hardsigmoid},
    {"aten::hardswish", "tensor", lower_hardswish},
    {"aten::hardtanh", "tensor | number number", lower_hardtanh},
    {"aten::leaky_relu", "tensor | number", lower_leaky_relu},
    {"aten::log_sigmoid_forward", "tensor", lower_log_sigmoid},
    {"aten::mish", "tensor", lower_function<ActFn::mish>},
    {"aten::native_dropout", "tensor number bool?", lower_dropout},
    {"aten::relu", "tensor", lower_relu},
    {"aten::sigmoid", "tensor", lower_function<ActFn::sigmoid>},
    {"aten::silu", "tensor", lower_function<ActFn::silu>},
    {"aten::softplus", "tensor | number number", lower_softplus},
};

}  // namespace

std::span<const Row> activation_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
