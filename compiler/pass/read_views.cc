// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A view of an input becomes part of the read: another `input` op of the same number with its own shape, strides and
// offset. A reshape only where strides can say it (as for a view in PyTorch):
//
//   input [4,6]{6,1}  reshape [4,2,3]  ->  input [4,2,3]{6,3,1}       splitting a dimension
//   input [4,6]{6,1}  reshape [24]     ->  input [24]{1}              joining neighbours that are one run
//   input [4,6]{1,4}  reshape [24]         stays a reshape            not one run
//
// Broadcasts stay: an operand that is read once and repeated on chip is cheaper than one that is read repeatedly.
#include "compiler/pass/pass.h"
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {
namespace {

// Strides of `shape` over the elements of a tensor with `from` and `strides`, if there are any.
std::optional<std::vector<int64_t>> reshaped_strides(const Shape& from, const std::vector<int64_t>& strides, const Shape& shape) {
  std::vector<int64_t> result(shape.size(), 1);
  size_t to = shape.size();
  // From the last dimension on: gather a run of the old dimensions that is dense in itself, and spread new dimensions
  // over it.
  for (size_t d = from.size(); d-- > 0;) {
    if (from[d] == 1) continue;
    const int64_t innermost = strides[d];
    int64_t run = from[d];
    while (d > 0 && (from[d - 1] == 1 || strides[d - 1] == run * innermost)) {
      --d;
      run *= from[d];
    }
    int64_t covered = 1;
    while (to > 0 && covered < run) {
      --to;
      result[to] = innermost * covered;
      covered *= shape[to];
    }
    if (covered != run) return std::nullopt;
  }
  while (to > 0) {
    if (shape[--to] != 1) return std::nullopt;
  }
  return result;
}

std::optional<Op> viewed(Op input, const Op& view) {
  switch (view.kind) {
    case OpKind::reshape: {
      auto strides = reshaped_strides(input.shape, input.strides, view.shape);
      if (!strides) return std::nullopt;
      input.strides = std::move(*strides);
      break;
    }
    case OpKind::permute: {
      std::vector<int64_t> strides;
      for (const int64_t d : view.dims) strides.push_back(input.strides[d]);
      input.strides = std::move(strides);
      break;
    }
    case OpKind::slice:
      for (size_t d = 0; d < view.starts.size(); ++d) {
        input.offset += view.starts[d] * input.strides[d];
        input.strides[d] *= view.steps[d];
      }
      break;
    default: return std::nullopt;
  }
  input.shape = view.shape;
  return input;
}

}  // namespace

Status read_views(ir::Module& module) {
  rewrite(module, [](ir::Builder& build, const Op& op, ValueId) -> std::optional<ValueId> {
    if (op.operands.empty() || op.elements() == 0) return std::nullopt;
    const Op& from = build.op(op.operands[0]);
    if (from.kind != OpKind::input) return std::nullopt;
    auto input = viewed(from, op);
    if (!input) return std::nullopt;
    return build.add(std::move(*input));
  });
  return ok_status();
}

}  // namespace lanewise::compiler::pass
