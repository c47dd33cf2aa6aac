// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/gpsimd/timing.h"

namespace lanewise::sim::gpsimd {

using isa::Opcode;

core::Cost cost(const isa::Instruction& in, const machine::Machine& machine, int64_t stride_factor) {
  const machine::Machine::GpSimd& g = machine.gpsimd;
  const isa::Tile& widest = in.op == Opcode::tensor_reduce ? in.src0 : in.dst;
  int64_t cycles = widest.elements_per_partition() * stride_factor;
  bool wide = isa::dtype_bytes(in.dst.dtype) == 8;
  for (const isa::Tile* t : {&in.src0, &in.src1}) wide |= t->present() && isa::dtype_bytes(t->dtype) == 8;
  if (wide) cycles *= g.int64_factor;
  return core::pipelined(g.clock, in.op == Opcode::iota ? g.iota_fixed_cycles : g.fixed_cycles, cycles,
                         g.min_interval_cycles);
}

}  // namespace lanewise::sim::gpsimd
