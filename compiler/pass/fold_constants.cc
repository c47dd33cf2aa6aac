// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on constants is done here, and ops that cannot change their operand go away. Exact: the result has the
// same bits as the op would have computed. x + 0 stays for floating point, since it turns -0 into 0.
#include <cmath>

#include "compiler/ir/number.h"
#include "compiler/ir/scalar_math.h"
#include "compiler/pass/pass.h"
#include "compiler/pass/rewrite.h"
#include "isa/table.h"

namespace lanewise::compiler::pass {
namespace {

using isa::AluOp;
using isa::DType;

bool is_constant(const Op& op) { return op.kind == OpKind::constant; }
bool is_uniform(const Op& op) { return op.kind == OpKind::constant || op.kind == OpKind::parameter; }

ValueId constant_like(ir::Builder& build, const Op& op, double f, int64_t i) {
  return isa::is_float(op.dtype) ? build.constant(op.dtype, f, op.shape) : build.constant_integer(op.dtype, i, op.shape);
}

ValueId fold_binary(ir::Builder& build, const Op& op, const Op& a, const Op& b) {
  if (!isa::is_float(a.dtype)) return constant_like(build, op, 0, ir::apply(op.alu, a.ivalue, b.ivalue));
  const float x = ir::round_to(a.dtype, a.fvalue), y = ir::round_to(b.dtype, b.fvalue);
  const float value = ir::apply(op.alu, x, y);
  return constant_like(build, op, value, value != 0);
}

ValueId fold_convert(ir::Builder& build, const Op& op, const Op& from) {
  if (isa::is_float(from.dtype)) {
    const float value = ir::round_to(from.dtype, from.fvalue);
    return constant_like(build, op, value, ir::truncate_to(op.dtype, value));
  }
  return constant_like(build, op, static_cast<float>(from.ivalue), from.ivalue);
}

bool holds(const Op& constant, double value) {
  return isa::is_float(constant.dtype) ? constant.fvalue == value : static_cast<double>(constant.ivalue) == value;
}

// The constant that makes `x op constant` x; nothing when there is none.
std::optional<double> neutral(const Op& op, DType dtype) {
  switch (op.alu) {
    case AluOp::multiply:
    case AluOp::divide: return 1.0;
    case AluOp::subtract: return 0.0;
    case AluOp::add: return isa::is_float(dtype) ? std::nullopt : std::optional<double>(0.0);
    default: return std::nullopt;
  }
}

bool commutes(AluOp alu) { return alu == AluOp::multiply || alu == AluOp::add; }

std::optional<ValueId> simplify_binary(ir::Builder& build, const Op& op) {
  const Op a = build.op(op.operands[0]), b = build.op(op.operands[1]);
  if (is_constant(a) && is_constant(b)) return fold_binary(build, op, a, b);
  const auto value = neutral(op, a.dtype);
  if (!value) return std::nullopt;
  // x - 0 keeps x only for +0; a narrow dtype would round again, which changes nothing.
  const auto is_neutral = [&](const Op& c) { return is_constant(c) && holds(c, *value) && !(*value == 0 && std::signbit(c.fvalue)); };
  if (is_neutral(b) && a.shape == op.shape) return op.operands[0];
  if (commutes(op.alu) && is_neutral(a) && b.shape == op.shape) return op.operands[1];
  return std::nullopt;
}

std::optional<ValueId> simplify_select(ir::Builder& build, const Op& op) {
  const Op& predicate = build.op(op.operands[0]);
  ValueId chosen = op.operands[1];
  if (is_constant(predicate)) {
    chosen = op.operands[predicate.ivalue ? 1 : 2];
  } else if (op.operands[1] != op.operands[2]) {
    return std::nullopt;
  }
  return build.broadcast(chosen, op.shape);
}

// Reducing a dimension of size 1 changes nothing.
std::optional<ValueId> simplify_reduce(const ir::Builder& build, const Op& op) {
  return build.op(op.operands[0]).shape == op.shape ? std::optional<ValueId>(op.operands[0]) : std::nullopt;
}

std::optional<ValueId> simplify(ir::Builder& build, const Op& op) {
  if (op.operands.empty()) return std::nullopt;
  const Op first = build.op(op.operands[0]);
  switch (op.kind) {
    case OpKind::unary:
      if (!is_constant(first)) return std::nullopt;
      if (!isa::is_float(op.dtype)) return constant_like(build, op, 0, ir::apply(op.fn, first.ivalue));
      return constant_like(build, op, ir::apply(op.fn, ir::round_to(first.dtype, first.fvalue)), 0);
    case OpKind::binary: return simplify_binary(build, op);
    case OpKind::select: return simplify_select(build, op);
    case OpKind::reduce: return simplify_reduce(build, op);
    case OpKind::convert:
      return is_constant(first) ? std::optional<ValueId>(fold_convert(build, op, first)) : std::nullopt;
    case OpKind::reshape:
    case OpKind::permute:
    case OpKind::broadcast:
    case OpKind::slice: {
      if (!is_uniform(first)) return std::nullopt;
      Op uniform = first;
      uniform.shape = op.shape;
      return build.add(std::move(uniform));
    }
    default: return std::nullopt;
  }
}

}  // namespace

Status fold_constants(ir::Module& module) {
  rewrite(module, [](ir::Builder& build, const Op& op, ValueId) { return simplify(build, op); });
  return ok_status();
}

}  // namespace lanewise::compiler::pass
