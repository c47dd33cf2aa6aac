// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/vector/stages.h"

#include <algorithm>

#include "sim/unit/vector/timing.h"

namespace lanewise::sim::vector {

core::Stages stages(const isa::Instruction& in, const machine::Machine& machine, core::Patterns patterns) {
  const machine::Machine::Vector& v = machine.vector;
  const auto ps = [&](int64_t cycles) { return v.clock.to_picos(Cycles(cycles)); };
  const int64_t n = elements(in), mode = performance_mode(in, machine);
  const int64_t per_element = cycles_per_element(in, machine);
  const int64_t cycles = (n * per_element + mode - 1) / mode;
  core::Stages s;
  s.ahead = Picos(-v.ahead_ps);
  const bool narrow = mode > 1;
  if (patterns.wide_read && narrow) {
    s.latency = ps(v.fixed_cycles + (3 * n + 3) / 4);
    s.front = ps(n + v.back_cycles);   // reading is what takes long
    s.back = ps((n + 1) / 2);
  } else if (patterns.wide_read) {
    // Operands that are read one after another (select) are read slowly each; arithmetic that takes longer hides it.
    const int64_t reads = in.op == isa::Opcode::reciprocal ? n : n * per_element;
    const int64_t wide = std::max(cycles, (reads * v.wide_stride_cycles_x4 + 3) / 4);
    s.latency = ps(v.fixed_cycles + wide);
    s.front = s.back = ps(wide);
  } else {
    s.latency = ps(v.fixed_cycles + cycles);
    s.front = ps(cycles + v.front_cycles);
    s.back = ps(cycles + v.back_cycles);
  }
  if (patterns.partial_write) {
    const Picos write(in.dst.elements_per_partition() * machine.memory.partial_write_ps + machine.memory.partial_write_fixed_ps);
    s.latency = std::max(s.latency, ps(v.fixed_cycles) + write);
    s.back = std::max(s.back, write);
    s.ahead = Picos(v.ahead_partial_ps);
  }
  s.front = std::max(s.front, ps(v.min_interval_cycles));
  return s;
}

}  // namespace lanewise::sim::vector
