// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/scalar/stages.h"

#include "sim/unit/scalar/timing.h"

namespace lanewise::sim::scalar {

core::Stages stages(const isa::Instruction& in, const machine::Machine& machine, Patterns patterns) {
  const machine::Machine::Scalar& s = machine.scalar;
  const int64_t n = in.dst.elements_per_partition();
  const auto ps = [&](int64_t cycles) { return s.clock.to_picos(Cycles(cycles)); };
  core::Stages r;
  const core::Cost plain = cost(in, machine, 1);
  const Picos fixed = plain.latency - ps(n);
  r.ahead = Picos(-1'000'000'000);   // dense plain copies begin ever further ahead of their ends, 13 in a row do
  r.front = ps(n + s.front_cycles);
  if (patterns.partial_write) {
    const Picos write(n * machine.memory.partial_write_ps + machine.memory.partial_write_fixed_ps);
    r.latency = fixed + write;
    r.back = write;
    r.ahead = Picos(s.ahead_ps);
    return r;
  }
  if (patterns.wide_read) {   // reading is what takes long
    const int64_t read = (n * s.wide_stride_cycles_x4 + 3) / 4;
    r.latency = fixed + ps(read);
    r.front = ps(read + s.front_cycles);
    r.back = ps(n);
    r.ahead = Picos(s.ahead_ps);
    return r;
  }
  r.latency = plain.latency;
  r.back = ps(n + s.back_cycles);
  return r;
}

}  // namespace lanewise::sim::scalar
