// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What all questions of the device level are asked about.
#pragma once

#include <optional>
#include <vector>

#include "base/status.h"
#include "machine/machine.h"
#include "trace/analysis/table.h"
#include "trace/device/profile.h"
#include "trace/device_analysis/intervals.h"

namespace lanewise::trace::device_analysis {

using analysis::ColumnType;
using analysis::Table;

struct Subject {
  const device::DeviceProfile& profile;
  const machine::Machine& machine;   // the numbers of peaks and hops
  // Only this time of the profile. As in a trace, a run belongs to the range in which it begins, with all that it did; what an engine's time
  // was spent on (busy, stall, idle, the critical path) is cut at the edges, so that its parts add up to the range.
  std::optional<Interval> range = {};

  bool holds(Picos begin) const { return !range || (range->begin <= begin && begin < range->end); }
  // What is looked at: the range as far as the profile goes, or all of the profile. Empty: begin = end.
  Interval looked_at() const;
  // The part of a span that is looked at; empty where there is none.
  static Interval part(const Interval& of, const Interval& looked_at);
};

}  // namespace lanewise::trace::device_analysis
