// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A view of a view of the same kind becomes one view, and a view that changes nothing becomes its operand. A permutation
// that only moves dimensions of size 1 is a reshape, and merges as one.
#include <algorithm>

#include "compiler/pass/pass.h"
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {
namespace {

// Whether the dimensions with more than one element keep their order.
bool keeps_order(const Op& permute) {
  int64_t last = -1;
  for (size_t d = 0; d < permute.dims.size(); ++d) {
    if (permute.shape[d] == 1) continue;
    if (permute.dims[d] < last) return false;
    last = permute.dims[d];
  }
  return true;
}

ValueId simplified(ir::Builder& build, Op op) {
  if (op.kind == OpKind::permute && keeps_order(op)) {
    op.kind = OpKind::reshape;
    op.dims.clear();
  }
  const Op from = build.op(op.operands[0]);
  if (from.kind == op.kind) {
    switch (op.kind) {
      case OpKind::permute:
        for (int64_t& d : op.dims) d = from.dims[d];
        break;
      case OpKind::slice:
        for (size_t d = 0; d < op.starts.size(); ++d) {
          op.starts[d] = from.starts[d] + op.starts[d] * from.steps[d];
          op.steps[d] *= from.steps[d];
        }
        break;
      default: break;
    }
    op.operands = from.operands;
    return simplified(build, std::move(op));
  }
  switch (op.kind) {
    case OpKind::permute: return build.permute(op.operands[0], op.dims);
    case OpKind::slice: return build.slice(op.operands[0], op.starts, op.shape, op.steps);
    case OpKind::broadcast: return build.broadcast(op.operands[0], op.shape);
    default: return build.reshape(op.operands[0], op.shape);
  }
}

}  // namespace

Status merge_views(ir::Module& module) {
  rewrite(module, [](ir::Builder& build, const Op& op, ValueId) -> std::optional<ValueId> {
    if (!is_view(op.kind)) return std::nullopt;
    return simplified(build, op);
  });
  return ok_status();
}

}  // namespace lanewise::compiler::pass
