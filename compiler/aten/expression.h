// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Formulas of the lowerings as they are written on paper. A number in a formula becomes a constant of the other
// operand's dtype; a number that is exactly neutral (x * 1, x + 0 of integers) is still an op: passes fold it.
#pragma once

#include "compiler/ir/builder.h"

namespace lanewise::compiler::aten {

struct Expr {
  ir::Builder* build;
  ir::ValueId id;

  Expr(ir::Builder& builder, ir::ValueId value) : build(&builder), id(value) {}
  operator ir::ValueId() const { return id; }   // NOLINT: an Expr is the value it stands for

  Expr same(double value) const {
    return {*build, build->constant(build->dtype(id), value, ir::Shape(build->shape(id).size(), 1))};
  }
  Expr with(isa::AluOp alu, Expr other) const { return {*build, build->binary(alu, id, other.id)}; }
  Expr apply(isa::ActFn fn) const { return {*build, build->unary(fn, id)}; }
  Expr reduced(isa::AluOp alu, const std::vector<int64_t>& dims) const { return {*build, build->reduce(alu, id, dims)}; }
  Expr as(isa::DType dtype) const { return {*build, build->convert(id, dtype)}; }
};

#define LW_EXPR_OPERATOR(symbol, alu)                                                        \
  inline Expr operator symbol(Expr a, Expr b) { return a.with(isa::AluOp::alu, b); }         \
  inline Expr operator symbol(Expr a, double b) { return a.with(isa::AluOp::alu, a.same(b)); } \
  inline Expr operator symbol(double a, Expr b) { return b.same(a).with(isa::AluOp::alu, b); }
LW_EXPR_OPERATOR(+, add)
LW_EXPR_OPERATOR(-, subtract)
LW_EXPR_OPERATOR(*, multiply)
LW_EXPR_OPERATOR(/, divide)
LW_EXPR_OPERATOR(<, less)
LW_EXPR_OPERATOR(<=, less_equal)
LW_EXPR_OPERATOR(>, greater)
LW_EXPR_OPERATOR(>=, greater_equal)
LW_EXPR_OPERATOR(==, equal)
LW_EXPR_OPERATOR(!=, not_equal)
LW_EXPR_OPERATOR(&&, logical_and)
LW_EXPR_OPERATOR(||, logical_or)
#undef LW_EXPR_OPERATOR

inline Expr abs(Expr x) { return x.apply(isa::ActFn::abs); }
inline Expr exp(Expr x) { return x.apply(isa::ActFn::exp); }
inline Expr log(Expr x) { return x.apply(isa::ActFn::log); }
inline Expr sqrt(Expr x) { return x.apply(isa::ActFn::sqrt); }
inline Expr rsqrt(Expr x) { return x.apply(isa::ActFn::rsqrt); }
inline Expr tanh(Expr x) { return x.apply(isa::ActFn::tanh); }
inline Expr sigmoid(Expr x) { return x.apply(isa::ActFn::sigmoid); }
inline Expr maximum(Expr a, Expr b) { return a.with(isa::AluOp::maximum, b); }
inline Expr minimum(Expr a, Expr b) { return a.with(isa::AluOp::minimum, b); }
// predicate ? yes : no
inline Expr select(Expr predicate, Expr yes, Expr no) { return {*yes.build, yes.build->select(predicate, yes, no)}; }

}  // namespace lanewise::compiler::aten
