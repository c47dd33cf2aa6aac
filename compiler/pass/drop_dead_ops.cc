// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops that no store depends on go away, inputs too: their buffers stay bound (Module::inputs counts them) and unread.
#include "compiler/pass/pass.h"

namespace lanewise::compiler::pass {

Status drop_dead_ops(ir::Module& module) {
  std::vector<bool> live(module.ops.size(), false);
  for (const ir::Store& store : module.stores) live[store.value] = true;
  for (size_t i = module.ops.size(); i-- > 0;) {
    if (!live[i]) continue;
    for (const int32_t operand : module.ops[i].operands) live[operand] = true;
  }
  std::vector<int32_t> now(module.ops.size(), -1);
  std::vector<ir::Op> kept;
  for (size_t i = 0; i < module.ops.size(); ++i) {
    if (!live[i]) continue;
    now[i] = static_cast<int32_t>(kept.size());
    kept.push_back(std::move(module.ops[i]));
    for (int32_t& operand : kept.back().operands) operand = now[operand];
  }
  module.ops = std::move(kept);
  for (ir::Store& store : module.stores) store.value = now[store.value];
  return ok_status();
}

}  // namespace lanewise::compiler::pass
