// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/scalar/stages.h"

#include <algorithm>

#include "isa/table.h"

namespace lanewise::sim::scalar {

using isa::Opcode;

core::Stages stages(const isa::Instruction& in, const machine::Machine& machine, core::Patterns patterns) {
  const machine::Machine::Scalar& s = machine.scalar;
  const auto ps = [&](int64_t cycles) { return s.clock.to_picos(Cycles(cycles)); };
  core::Stages r;
  if (in.op == Opcode::load_table) return r;   // all of it is the load (tables.h)
  int64_t n = in.dst.elements_per_partition();
  if (isa::dtype_bytes(in.dst.dtype) == 8 || isa::dtype_bytes(in.src0.dtype) == 8) n *= 2;
  // A function without a table is a copy with arithmetic on the way.
  const bool function = in.op == Opcode::activation || in.op == Opcode::activation_reduce;
  const bool plain = !function || isa::info(in.fn).table_set == 0;
  int64_t fixed = plain ? s.copy_fixed_cycles : s.function_fixed_cycles, front = s.front_cycles;
  if (in.op == Opcode::activation_reduce) fixed += s.min_interval_cycles, front += s.min_interval_cycles;
  r.latency = ps(fixed + n);
  r.front = ps(n + front);
  r.back = ps(n + s.back_cycles);
  r.ahead = Picos(-1'000'000'000);   // dense plain copies begin ever further ahead of their ends, 13 in a row do
  if (patterns.partial_write) {
    const Picos write(in.dst.elements_per_partition() * machine.memory.partial_write_ps + machine.memory.partial_write_fixed_ps);
    r.latency = ps(fixed) + write;
    r.back = write;
    r.ahead = Picos(s.ahead_ps);
  } else if (patterns.wide_read) {   // reading is what takes long
    const int64_t read = (n * s.wide_stride_cycles_x4 + 3) / 4;
    r.latency = ps(fixed + read);
    r.front = ps(read + front);
    r.back = ps(n);
    r.ahead = Picos(s.ahead_ps);
  }
  r.front = std::max(r.front, ps(s.min_interval_cycles));
  return r;
}

}  // namespace lanewise::sim::scalar
