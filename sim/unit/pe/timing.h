// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How long the tensor engine takes (neuroncore facts 2.2).
//
// One nc_matmul loads its stationary operand and then streams N moving columns:
//   16-bit operands   N columns at `columns_cycles_16bit`, both fp8: at `columns_cycles_fp8`
//   fp32              `fp32_passes` passes of `fp32_cycles_per_column` each
// with at least min(min_interval_cycles, M) columns a pass. nc_transpose streams an identity of P columns past the data.
// load_stationary and multiply_moving are these two steps by themselves, and one multiply_moving of fp32 is one pass.
// Result: `fill_drain_cycles` after the last column. A load of M columns takes `load_weights_cycles` per 128 columns
// (times `fp32_cycles_per_column` for 4-byte data) and hides behind the columns of the instruction before.
//
// The array runs `throttle_factor` times slower while cold. It starts cold, becomes warm once it has worked for
// `throttle_window_ns` with more than half of that time busy, and cold again when less than half of the last window was
// busy. The fill of the array's rows slows down with it, the rest of the pipeline does not.
#pragma once

#include <deque>

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/cost.h"

namespace lanewise::sim::pe {

struct Work {
  Cycles load;      // of the stationary operand
  Cycles columns;   // that the array streams at full clock
};
Work work(const isa::Instruction& in, const machine::Machine& machine);

// begin to end of a load by itself: a pipeline latency that delays nothing unless someone waits for the load.
Picos load_latency(const machine::Machine& machine);

class Throttle {
 public:
  explicit Throttle(const machine::Machine& machine)
      : factor_(machine.pe.throttle_factor), window_(to_picos(Nanos(machine.pe.throttle_window_ns))) {}

  // Slowdown of columns that start at `begin`. Calls must not go back in time.
  int64_t slowdown(Picos begin);
  // The array is busy from `begin` to `end`.
  void busy(Picos begin, Picos end);

 private:
  struct Interval {
    Picos begin, end;
  };
  Picos busy_in_window(Picos now);

  int64_t factor_;
  Picos window_;
  bool warm_ = false;
  bool working_ = false;
  Picos since_;                  // when the present stretch of work began
  Picos busy_since_;             // busy time in it
  std::deque<Interval> recent_;  // busy intervals that reach into the last window
  Picos recent_sum_;
};

// The array between instructions.
class Array {
 public:
  explicit Array(const machine::Machine& machine) : machine_(machine), throttle_(machine) {}

  // Earliest begin of an instruction whose operands are ready at `ready`.
  Picos earliest(const isa::Instruction& in, Picos ready) const {
    return in.op == isa::Opcode::load_stationary || ready > free_ ? ready : free_;
  }

  struct Run {
    Picos columns_begin;   // first moving column; the load lies before it
    Picos columns_end;     // the array is free again
    Picos end;             // result in PSUM
    bool throttled;
  };
  // Runs `in`, whose operands are ready at `ready`; begins at earliest(ready).
  Run run(const isa::Instruction& in, Picos ready);

 private:
  const machine::Machine& machine_;
  Throttle throttle_;
  Picos free_;
  Picos loaded_;   // when the last load_stationary is in the array
};

}  // namespace lanewise::sim::pe
