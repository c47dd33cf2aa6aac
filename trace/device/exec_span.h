// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "trace/device/profile.h"

namespace lanewise::trace::device {

// What total_exec_time spans: first to last real instruction or descriptor. The public definition leaves out what the
// sequencer does alone: waits, branches, and register writes, which is what a chip makes of a DMA trigger.
inline bool is_real(const DeviceProfile& p, const InstructionRun& run) {
  if (run.setup) return false;
  return run.instruction == kNone || (!p.program.instructions[run.instruction].setup && p.program.instructions[run.instruction].queue == kNone);
}
inline bool is_real(const DeviceProfile&, const DmaRun& run) { return !run.setup; }

struct Span {
  Picos begin, end;
  Picos length() const { return end - begin; }
};

// Of one core, or of all (core < 0). Empty where nothing real ran.
inline std::optional<Span> exec_span(const DeviceProfile& p, int core = -1) {
  std::optional<Span> span;
  const auto take = [&](Picos begin, Picos end) {
    if (!span) span = Span{begin, end};
    else span = Span{std::min(span->begin, begin), std::max(span->end, end)};
  };
  for (const InstructionRun& run : p.instructions)
    if ((core < 0 || run.core == core) && is_real(p, run)) take(run.begin, run.end);
  for (const DmaRun& run : p.dmas)
    if ((core < 0 || run.core == core) && is_real(p, run)) take(run.begin, std::max(run.end, run.visible));
  return span;
}

}  // namespace lanewise::trace::device
