// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Pointwise ops and the batch dimensions of matmul repeat operands by themselves, so a broadcast before one goes away.
// What then has fewer elements than before is computed small and broadcast afterwards, where the next user drops it.
// Constants and run-time parameters are one element for the same reason.
#include "compiler/pass/pass.h"
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {
namespace {

bool is_pointwise(OpKind kind) {
  return kind == OpKind::unary || kind == OpKind::binary || kind == OpKind::select || kind == OpKind::convert;
}

// The smallest value that broadcasts to `value`.
ValueId shrunk(ir::Builder& build, ValueId value) {
  while (build.op(value).kind == OpKind::broadcast) value = build.op(value).operands[0];
  Op op = build.op(value);
  const Shape one(op.shape.size(), 1);
  if ((op.kind != OpKind::constant && op.kind != OpKind::parameter) || op.shape == one) return value;
  op.shape = one;
  return build.add(std::move(op));
}

std::optional<ValueId> smaller_pointwise(ir::Builder& build, Op op) {
  bool changed = false;
  Shape natural(op.shape.size(), 1);
  for (ValueId& operand : op.operands) {
    const ValueId before = operand;
    operand = shrunk(build, operand);
    changed = changed || operand != before;
    natural = ir::broadcast_shape(natural, build.shape(operand));
  }
  if (!changed) return std::nullopt;
  Shape whole = op.shape;
  op.shape = natural;
  return build.broadcast(build.add(std::move(op)), std::move(whole));
}

// An operand may lose a broadcast of batch dimensions that the other operand has in full.
std::optional<ValueId> smaller_matmul(ir::Builder& build, Op op) {
  bool changed = false;
  for (size_t i = 0; i < 2; ++i) {
    const Op repeated = build.op(op.operands[i]);
    if (repeated.kind != OpKind::broadcast) continue;
    const Shape small = build.shape(repeated.operands[0]), other = build.shape(op.operands[1 - i]);
    bool batch_only = true;
    for (size_t d = 0; d < small.size(); ++d) {
      if (small[d] == repeated.shape[d]) continue;
      batch_only = batch_only && d + 2 < small.size() && other[d] == op.shape[d];
    }
    if (!batch_only) continue;
    op.operands[i] = repeated.operands[0];
    changed = true;
  }
  return changed ? std::optional<ValueId>(build.add(std::move(op))) : std::nullopt;
}

}  // namespace

Status drop_broadcasts(ir::Module& module) {
  rewrite(module, [](ir::Builder& build, const Op& op, ValueId) -> std::optional<ValueId> {
    if (is_pointwise(op.kind)) return smaller_pointwise(build, op);
    return op.kind == OpKind::matmul ? smaller_matmul(build, op) : std::nullopt;
  });
  return ok_status();
}

}  // namespace lanewise::compiler::pass
