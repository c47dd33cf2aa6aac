// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Two conversions in a row become one where the first loses nothing that the second would have kept: widening first, or
// integers that only wrap. Exact.
#include "compiler/pass/pass.h"
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {
namespace {

using isa::DType;

// Every value of `a` is a value of `b`.
bool holds_all(DType b, DType a) {
  if (a == b || a == DType::b8) return true;
  if (isa::is_float(a)) {
    if (b == DType::f32) return true;
    // f8e5m2 has f16's exponent and fewer digits; f8e4m3 fits into both half types.
    return (b == DType::f16 || b == DType::bf16) && (a == DType::f8e5m2 || a == DType::f8e4m3);
  }
  if (isa::is_float(b)) {
    const bool eight_bits = a == DType::i8 || a == DType::u8;
    return b == DType::f32 ? eight_bits || a == DType::i16 : (b == DType::bf16 || b == DType::f16) && eight_bits;
  }
  if (b == DType::b8) return false;
  const bool grows = isa::dtype_bytes(b) > isa::dtype_bytes(a);
  return grows && (b != DType::u8);
}

// Wrapping twice is wrapping once.
bool only_wraps(DType from, DType through, DType to) {
  const auto wraps = [](DType t) { return isa::is_integer(t) && t != DType::b8; };
  return wraps(from) && wraps(through) && wraps(to) && isa::dtype_bytes(to) <= isa::dtype_bytes(through);
}

}  // namespace

Status merge_converts(ir::Module& module) {
  rewrite(module, [](ir::Builder& build, const Op& op, ValueId) -> std::optional<ValueId> {
    if (op.kind != OpKind::convert) return std::nullopt;
    ValueId from = op.operands[0];
    bool changed = false;
    while (build.op(from).kind == OpKind::convert) {
      const Op& first = build.op(from);
      const DType before = build.op(first.operands[0]).dtype;
      if (!holds_all(first.dtype, before) && !only_wraps(before, first.dtype, op.dtype)) break;
      from = first.operands[0];
      changed = true;
    }
    const bool nothing = build.op(from).dtype == op.dtype;
    if (!changed && !nothing) return std::nullopt;
    if (nothing) return build.broadcast(from, op.shape);
    Op merged = op;
    merged.operands = {from};
    return build.add(std::move(merged));
  });
  return ok_status();
}

}  // namespace lanewise::compiler::pass
