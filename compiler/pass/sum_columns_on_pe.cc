// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/pass/column_reduction.h"
#include "compiler/pass/prepare.h"
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {
namespace {

constexpr int64_t kFewRows = 64;      // fewer are transposed and summed on Vector as quickly
constexpr int64_t kFewColumns = 64;

}  // namespace

Status sum_columns_on_pe(ir::Module& module) {
  const std::vector<bool> stays = in_memory(module);
  rewrite(module, [&](ir::Builder& build, const Op& op, ValueId old) -> std::optional<ValueId> {
    if (op.kind != OpKind::reduce || op.alu != isa::AluOp::add || !isa::is_float(op.dtype)) return std::nullopt;
    const auto sum = column_reduction(build.shape(op.operands[0]), op.dims);
    if (!sum || sum->rows < kFewRows || sum->columns < kFewColumns) return std::nullopt;
    if (!lies_in_rows(module, module.ops[old].operands[0], stays)) return std::nullopt;
    // Narrow operands are multiplied as they are: f32 costs the PE four times as much.
    ValueId value = op.operands[0];
    while (build.op(value).kind == OpKind::convert && build.dtype(value) == isa::DType::f32) {
      const isa::DType narrow = build.dtype(build.op(value).operands[0]);
      if (narrow != isa::DType::bf16 && narrow != isa::DType::f16) break;
      value = build.op(value).operands[0];
    }
    const ValueId ones = build.constant(build.dtype(value), 1, {1, sum->rows});
    const ValueId sums = build.matmul(ones, build.reshape(value, {sum->rows, sum->columns}), isa::DType::f32);
    return build.convert(build.reshape(sums, op.shape), op.dtype);
  });
  return ok_status();
}

}  // namespace lanewise::compiler::pass
