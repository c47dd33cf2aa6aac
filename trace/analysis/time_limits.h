// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Slices that analyses work with. A damaged file can hold any time; beyond 73 years before or after zero nothing is meant, and
// differences of such times would not fit 64 bits. They are left out and counted (trust.h, absurd_times).
#pragma once

#include <cstdint>

#include "trace/schema/event_table.h"

namespace lanewise::trace::analysis {

inline constexpr int64_t kLargestTime = int64_t{1} << 61;

inline bool has_span(const schema::EventTable& events, schema::Row row) {
  if (!events.is_slice(row)) return false;
  const int64_t ts = events.ts_ns[row], dur = events.dur_ns[row];
  return ts <= kLargestTime && ts >= -kLargestTime && dur <= kLargestTime && dur >= -kLargestTime;
}

}  // namespace lanewise::trace::analysis
