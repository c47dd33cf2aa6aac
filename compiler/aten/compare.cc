// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons, logic, bits, and choosing by a predicate. Operands of a comparison are first rounded to their promoted
// dtype, numbers too.
#include <cmath>

#include "compiler/aten/expression.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::ActFn;
using isa::AluOp;

template <AluOp alu>
Status lower_compare(Lowering& l) {
  const DType promoted = l.promoted({0, 1});
  const ValueId a = l.operand(0, promoted), b = l.operand(1, promoted);
  return l.result(l.build.binary(alu, a, b));
}

Status lower_logical_not(Lowering& l) { return l.result(l.build.logical_not(l.math(0))); }

template <AluOp alu>
Status lower_bitwise(Lowering& l) {
  const DType promoted = l.promoted({0, 1});
  if (isa::is_float(promoted)) return l.wrong("is for integers and bool");
  const ValueId a = l.operand(0, promoted), b = l.operand(1, promoted);
  return l.result(l.build.binary(alu, a, b));
}

Status lower_bitwise_not(Lowering& l) {
  const Expr x(l.build, l.tensor(0));
  const DType dtype = l.build.dtype(x);
  if (isa::is_float(dtype)) return l.wrong("is for integers and bool");
  return l.result(dtype == DType::b8 ? l.build.logical_not(x) : ValueId(x.with(AluOp::bitwise_xor, x.same(-1))));
}

// The value in the result's dtype; the select broadcasts.
ValueId branch(Lowering& l, size_t i, DType dtype) {
  return l.is_tensor(i) ? l.build.convert(l.tensor(i), dtype) : l.number(i, dtype);
}

Status lower_where(Lowering& l) {
  const DType dtype = l.meta().dtype;
  const ValueId predicate = l.build.convert(l.tensor(0), DType::b8);
  const ValueId yes = branch(l, 1, dtype), no = branch(l, 2, dtype);
  return l.result(l.build.broadcast(l.build.select(predicate, yes, no), l.meta().sizes));
}

Status lower_masked_fill(Lowering& l) {
  const DType dtype = l.meta().dtype;
  const ValueId self = l.build.convert(l.tensor(0), dtype), value = branch(l, 2, dtype);
  return l.result(l.build.select(l.build.convert(l.tensor(1), DType::b8), value, self));
}

Status lower_isnan(Lowering& l) {
  const Expr x(l.build, l.math(0));
  return l.result(x != x);
}

// Integers are never infinite.
Status lower_isinf(Lowering& l) {
  const Expr x(l.build, l.math(0));
  if (!isa::is_float(l.build.dtype(x))) return l.result(l.build.constant(DType::b8, 0, l.meta().sizes));
  return l.result(abs(x) == INFINITY);
}

Status lower_isfinite(Lowering& l) {
  const Expr x(l.build, l.math(0));
  if (!isa::is_float(l.build.dtype(x))) return l.result(l.build.constant(DType::b8, 1, l.meta().sizes));
  return l.result(abs(x) < INFINITY);   // not of NaN
}

// clamp(self, min?, max?): a NaN in any of them stays.
Status lower_clamp(Lowering& l) {
  std::vector<size_t> given{0};
  for (const size_t i : {1, 2}) {
    if (l.given(i)) given.push_back(i);
  }
  const DType promoted = l.promoted(given);
  ValueId x = l.operand(0, promoted);
  if (l.given(1)) x = l.build.binary(AluOp::maximum, x, l.operand(1, promoted));
  if (l.given(2)) x = l.build.binary(AluOp::minimum, x, l.operand(2, promoted));
  return l.result(x);
}

template <AluOp alu>
Status lower_clamp_one_side(Lowering& l) {
  const DType promoted = l.promoted({0, 1});
  const ValueId a = l.operand(0, promoted), b = l.operand(1, promoted);
  return l.result(l.build.binary(alu, a, b));
}

// nan_to_num(self, nan?, posinf?, neginf?): 0 and the dtype's largest and lowest numbers when not given.
Status lower_nan_to_num(Lowering& l) {
  const DType dtype = l.build.dtype(l.tensor(0));
  if (!isa::is_float(dtype)) return l.result(l.tensor(0));
  const double most = dtype == DType::f32 ? 3.4028234663852886e38 : dtype == DType::bf16 ? 3.3895313892515355e38 : 65504;
  if (dtype == DType::f8e4m3 || dtype == DType::f8e5m2) return l.unsupported("f8 is not served");
  const Expr x(l.build, l.math(0));
  const Expr nan(l.build, l.number_or(1, 0, DType::f32)), high(l.build, l.number_or(2, most, DType::f32)), low(l.build, l.number_or(3, -most, DType::f32));
  return l.result(select(x != x, nan, select(x == INFINITY, high, select(x == -INFINITY, low, x))));
}

// threshold(self, threshold, value)
Status lower_threshold(Lowering& l) {
  const Expr x(l.build, l.math(0));
  const DType dtype = l.build.dtype(x);
  const Expr limit(l.build, l.number(1, dtype)), value(l.build, l.number(2, dtype));
  return l.result(select(x <= limit, value, x));
}

constexpr Row kRows[] = {
    {"aten::bitwise_and.Scalar", "tensor number", lower_bitwise<AluOp::bitwise_and>},
    {"aten::bitwise_and.Tensor", "operand operand", lower_bitwise<AluOp::bitwise_and>},
    {"aten::bitwise_not", "tensor", lower_bitwise_not},
    {"aten::bitwise_or.Scalar", "tensor number", lower_bitwise<AluOp::bitwise_or>},
    {"aten::bitwise_or.Tensor", "operand operand", lower_bitwise<AluOp::bitwise_or>},
    {"aten::bitwise_xor.Scalar", "tensor number", lower_bitwise<AluOp::bitwise_xor>},
    {"aten::bitwise_xor.Tensor", "operand operand", lower_bitwise<AluOp::bitwise_xor>},
    {"aten::clamp", "tensor | number? number?", lower_clamp},
    {"aten::clamp.Tensor", "tensor | tensor? tensor?", lower_clamp},
    {"aten::clamp_max", "tensor number", lower_clamp_one_side<AluOp::minimum>},
    {"aten::clamp_max.Tensor", "tensor operand", lower_clamp_one_side<AluOp::minimum>},
    {"aten::clamp_min", "tensor number", lower_clamp_one_side<AluOp::maximum>},
    {"aten::clamp_min.Tensor", "tensor operand", lower_clamp_one_side<AluOp::maximum>},
    {"aten::eq.Scalar", "tensor number", lower_compare<AluOp::equal>},
    {"aten::eq.Tensor", "operand operand", lower_compare<AluOp::equal>},
    {"aten::ge.Scalar", "tensor number", lower_compare<AluOp::greater_equal>},
    {"aten::ge.Tensor", "operand operand", lower_compare<AluOp::greater_equal>},
    {"aten::gt.Scalar", "tensor number", lower_compare<AluOp::greater>},
    {"aten::gt.Tensor", "operand operand", lower_compare<AluOp::greater>},
    {"aten::isfinite", "tensor", lower_isfinite},
    {"aten::isinf", "tensor", lower_isinf},
    {"aten::isnan", "tensor", lower_isnan},
    {"aten::le.Scalar", "tensor number", lower_compare<AluOp::less_equal>},
    {"aten::le.Tensor", "operand operand", lower_compare<AluOp::less_equal>},
    {"aten::logical_and", "operand operand", lower_compare<AluOp::logical_and>},
    {"aten::logical_not", "tensor", lower_logical_not},
    {"aten::logical_or", "operand operand", lower_compare<AluOp::logical_or>},
    {"aten::logical_xor", "operand operand", lower_compare<AluOp::logical_xor>},
    {"aten::lt.Scalar", "tensor number", lower_compare<AluOp::less>},
    {"aten::lt.Tensor", "operand operand", lower_compare<AluOp::less>},
    {"aten::masked_fill.Scalar", "tensor tensor number", lower_masked_fill},
    {"aten::masked_fill.Tensor", "tensor tensor operand", lower_masked_fill},
    {"aten::nan_to_num", "tensor | number? number? number?", lower_nan_to_num},
    {"aten::ne.Scalar", "tensor number", lower_compare<AluOp::not_equal>},
    {"aten::ne.Tensor", "operand operand", lower_compare<AluOp::not_equal>},
    {"aten::threshold", "tensor number number", lower_threshold},
    {"aten::where.Scalar", "tensor number number", lower_where},
    {"aten::where.ScalarOther", "tensor operand number", lower_where},
    {"aten::where.ScalarSelf", "tensor number operand", lower_where},
    {"aten::where.self", "tensor operand operand", lower_where},
};

}  // namespace

std::span<const Row> compare_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
