// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/vector/values.h"

#include <string>

#include "isa/table.h"
#include "sim/core/alu.h"
#include "sim/core/rows.h"

namespace lanewise::sim::vector {
namespace {

using isa::Opcode;

Status reciprocal(const core::Work& work) {
  core::Shape shape;
  core::View dst, src;
  LW_RETURN_IF_ERROR(core::same_shape(work.in.dst, {&work.in.src0}, &shape));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, work.in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, work.in.src0, work.registers, &src));
  const core::FloatRow divide = core::float_row(isa::AluOp::divide);
  core::Source<float> one(1.0f), in(src);
  core::Sink<float> out(dst);
  core::RowPlan plan(shape.partitions, shape.elements);
  while (const int64_t n = plan.next()) {
    const float* x = in.read(n);
    divide(one.read(n), x, out.reserve(n), n);
    out.commit(n);
  }
  return ok_status();
}

}  // namespace

Status run(const core::Work& work) {
  switch (work.in.op) {
    case Opcode::tensor_copy: return core::tensor_copy(work);
    case Opcode::tensor_tensor: return core::tensor_tensor(work);
    case Opcode::tensor_scalar: return core::tensor_scalar(work);
    case Opcode::tensor_reduce: return core::tensor_reduce(work);
    case Opcode::select:
    case Opcode::tensor_copy_predicated: return core::select(work);
    case Opcode::memset: return core::memset(work);
    case Opcode::reciprocal: return reciprocal(work);
    default:
      return unimplemented("the Vector engine has no " + std::string(isa::opcode_name(work.in.op)));
  }
}

}  // namespace lanewise::sim::vector
