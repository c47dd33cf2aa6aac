// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 -> bf16 -> f32 between two ops of one program becomes nothing: the value stays f32. This is the one pass that
// changes results, toward the exact ones: it takes out roundings that exist only because eager execution must store
// each result in its own dtype. A rounding that the program asked for (Op::rounds) stays, and what is stored is rounded
// as before. The same for f16; f8 keeps its roundings, which are part of how such models are written.
#include "compiler/pass/pass.h"
#include "compiler/pass/rewrite.h"

namespace lanewise::compiler::pass {

using isa::DType;

Status drop_round_trips(ir::Module& module) {
  rewrite(module, [](ir::Builder& build, const Op& op, ValueId) -> std::optional<ValueId> {
    if (op.kind != OpKind::convert || op.dtype != DType::f32) return std::nullopt;
    const Op& narrow = build.op(op.operands[0]);
    if (narrow.kind != OpKind::convert || narrow.rounds || narrow.shape != op.shape) return std::nullopt;
    if (narrow.dtype != DType::bf16 && narrow.dtype != DType::f16) return std::nullopt;
    const ValueId wide = narrow.operands[0];
    if (build.op(wide).dtype != DType::f32 || build.op(wide).shape != op.shape) return std::nullopt;
    return wide;
  });
  return ok_status();
}

}  // namespace lanewise::compiler::pass
