// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, element by element, with broadcasting and type promotion.
#include "compiler/aten/expression.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::ActFn;
using isa::AluOp;

bool is_literal(const Lowering& l, size_t i, double value) {
  return !l.is_tensor(i) && l.literal(i) == value;
}

// Sum and product of bools are `or` and `and`.
AluOp on_bools(AluOp alu) {
  switch (alu) {
    case AluOp::add:
    case AluOp::maximum: return AluOp::logical_or;
    case AluOp::multiply:
    case AluOp::minimum: return AluOp::logical_and;
    default: return AluOp::none;
  }
}

template <AluOp alu>
Status lower_binary(Lowering& l) {
  const DType promoted = l.promoted({0, 1});
  const AluOp actual = promoted == DType::b8 ? on_bools(alu) : alu;
  if (actual == AluOp::none) return l.unsupported("not defined for bool");
  const ValueId a = l.operand(0, promoted, true), b = l.operand(1, promoted, true);
  return l.result(l.build.binary(actual, a, b));
}

// a + alpha * b, a - alpha * b
Status scaled_sum(Lowering& l, AluOp alu, size_t a, size_t b) {
  const DType promoted = l.promoted({0, 1});
  if (promoted == DType::b8) {
    if (alu != AluOp::add) return l.unsupported("not defined for bool");
    if (!l.given(2) || is_literal(l, 2, 1)) return lower_binary<AluOp::add>(l);
    const ValueId first = l.operand(a, promoted), second = l.operand(b, promoted), alpha = l.number(2, promoted);
    return l.result(l.build.binary(AluOp::logical_or, first, l.build.binary(AluOp::logical_and, second, alpha)));
  }
  const ValueId whole = l.operand(a, promoted, true);
  ValueId scaled = l.operand(b, promoted, true);
  if (l.given(2) && !is_literal(l, 2, 1)) {
    scaled = l.build.binary(AluOp::multiply, scaled, l.number(2, math_dtype(promoted)));
  }
  return l.result(l.build.binary(alu, whole, scaled));
}

Status lower_add(Lowering& l) { return scaled_sum(l, AluOp::add, 0, 1); }
Status lower_sub(Lowering& l) { return scaled_sum(l, AluOp::subtract, 0, 1); }
Status lower_rsub(Lowering& l) { return scaled_sum(l, AluOp::subtract, 1, 0); }

// True division: of integers in f32.
Status lower_div(Lowering& l) {
  const DType promoted = l.promoted({0, 1});
  const DType dtype = isa::is_float(promoted) ? promoted : DType::f32;
  const ValueId a = l.operand(0, dtype, true), b = l.operand(1, dtype, true);
  return l.result(l.build.binary(AluOp::divide, a, b));
}

Status divide_rounded(Lowering& l, bool floor) {
  const DType promoted = l.promoted({0, 1});
  if (promoted == DType::b8) return l.unsupported("not defined for bool");
  const ValueId a = l.operand(0, promoted, true), b = l.operand(1, promoted, true);
  if (floor) return l.result(l.build.binary(AluOp::floor_divide, a, b));
  const ValueId quotient = l.build.binary(AluOp::divide, a, b);   // of integers: truncates
  if (isa::is_integer(promoted)) return l.result(quotient);
  // PyTorch rounds the quotient of half types to their dtype before it truncates.
  const ValueId rounded = l.build.convert(l.build.convert(quotient, promoted, true), DType::f32);
  return l.result(l.build.unary(ActFn::trunc, rounded));
}

Status lower_div_mode(Lowering& l) {
  if (!l.given(2)) return lower_div(l);
  const std::string mode = l.text(2);
  if (mode != "floor" && mode != "trunc") return l.wrong("rounding_mode is none, 'trunc' or 'floor', not '" + mode + "'");
  return divide_rounded(l, mode == "floor");
}

Status lower_floor_divide(Lowering& l) { return divide_rounded(l, true); }

// Exponents that are one cheap function, as in PyTorch; everything else is the general power.
Status lower_pow(Lowering& l) {
  const DType promoted = l.promoted({0, 1});
  if (promoted == DType::b8) return l.unsupported("not defined for bool");
  const auto exponent = l.is_tensor(1) ? std::nullopt : l.literal(1);
  if (!exponent || !l.is_tensor(0)) {
    return l.result(l.build.binary(AluOp::power, l.operand(0, promoted), l.operand(1, promoted, true)));
  }
  const Expr x(l.build, l.operand(0, promoted));
  if (!isa::is_float(promoted) && *exponent < 0) return l.wrong("integers to negative integer powers are not allowed");
  if (*exponent == 1) return l.result(x);
  if (*exponent == 2) return l.result(x * x);
  if (*exponent == 3) return l.result(x * x * x);
  if (isa::is_float(promoted)) {
    if (*exponent == 0.5) return l.result(sqrt(x));
    if (*exponent == -0.5) return l.result(rsqrt(x));
    if (*exponent == -1) return l.result(x.apply(ActFn::reciprocal));
    if (*exponent == -2) return l.result((x * x).apply(ActFn::reciprocal));
  }
  return l.result(l.build.binary(AluOp::power, x, l.operand(1, promoted, true)));
}

// A function of floating point; integers and bool are taken to f32.
template <ActFn fn>
Status lower_unary(Lowering& l) {
  return l.result(l.build.unary(fn, l.build.convert(l.tensor(0), DType::f32)));
}

// Rounding an integer changes nothing.
template <ActFn fn>
Status lower_rounding(Lowering& l) {
  return isa::is_float(l.build.dtype(l.tensor(0))) ? lower_unary<fn>(l) : l.result(l.tensor(0));
}

template <ActFn fn>
Status lower_abs_or_sign(Lowering& l) {
  if (l.build.dtype(l.tensor(0)) == DType::b8) return l.result(l.tensor(0));
  return l.result(l.build.unary(fn, l.math(0)));
}

Status lower_neg(Lowering& l) {
  const Expr x(l.build, l.math(0));
  const DType dtype = l.build.dtype(x);
  if (dtype == DType::b8) return l.unsupported("not defined for bool");
  // 0 - x would lose the sign of a floating point zero.
  return l.result(isa::is_float(dtype) ? x * -1.0 : 0.0 - x);
}

Status lower_square(Lowering& l) {
  const Expr x(l.build, l.math(0));
  return l.result(x * x);
}

// What is after the point, with the sign of x.
Status lower_frac(Lowering& l) {
  const Expr x(l.build, l.math(0));
  if (!isa::is_float(l.build.dtype(x))) return l.unsupported("is for floating point");
  return l.result(x - x.apply(ActFn::trunc));
}

Status lower_log10(Lowering& l) {
  const Expr x(l.build, l.build.convert(l.tensor(0), DType::f32));
  return l.result(log(x) * 0.4342944819032518);
}

// |w| < 0.5 ? a + w * (b - a) : b + (w - 1) * (b - a), which ends exactly at both ends.
Status lower_lerp(Lowering& l) {
  const DType promoted = l.promoted({0, 1});
  const DType math = math_dtype(promoted);
  const Expr a(l.build, l.operand(0, promoted)), b(l.build, l.operand(1, promoted));
  const Expr w(l.build, l.is_tensor(2) ? l.build.convert(l.tensor(2), math) : l.number(2, math));
  if (!l.is_tensor(2) && l.literal(2)) {
    return l.result(std::abs(*l.literal(2)) < 0.5 ? a + w * (b - a) : b + (w - 1.0) * (b - a));
  }
  const Expr small = abs(w) < 0.5;
  return l.result(select(small, a, b) + select(small, w, w - 1.0) * (b - a));
}

// self + value * a * b, self + value * a / b
template <AluOp alu>
Status lower_addc(Lowering& l) {
  const DType promoted = l.promoted({0, 1, 2});
  if (promoted == DType::b8 || (alu == AluOp::divide && !isa::is_float(promoted))) return l.unsupported("not defined for this dtype");
  ValueId product = l.operand(1, promoted, true);
  if (l.given(3) && !is_literal(l, 3, 1)) product = l.build.binary(AluOp::multiply, product, l.number(3, math_dtype(promoted)));
  product = l.build.binary(alu, product, l.operand(2, promoted, true));
  return l.result(l.build.binary(AluOp::add, l.operand(0, promoted, true), product));
}

// |a| with the sign of b; 1 / b tells -0 from 0.
Status lower_copysign(Lowering& l) {
  const DType promoted = l.promoted({0, 1});
  const DType dtype = isa::is_float(promoted) ? promoted : DType::f32;
  const Expr a = abs(Expr(l.build, l.operand(0, dtype))), b(l.build, l.operand(1, dtype));
  return l.result(select((b < 0.0) || (1.0 / b < 0.0), a * -1.0, a));
}

constexpr Row kRows[] = {
    {"aten::abs", "tensor", lower_abs_or_sign<ActFn::abs>},
    {"aten::add.Scalar", "tensor number | number", lower_add},
    {"aten::add.Tensor", "operand operand | number", lower_add},
    {"aten::addcdiv", "tensor tensor tensor | number", lower_addc<AluOp::divide>},
    {"aten::addcmul", "tensor tensor tensor | number", lower_addc<AluOp::multiply>},
    {"aten::atan", "tensor", lower_unary<ActFn::atan>},
    {"aten::ceil", "tensor", lower_rounding<ActFn::ceil>},
    {"aten::copysign.Scalar", "tensor number", lower_copysign},
    {"aten::copysign.Tensor", "tensor operand", lower_copysign},
    {"aten::cos", "tensor", lower_unary<ActFn::cos>},
    {"aten::div.Scalar", "tensor number", lower_div},
    {"aten::div.Scalar_mode", "tensor number | string?", lower_div_mode},
    {"aten::div.Tensor", "operand operand", lower_div},
    {"aten::div.Tensor_mode", "operand operand | string?", lower_div_mode},
    {"aten::erf", "tensor", lower_unary<ActFn::erf>},
    {"aten::erfinv", "tensor", lower_unary<ActFn::erfinv>},
    {"aten::exp", "tensor", lower_unary<ActFn::exp>},
    {"aten::exp2", "tensor", lower_unary<ActFn::exp2>},
    {"aten::expm1", "tensor", lower_unary<ActFn::expm1>},
    {"aten::floor", "tensor", lower_rounding<ActFn::floor>},
    {"aten::floor_divide", "operand operand", lower_floor_divide},
    {"aten::floor_divide.Scalar", "tensor number", lower_floor_divide},
    {"aten::fmod.Scalar", "tensor number", lower_binary<AluOp::fmod>},
    {"aten::fmod.Tensor", "operand operand", lower_binary<AluOp::fmod>},
    {"aten::frac", "tensor", lower_frac},
    {"aten::lerp.Scalar", "tensor tensor number", lower_lerp},
    {"aten::lerp.Tensor", "tensor tensor tensor", lower_lerp},
    {"aten::log", "tensor", lower_unary<ActFn::log>},
    {"aten::log10", "tensor", lower_log10},
    {"aten::log1p", "tensor", lower_unary<ActFn::log1p>},
    {"aten::log2", "tensor", lower_unary<ActFn::log2>},
    {"aten::max.other", "operand operand", lower_binary<AluOp::maximum>},
    {"aten::maximum", "operand operand", lower_binary<AluOp::maximum>},
    {"aten::min.other", "operand operand", lower_binary<AluOp::minimum>},
    {"aten::minimum", "operand operand", lower_binary<AluOp::minimum>},
    {"aten::mul.Scalar", "tensor number", lower_binary<AluOp::multiply>},
    {"aten::mul.Tensor", "operand operand", lower_binary<AluOp::multiply>},
    {"aten::neg", "tensor", lower_neg},
    {"aten::pow.Scalar", "number tensor", lower_pow},
    {"aten::pow.Tensor_Scalar", "tensor number", lower_pow},
    {"aten::pow.Tensor_Tensor", "operand operand", lower_pow},
    {"aten::reciprocal", "tensor", lower_unary<ActFn::reciprocal>},
    {"aten::remainder.Scalar", "tensor number", lower_binary<AluOp::remainder>},
    {"aten::remainder.Scalar_Tensor", "number tensor", lower_binary<AluOp::remainder>},
    {"aten::remainder.Tensor", "operand operand", lower_binary<AluOp::remainder>},
    {"aten::round", "tensor", lower_rounding<ActFn::round>},
    {"aten::rsqrt", "tensor", lower_unary<ActFn::rsqrt>},
    {"aten::rsub.Scalar", "tensor number | number", lower_rsub},
    {"aten::rsub.Tensor", "operand operand | number", lower_rsub},
    {"aten::sgn", "tensor", lower_abs_or_sign<ActFn::sign>},
    {"aten::sign", "tensor", lower_abs_or_sign<ActFn::sign>},
    {"aten::sin", "tensor", lower_unary<ActFn::sin>},
    {"aten::sqrt", "tensor", lower_unary<ActFn::sqrt>},
    {"aten::square", "tensor", lower_square},
    {"aten::sub.Scalar", "tensor number | number", lower_sub},
    {"aten::sub.Tensor", "operand operand | number", lower_sub},
    {"aten::tan", "tensor", lower_unary<ActFn::tan>},
    {"aten::tanh", "tensor", lower_unary<ActFn::tanh>},
    {"aten::trunc", "tensor", lower_rounding<ActFn::trunc>},
};

}  // namespace

std::span<const Row> pointwise_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
