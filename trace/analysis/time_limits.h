// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Slices that analyses work with: those whose times are times of the trace. The others are left out and counted (trust.h,
// absurd_times and stray_times).
#pragma once

#include <cstdint>

#include "trace/schema/event_table.h"

namespace lanewise::trace::analysis {

inline bool has_absurd_time(const schema::EventTable& events, schema::Row row) {
  const int64_t ts = events.ts_ns[row], dur = events.dur_ns[row];
  return ts > schema::kLargestTime || ts < -schema::kLargestTime || dur > schema::kLargestTime || dur < -schema::kLargestTime;
}

inline bool has_span(const schema::EventTable& events, schema::Row row) {
  if (!events.is_slice(row)) return false;
  const int64_t ts = events.ts_ns[row], dur = events.dur_ns[row];
  return ts <= events.latest_ns && ts >= events.earliest_ns && dur <= schema::kLargestTime && dur >= -schema::kLargestTime;
}

}  // namespace lanewise::trace::analysis
