// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// trust: how far the numbers of a trace can be believed, as counts of what weakens them. A count of 0 is a check that passed.
//
// Columns: check, count, of (out of how many; null where that says nothing), text (one sentence).
//   dropped_events, repaired_events, skipped_bytes, truncated   from the import ledger
//   unlinked_device_events   device events that no rule ties to a runtime call
//   early_device_events      device events that start before their call: clocks disagree
//   crossing_slices          host slices that do not nest
//   cut_times                times with digits beyond a nanosecond
//   absurd_times             slices left out of all analyses (time_limits.h)
//   stray_times              the same, by session/stray_times.h
//   missing_device_rows      1: runtime calls launched work, and there is not one device event
//   clock_skew_ns            the largest measured difference between the clocks of ranks
#pragma once

#include "trace/analysis/model.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

Table trust_table(const Model& model);

}  // namespace lanewise::trace::analysis
