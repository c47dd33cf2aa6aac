// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/vector/stages.h"

#include "sim/unit/vector/timing.h"

namespace lanewise::sim::vector {

core::Stages stages(const isa::Instruction& in, const machine::Machine& machine, Patterns patterns) {
  const machine::Machine::Vector& v = machine.vector;
  const int64_t n = in.dst.elements_per_partition();
  const auto ps = [&](int64_t cycles) { return v.clock.to_picos(Cycles(cycles)); };
  core::Stages s;
  s.ahead = Picos(-v.ahead_ps);
  if (patterns.partial_write) {
    const Picos write(n * machine.memory.partial_write_ps + machine.memory.partial_write_fixed_ps);
    s.latency = ps(v.fixed_cycles) + write;
    s.front = ps(n + v.front_cycles);
    s.back = write;
    s.ahead = Picos(v.ahead_partial_ps);
    return s;
  }
  if (patterns.wide_read) {
    const bool narrow = isa::dtype_bytes(in.src0.dtype) == 2 && isa::dtype_bytes(in.dst.dtype) == 2 && v.perf_modes;
    const int64_t cycles = narrow ? n : (n * v.wide_stride_cycles_x4 + 3) / 4;
    s.latency = ps(v.fixed_cycles + (narrow ? (3 * n + 3) / 4 : cycles));
    s.front = ps(narrow ? n + v.back_cycles : cycles);   // reading is what takes long
    s.back = ps(narrow ? (n + 1) / 2 : cycles);
    return s;
  }
  const core::Cost c = cost(in, machine, 1);
  const Picos cycles = c.latency - ps(v.fixed_cycles);
  s.latency = c.latency;
  s.front = std::max(cycles + ps(v.front_cycles), ps(v.min_interval_cycles));
  s.back = cycles + ps(v.back_cycles);
  return s;
}

}  // namespace lanewise::sim::vector
