// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/pass/column_reduction.h"

#include <algorithm>

#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {
namespace {

bool widens(const ir::Module& module, const Op& op) {
  return op.kind == OpKind::convert && op.dtype == isa::DType::f32 && isa::is_float(module.ops[op.operands[0]].dtype);
}

}  // namespace

std::optional<ColumnReduction> column_reduction(const std::vector<int64_t>& operand_shape, const std::vector<int64_t>& dims) {
  ColumnReduction r;
  for (size_t d = 0; d < operand_shape.size(); ++d) {
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) == dims.end()) {
      r.columns *= operand_shape[d];
    } else {
      if (r.columns != 1) return std::nullopt;
      r.rows *= operand_shape[d];
    }
  }
  return r;
}

std::vector<bool> in_memory(const ir::Module& module) {
  std::vector<bool> result(module.ops.size(), false);
  for (const ir::Store& store : module.stores) result[store.value] = true;
  for (size_t n = module.ops.size(); n-- > 0;) {
    const Op& op = module.ops[n];
    const bool reads_memory = op.kind == OpKind::matmul || op.kind == OpKind::gather;
    if (reads_memory)
      for (ValueId operand : op.operands) result[operand] = true;
    // A reduction stands in memory between stages that reduce over different dimensions.
    if (reads_memory || op.kind == OpKind::input || op.kind == OpKind::reduce) result[n] = true;
    if ((is_view(op.kind) || op.kind == OpKind::convert) && result[n]) result[op.operands[0]] = true;
  }
  return result;
}

bool lies_in_rows(const ir::Module& module, int32_t value, const std::vector<bool>& in_memory) {
  while (!in_memory[value]) {
    const Op& op = module.ops[value];
    if (op.kind != OpKind::reshape && !widens(module, op)) return false;
    value = op.operands[0];
  }
  const Op* op = &module.ops[value];
  while (op->kind == OpKind::reshape || widens(module, *op)) op = &module.ops[op->operands[0]];
  return op->kind != OpKind::input || op->strides.empty() || op->strides.back() == 1 || op->shape.back() == 1;
}

}  // namespace lanewise::compiler::pass
