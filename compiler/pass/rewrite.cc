// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {

std::vector<int32_t> count_uses(const ir::Module& module) {
  std::vector<int32_t> uses(module.ops.size(), 0);
  for (const Op& op : module.ops) {
    for (const ValueId operand : op.operands) ++uses[operand];
  }
  for (const ir::Store& store : module.stores) ++uses[store.value];
  return uses;
}

bool is_view(OpKind kind) {
  return kind == OpKind::reshape || kind == OpKind::permute || kind == OpKind::broadcast || kind == OpKind::slice;
}

}  // namespace lanewise::compiler::pass
