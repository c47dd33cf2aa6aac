// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/vector/timing.h"

#include <algorithm>

#include "sim/core/adjacent.h"

namespace lanewise::sim::vector {
namespace {

using isa::AluOp;
using isa::Opcode;
using isa::Space;
using isa::Tile;

bool half_width(const Tile& t) { return isa::dtype_bytes(t.dtype) == 2; }
bool in_psum(const Tile& t) { return t.space == Space::psum; }

bool is_zero(const isa::Scalar& s) {
  return (s.kind == isa::Scalar::Kind::f32 && s.f == 0) || (s.kind == isa::Scalar::Kind::i64 && s.i == 0);
}

}  // namespace

int64_t performance_mode(const isa::Instruction& in, const machine::Machine& machine) {
  if (in.op == Opcode::memset)
    return machine.vector.perf_modes && half_width(in.dst) && is_zero(in.scalar0) ? 2 : 1;
  if (!machine.vector.perf_modes || !half_width(in.dst) || !half_width(in.src0)) return 1;
  switch (in.op) {
    case Opcode::tensor_copy:
    case Opcode::tensor_scalar: {
      if (in_psum(in.src0) && in_psum(in.dst)) return 1;
      const bool sbuf = !in_psum(in.src0) && !in_psum(in.dst);
      return sbuf && core::adjacent(in.src0) && core::adjacent(in.dst) ? 4 : 2;
    }
    case Opcode::tensor_tensor:
      return half_width(in.src1) && !in_psum(in.src0) && !in_psum(in.src1) ? 2 : 1;
    default: return 1;
  }
}

int64_t cycles_per_element(const isa::Instruction& in, const machine::Machine& machine) {
  const machine::Machine::Vector& v = machine.vector;
  switch (in.op) {
    case Opcode::tensor_tensor: {
      if (in_psum(in.src0) || in_psum(in.src1)) return 1;
      const bool narrow = half_width(in.src0) && half_width(in.src1) && half_width(in.dst);
      const bool simple = in.op0 == AluOp::add || in.op0 == AluOp::subtract || in.op0 == AluOp::multiply;
      const bool tight = core::adjacent(in.src0) && core::adjacent(in.src1) && core::adjacent(in.dst);
      if (narrow && (v.perf_modes || (simple && tight))) return 1;
      return v.tensor_tensor_fp32_cycles;
    }
    case Opcode::tensor_copy_predicated:
    case Opcode::select:
      return in_psum(in.src0) || in_psum(in.src1) || in_psum(in.src2) || in_psum(in.dst) ? 1 : 2;
    case Opcode::reciprocal: return v.reciprocal_cycles;
    default: return 1;
  }
}

int64_t elements(const isa::Instruction& in) {
  const Tile& widest = in.op == Opcode::tensor_reduce ? in.src0 : in.dst;
  int64_t bytes = isa::dtype_bytes(in.dst.dtype);
  for (const Tile* t : {&in.src0, &in.src1})
    if (t->present()) bytes = std::max(bytes, isa::dtype_bytes(t->dtype));
  return widest.elements_per_partition() * (bytes == 8 ? 2 : 1);
}

}  // namespace lanewise::sim::vector
