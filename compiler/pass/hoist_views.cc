// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Views and conversions change places:
//
//   reshape(convert(x))    -> convert(reshape(x))      so that the view meets the input it can become part of
//   convert(broadcast(x))  -> broadcast(convert(x))    so that the conversion (or function) runs on fewer elements
//
// A conversion with several users may be computed more than once; it costs no more than the read that it then fuses with.
#include "compiler/pass/pass.h"
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {
namespace {

// `view` applied to `x`, above all conversions that x went through.
ValueId lifted(ir::Builder& build, Op view, ValueId x) {
  const Op from = build.op(x);
  if (from.kind == OpKind::convert && build.op(from.operands[0]).shape == from.shape) {
    const ValueId inner = lifted(build, std::move(view), from.operands[0]);
    Op convert = from;
    convert.operands = {inner};
    convert.shape = build.shape(inner);
    return build.add(std::move(convert));
  }
  view.operands = {x};
  view.dtype = from.dtype;
  return build.add(std::move(view));
}

}  // namespace

Status hoist_views(ir::Module& module) {
  rewrite(module, [](ir::Builder& build, const Op& op, ValueId) -> std::optional<ValueId> {
    if (op.operands.empty()) return std::nullopt;
    const Op from = build.op(op.operands[0]);
    if (is_view(op.kind) && op.kind != OpKind::broadcast && from.kind == OpKind::convert) return lifted(build, op, op.operands[0]);
    const bool pointwise = op.kind == OpKind::convert || op.kind == OpKind::unary;
    if (!pointwise || from.kind != OpKind::broadcast) return std::nullopt;
    Op smaller = op;
    smaller.operands = {from.operands[0]};
    smaller.shape = build.shape(from.operands[0]);
    return build.broadcast(build.add(std::move(smaller)), op.shape);
  });
  return ok_status();
}

}  // namespace lanewise::compiler::pass
