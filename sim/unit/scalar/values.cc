// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/scalar/values.h"

#include <string>

#include "isa/table.h"
#include "sim/core/alu.h"
#include "sim/core/reduce.h"
#include "sim/core/rows.h"
#include "sim/unit/scalar/functions.h"

namespace lanewise::sim::scalar {
namespace {

using core::Sink;
using core::Source;
using core::View;
using isa::Opcode;

struct Operands {
  core::Shape shape;
  View dst, src;
  core::ScalarInput scale, bias;
};

Status resolve(const core::Work& work, Operands* o) {
  const isa::Instruction& in = work.in;
  LW_RETURN_IF_ERROR(core::same_shape(in.dst, {&in.src0}, &o->shape));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.dst, work.registers, &o->dst));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.src0, work.registers, &o->src));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.scalar0, work.registers, &o->scale));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, in.scalar1, work.registers, &o->bias));
  for (const core::ScalarInput* s : {&o->scale, &o->bias})
    if (s->per_partition && s->tile.count[0] != o->shape.partitions)
      return invalid_argument("a scale or bias tile has another number of partitions than the destination");
  return ok_status();
}

// One row: scale, bias, function.
class Pipeline {
 public:
  Pipeline(const Operands& o, isa::ActFn fn)
      : in_(o.src), scale_(o.scale, o.shape.elements), bias_(o.bias, o.shape.elements), has_scale_(o.scale.present),
        has_bias_(o.bias.present), fn_(function_row(fn)) {}

  void run(float* out, int64_t n) {
    const float* x = in_.read(n);
    if (has_scale_) multiply_(x, scale_.read(n), out, n), x = out;
    if (has_bias_) add_(x, bias_.read(n), out, n), x = out;
    fn_(x, out, n);
  }

 private:
  Source<float> in_, scale_, bias_;
  bool has_scale_, has_bias_;
  FunctionRow fn_;
  core::FloatRow multiply_ = core::float_row(isa::AluOp::multiply), add_ = core::float_row(isa::AluOp::add);
};

Status activation(const core::Work& work) {
  Operands o;
  LW_RETURN_IF_ERROR(resolve(work, &o));
  if (function_row(work.in.fn) == nullptr) return invalid_argument("an activation needs a function");
  Pipeline pipeline(o, work.in.fn);
  Sink<float> out(o.dst);
  core::RowPlan plan(o.shape.partitions, o.shape.elements);
  while (const int64_t n = plan.next()) {
    pipeline.run(out.reserve(n), n);
    out.commit(n);
  }
  return ok_status();
}

Status activation_reduce(const core::Work& work) {
  Operands o;
  View sums;
  LW_RETURN_IF_ERROR(resolve(work, &o));
  LW_RETURN_IF_ERROR(core::resolve(work.memory, work.in.dst2, work.registers, &sums));
  if (function_row(work.in.fn) == nullptr) return invalid_argument("an activation needs a function");
  if (work.in.op0 != isa::AluOp::add) return unimplemented("activation_reduce sums only; use tensor_reduce");
  if (sums.elements() != o.shape.partitions)
    return invalid_argument("dst2 of activation_reduce needs one element per partition");
  Pipeline pipeline(o, work.in.fn);
  Sink<float> out(o.dst), out_sums(sums);
  core::Reducer<float> reducer(isa::AluOp::add);
  static_assert(core::kRow % core::kReduceBlock == 0);
  alignas(64) float row[core::kRow], written[core::kRow];
  std::byte narrow[core::kRow * 8];
  const int64_t size = isa::dtype_bytes(o.dst.dtype);
  for (int64_t p = 0; p < o.shape.partitions; ++p) {
    for (int64_t left = o.shape.elements; left > 0;) {
      const int64_t n = std::min(left, core::kRow);
      pipeline.run(row, n);
      float* to = out.reserve(n);
      __builtin_memcpy(to, row, static_cast<size_t>(n) * sizeof(float));
      out.commit(n);
      // What dst holds after rounding.
      core::store_row(o.dst.dtype, row, narrow, size, n);
      core::load_row(o.dst.dtype, narrow, size, written, n);
      reducer.add(written, n);
      left -= n;
    }
    *out_sums.reserve(1) = reducer.finish();
    out_sums.commit(1);
  }
  return ok_status();
}

}  // namespace

Status run(const core::Work& work) {
  switch (work.in.op) {
    case Opcode::activation: return activation(work);
    case Opcode::activation_reduce: return activation_reduce(work);
    case Opcode::tensor_copy: return core::tensor_copy(work);
    case Opcode::tensor_scalar: return core::tensor_scalar(work);
    default:
      return unimplemented("the Scalar engine has no " + std::string(isa::opcode_name(work.in.op)) +
                           "; use Vector or GpSimd");
  }
}

}  // namespace lanewise::sim::scalar
