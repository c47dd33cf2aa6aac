// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/scalar/timing.h"

#include "isa/table.h"

namespace lanewise::sim::scalar {

using isa::Opcode;

core::Cost cost(const isa::Instruction& in, const machine::Machine& machine, int64_t stride_factor) {
  const machine::Machine::Scalar& s = machine.scalar;
  if (in.op == Opcode::load_table) return {};   // all of it is the load
  int64_t elements = in.dst.elements_per_partition();
  if (isa::dtype_bytes(in.dst.dtype) == 8 || isa::dtype_bytes(in.src0.dtype) == 8) elements *= 2;
  const bool function = in.op == Opcode::activation || in.op == Opcode::activation_reduce;
  // A function without a table is a copy with arithmetic on the way.
  const bool plain = !function || isa::info(in.fn).table_set == 0;
  const int64_t fixed = plain ? s.copy_fixed_cycles : s.function_fixed_cycles;
  core::Cost c = core::pipelined(s.clock, fixed, elements * stride_factor, s.min_interval_cycles);
  if (in.op == Opcode::activation_reduce) {
    const Picos sums = s.clock.to_picos(Cycles(s.min_interval_cycles));
    c.interval += sums;
    c.latency += sums;
  }
  return c;
}

Picos Tables::load(const isa::Instruction& in, const machine::Machine& machine) {
  const bool asked = in.op == Opcode::load_table;
  if (!asked && in.op != Opcode::activation && in.op != Opcode::activation_reduce) return Picos(0);
  const int wanted = isa::info(in.fn).table_set;
  if (asked) loaded_ = 0;   // loads whatever is there
  if (wanted == 0 || wanted == loaded_) return Picos(0);
  loaded_ = wanted;
  return Picos(machine.scalar.table_load_ps);
}

}  // namespace lanewise::sim::scalar
