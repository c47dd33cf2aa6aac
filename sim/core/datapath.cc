// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/datapath.h"

#include <string>

#include "isa/table.h"
#include "sim/core/alu.h"
#include "sim/core/copy.h"
#include "sim/core/rows.h"

namespace lanewise::sim::core {
namespace {

using isa::AluOp;
using isa::Tile;

template <typename T>
auto row_of(AluOp op) {
  if constexpr (std::is_same_v<T, float>) return float_row(op);
  else return integer_row(op);
}

bool has_step(AluOp op) { return op != AluOp::none; }

Status no_such_op(AluOp op) {
  return invalid_argument("operation " + std::string(isa::alu_op_name(op)) +
                          " needs integer operands, or does not exist on this datapath");
}

template <typename T>
Status binary(AluOp op, const Shape& shape, const View& dst, const View& a, const View& b) {
  const auto row = row_of<T>(op);
  if (row == nullptr) return no_such_op(op);
  Source<T> x(a), y(b);
  Sink<T> out(dst);
  RowPlan plan(shape.partitions, shape.elements);
  while (const int64_t n = plan.next()) {
    const T* p = x.read(n);
    const T* q = y.read(n);
    row(p, q, out.reserve(n), n);
    out.commit(n);
  }
  return ok_status();
}

template <typename T>
Status two_steps(const isa::Instruction& in, const Shape& shape, const View& dst, const View& src,
                 const ScalarInput& s0, const ScalarInput& s1) {
  const auto row0 = row_of<T>(in.op0);
  const auto row1 = has_step(in.op1) ? row_of<T>(in.op1) : nullptr;
  if (row0 == nullptr) return no_such_op(in.op0);
  if (row1 == nullptr && has_step(in.op1)) return no_such_op(in.op1);
  Source<T> x(src), y0(s0, shape.elements), y1(s1, shape.elements);
  Sink<T> out(dst);
  RowPlan plan(shape.partitions, shape.elements);
  while (const int64_t n = plan.next()) {
    const T* p = x.read(n);
    const T* q = y0.read(n);
    T* o = out.reserve(n);
    if (in.reverse0) row0(q, p, o, n);
    else row0(p, q, o, n);
    if (row1 != nullptr) {
      const T* r = y1.read(n);
      if (in.reverse1) row1(r, o, o, n);
      else row1(o, r, o, n);
    }
    out.commit(n);
  }
  return ok_status();
}

}  // namespace

Status same_shape(const Tile& dst, std::initializer_list<const Tile*> sources, Shape* shape) {
  *shape = {dst.partitions, dst.elements_per_partition()};
  for (const Tile* s : sources)
    if (s->partitions != shape->partitions || s->elements_per_partition() != shape->elements)
      return invalid_argument("an operand has " + std::to_string(s->partitions) + " x " +
                              std::to_string(s->elements_per_partition()) + " elements, the destination " +
                              std::to_string(shape->partitions) + " x " + std::to_string(shape->elements));
  return ok_status();
}

Status tensor_copy(const Work& work) {
  Shape shape;
  View dst, src;
  LW_RETURN_IF_ERROR(same_shape(work.in.dst, {&work.in.src0}, &shape));
  LW_RETURN_IF_ERROR(resolve(work.memory, work.in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(resolve(work.memory, work.in.src0, work.registers, &src));
  copy_cast(dst, src);
  return ok_status();
}

Status tensor_tensor(const Work& work) {
  const isa::Instruction& in = work.in;
  Shape shape;
  View dst, a, b;
  LW_RETURN_IF_ERROR(same_shape(in.dst, {&in.src0, &in.src1}, &shape));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.src0, work.registers, &a));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.src1, work.registers, &b));
  const bool integers = isa::is_integer(a.dtype) && isa::is_integer(b.dtype);
  if (integers && (work.exact_integers || exact_on_every_engine(in.op0)))
    return binary<int64_t>(in.op0, shape, dst, a, b);
  return binary<float>(in.op0, shape, dst, a, b);
}

Status tensor_scalar(const Work& work) {
  const isa::Instruction& in = work.in;
  Shape shape;
  View dst, src;
  ScalarInput s0, s1;
  LW_RETURN_IF_ERROR(same_shape(in.dst, {&in.src0}, &shape));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.dst, work.registers, &dst));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.src0, work.registers, &src));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.scalar0, work.registers, &s0));
  LW_RETURN_IF_ERROR(resolve(work.memory, in.scalar1, work.registers, &s1));
  for (const ScalarInput* s : {&s0, &s1})
    if (s->per_partition && s->tile.count[0] != shape.partitions)
      return invalid_argument("a scalar tile has " + std::to_string(s->tile.count[0]) + " partitions, the destination " +
                              std::to_string(shape.partitions));
  if (!s0.present || (has_step(in.op1) && in.op1 != AluOp::bypass && !s1.present))
    return invalid_argument("a step of tensor_scalar has no scalar");
  const bool integers = isa::is_integer(src.dtype) && (s0.integer || in.op0 == AluOp::bypass) &&
                        (!has_step(in.op1) || in.op1 == AluOp::bypass || s1.integer);
  const bool exact = exact_on_every_engine(in.op0) && (!has_step(in.op1) || exact_on_every_engine(in.op1));
  if (integers && (work.exact_integers || exact)) return two_steps<int64_t>(in, shape, dst, src, s0, s1);
  return two_steps<float>(in, shape, dst, src, s0, s1);
}

}  // namespace lanewise::sim::core
