// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/pe/work.h"

#include <algorithm>

namespace lanewise::sim::pe {

Work work(const isa::Instruction& in, const machine::Machine& machine, bool strided) {
  using isa::Opcode;
  Work w;
  const int64_t bytes = isa::dtype_bytes(in.src0.dtype);
  w.loads = in.op != Opcode::multiply_moving;
  w.streams = in.op != Opcode::load_stationary;
  if (w.loads) w.load = {in.src0.elements_per_partition(), bytes, in.pass_through || in.op == Opcode::nc_transpose, strided};
  switch (in.op) {
    case Opcode::nc_matmul:
      w.columns = {in.src1.elements_per_partition(), std::max(bytes, isa::dtype_bytes(in.src1.dtype))};
      w.passes = w.columns.bytes >= 4 ? static_cast<int>(machine.pe.fp32_passes) : 1;
      break;
    case Opcode::nc_transpose: w.columns = {in.src0.partitions, bytes}; break;
    case Opcode::multiply_moving: w.columns = {in.src0.elements_per_partition(), bytes}; break;
    default: break;
  }
  return w;
}

Picos earliest(Steps* steps, const Work& work, Picos ready) {
  return work.loads ? steps->earliest_load(ready) : steps->earliest_columns(ready);
}

WorkRun run(Steps* steps, const Work& work, Picos handed, Picos ready, const machine::Machine& machine) {
  const Picos step(machine.pe.hand_over_ps);
  WorkRun out;
  if (!work.streams) {
    const StepRun r = steps->load(work.load, ready);
    return {r.begin, r.end, r.limited};
  }
  const Picos array = steps->earliest_columns(Picos(INT64_MIN / 4));   // takes the next columns
  for (int pass = 0; pass < work.passes; ++pass) {
    if (work.loads) {
      const StepRun load = steps->load(work.load, ready);
      if (pass == 0) out.begin = std::max(load.begin, array);
      ready = std::max(ready, handed += step);
    }
    const StepRun columns = steps->columns(work.columns, ready);
    if (pass == 0) out.begin = work.loads ? std::min(out.begin, columns.begin) : columns.begin;
    out.end = columns.end;
    out.limited = columns.limited;
    ready = std::max(ready, handed += step);
  }
  return out;
}

}  // namespace lanewise::sim::pe
