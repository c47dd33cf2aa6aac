// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/gpsimd/stages.h"

#include <algorithm>

namespace lanewise::sim::gpsimd {

using isa::Opcode;

core::Stages stages(const isa::Instruction& in, const machine::Machine& machine, core::Patterns patterns) {
  const machine::Machine::GpSimd& g = machine.gpsimd;
  const auto ps = [&](int64_t cycles) { return g.clock.to_picos(Cycles(cycles)); };
  const isa::Tile& widest = in.op == Opcode::tensor_reduce ? in.src0 : in.dst;
  int64_t cycles = widest.elements_per_partition() * (patterns.wide_read ? 2 : 1);
  bool wide = isa::dtype_bytes(in.dst.dtype) == 8;
  for (const isa::Tile* t : {&in.src0, &in.src1}) wide |= t->present() && isa::dtype_bytes(t->dtype) == 8;
  if (wide) cycles *= g.int64_factor;
  const int64_t fixed = in.op == Opcode::iota ? g.iota_fixed_cycles : g.fixed_cycles;
  core::Stages s;
  s.latency = ps(fixed + cycles);
  s.front = s.back = ps(std::max(cycles, g.min_interval_cycles));
  s.ahead = Picos(-1'000'000'000);   // no capture shows a limit
  if (patterns.partial_write) {
    const Picos write(in.dst.elements_per_partition() * machine.memory.partial_write_ps + machine.memory.partial_write_fixed_ps);
    s.latency = std::max(s.latency, ps(fixed) + write);
    s.back = std::max(s.back, write);
  }
  return s;
}

}  // namespace lanewise::sim::gpsimd
