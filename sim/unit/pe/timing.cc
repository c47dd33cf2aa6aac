// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/pe/timing.h"

#include <algorithm>

namespace lanewise::sim::pe {
namespace {

// Rows of the array that fill at the array's clock while throttled: the captures show 206 ns of fill and drain when
// cold against 166 ns when warm, 96 cycles of 2.4 GHz.
constexpr int64_t kThrottledFillCycles = 96;

bool fp8(const isa::Tile& t) { return t.dtype == isa::DType::f8e4m3 || t.dtype == isa::DType::f8e5m2; }

}  // namespace

Work work(const isa::Instruction& in, const machine::Machine& machine) {
  const machine::Machine::Pe& pe = machine.pe;
  const int64_t stationary = in.src0.elements_per_partition();
  const bool transpose = in.op == isa::Opcode::nc_transpose;
  const bool moves = in.op == isa::Opcode::multiply_moving;   // src0 moves, what is held has dst's partitions as columns
  const int64_t held = moves ? in.dst.partitions : stationary;
  const int64_t moving = transpose ? in.src0.partitions : moves ? stationary : in.src1.elements_per_partition();
  const int64_t columns = std::max(moving, std::min(pe.min_interval_cycles, held));
  const bool wide = isa::dtype_bytes(in.src0.dtype) >= 4;
  int64_t load = (stationary * pe.load_weights_cycles + 127) / 128;
  int64_t cycles;
  if (wide) {
    load *= pe.fp32_cycles_per_column;
    cycles = columns * pe.fp32_cycles_per_column * (moves ? 1 : pe.fp32_passes);
  } else if (fp8(in.src0) && (transpose || moves || fp8(in.src1))) {
    cycles = (columns * pe.columns_cycles_fp8_num + pe.columns_cycles_fp8_den - 1) / pe.columns_cycles_fp8_den;
  } else {
    cycles = (columns * pe.columns_cycles_16bit_num + pe.columns_cycles_16bit_den - 1) / pe.columns_cycles_16bit_den;
  }
  if (in.op == isa::Opcode::load_stationary) cycles = 0;
  return {Cycles(moves ? 0 : load), Cycles(cycles)};
}

Picos load_latency(const machine::Machine& machine) { return Picos(machine.pe.load_weights_latency_ps); }

Picos Throttle::busy_in_window(Picos now) {
  const Picos from = now - window_;
  while (!recent_.empty() && recent_.front().end <= from) {
    recent_sum_ -= recent_.front().end - recent_.front().begin;
    recent_.pop_front();
  }
  Picos sum = recent_sum_;
  if (!recent_.empty() && recent_.front().begin < from) sum -= from - recent_.front().begin;
  return sum;
}

int64_t Throttle::slowdown(Picos begin) {
  if (factor_ <= 1) return 1;
  const Picos busy = busy_in_window(begin);
  if (warm_ && busy * 2 < window_) warm_ = working_ = false;
  if (!warm_) {
    // A stretch of work ends where it stops being busy more than half of the time.
    if (!working_ || busy_since_ * 2 <= begin - since_) {
      if (!working_ || begin > since_) since_ = begin, busy_since_ = Picos(0);
      working_ = true;
    }
    warm_ = begin - since_ >= window_ && busy * 2 > window_;
  }
  return warm_ ? 1 : factor_;
}

void Throttle::busy(Picos begin, Picos end) {
  busy_since_ += end - begin;
  recent_sum_ += end - begin;
  if (!recent_.empty() && recent_.back().end == begin) recent_.back().end = end;
  else recent_.push_back({begin, end});
}

Array::Run Array::run(const isa::Instruction& in, Picos ready) {
  const machine::Machine::Pe& pe = machine_.pe;
  const Work w = work(in, machine_);
  Run r;
  if (in.op == isa::Opcode::load_stationary) {
    loaded_ = r.columns_begin = r.columns_end = ready + pe.clock.to_picos(w.load);
    r.end = ready + load_latency(machine_);
    r.throttled = false;
    return r;
  }
  r.columns_begin = std::max({ready + pe.clock.to_picos(w.load), free_, loaded_});
  const int64_t slowdown = throttle_.slowdown(r.columns_begin);
  r.throttled = slowdown > 1;
  r.columns_end = r.columns_begin + pe.clock.to_picos(w.columns * slowdown);
  const int64_t slow_fill = std::min(kThrottledFillCycles, pe.fill_drain_cycles) * (slowdown - 1);
  r.end = r.columns_end + pe.clock.to_picos(Cycles(pe.fill_drain_cycles + slow_fill));
  throttle_.busy(r.columns_begin, r.columns_end);
  free_ = r.columns_end;
  return r;
}

}  // namespace lanewise::sim::pe
