// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/pe/steps.h"

#include <algorithm>

namespace lanewise::sim::pe {
namespace {

// Instructions leave the engine's queue one by one: a load follows the columns before it by 1.7 ns, columns the load
// before them by 4.2 ns, in every capture.
constexpr Picos kAfterColumns{1'667}, kAfterLoad{4'167};

}  // namespace

Picos Steps::earliest_load(Picos ready) const { return std::max(ready, last_columns_ + kAfterColumns); }

Picos Steps::earliest_columns(Picos ready) {
  const Picos t = std::max(ready, last_load_ + kAfterLoad);
  // Queued columns begin while the array's pipeline still fills with those before them.
  const Picos queued = free_ - cycles(machine_.pe.array_fill_cycles, limiter_.limited(std::max(t, first_column_)));
  return std::max(t, queued);
}

StepRun Steps::load(const LoadStep& step, Picos ready) {
  const machine::Machine::Pe& pe = machine_.pe;
  const int64_t per_128 = step.bytes < 4 ? pe.load_weights_cycles
                          : step.pass_through ? pe.load_weights_cycles_transpose_fp32
                                              : pe.load_weights_cycles_fp32;
  StepRun r;
  r.begin = earliest_load(ready);
  r.limited = limiter_.limited(std::max(r.begin, first_column_));
  const Picos fill = cycles((step.columns * per_128 + 127) / 128, r.limited);
  const Picos read = step.strided ? std::max(fill, Picos(step.columns * pe.strided_column_ps)) : fill;
  r.end = std::max(r.begin + read, first_column_ - Picos(pe.load_ahead_ps) + fill) + Picos(pe.load_pipeline_ps);
  loaded_ = r.begin + read + Picos(pe.load_to_columns_ps);
  last_load_ = r.begin;
  return r;
}

StepRun Steps::columns(const ColumnStep& step, Picos ready) {
  const machine::Machine::Pe& pe = machine_.pe;
  StepRun r;
  r.begin = earliest_columns(ready);
  const Picos first = std::max({free_, r.begin + Picos(pe.columns_latency_ps), loaded_});
  r.limited = limiter_.limited(std::max(r.begin, first_column_));
  int64_t n;
  if (step.bytes >= 4) n = step.columns * pe.fp32_cycles_per_column;
  else if (step.bytes == 2) n = (step.columns * pe.columns_cycles_16bit_num + pe.columns_cycles_16bit_den - 1) / pe.columns_cycles_16bit_den;
  else n = (step.columns * pe.columns_cycles_fp8_num + pe.columns_cycles_fp8_den - 1) / pe.columns_cycles_fp8_den;
  const Picos last = limiter_.run(first, Cycles(n));
  r.end = last + pe.clock.to_picos(Cycles(std::max<int64_t>(0, pe.fill_drain_cycles - pe.array_fill_cycles)));
  first_column_ = first;
  last_columns_ = std::max(r.begin, first - cycles(pe.array_fill_cycles, r.limited));   // a load queues behind columns that wait for theirs
  free_ = limiter_.limited(last) ? last : last + Picos(pe.moving_gap_ps);
  return r;
}

}  // namespace lanewise::sim::pe
