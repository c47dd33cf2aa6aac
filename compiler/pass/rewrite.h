// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One walk over a module that builds its successor.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/builder.h"
#include "compiler/ir/module.h"

namespace lanewise::compiler::pass {

using ir::Op;
using ir::OpKind;
using ir::Shape;
using ir::ValueId;

// `replace(builder, op, old)` gets each op with its operands already renumbered and answers the value that stands for
// it, or nothing to keep the op. What it builds carries the op's ATen name and node.
template <typename Replace>
void rewrite(ir::Module& module, Replace&& replace) {
  ir::Module result;
  result.ops.reserve(module.ops.size());
  result.parameters = module.parameters;
  ir::Builder builder(result);
  std::vector<ValueId> now(module.ops.size());
  for (size_t old = 0; old < module.ops.size(); ++old) {
    Op op = module.ops[old];
    for (ValueId& operand : op.operands) operand = now[operand];
    builder.set_origin(op.aten, op.aten_node);
    const std::optional<ValueId> value = replace(builder, op, static_cast<ValueId>(old));
    now[old] = value ? *value : builder.add(std::move(op));
  }
  module.ops = std::move(result.ops);
  for (ir::Store& store : module.stores) store.value = now[store.value];
}

// How often each value is an operand or stored.
std::vector<int32_t> count_uses(const ir::Module& module);

bool is_view(OpKind kind);   // reshape, permute, broadcast, slice

}  // namespace lanewise::compiler::pass
