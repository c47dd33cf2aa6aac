// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Nesting: which host slice lies in which, for each (pid, tid) of a file. Operators, annotations, Python functions and runtime
// calls nest among each other.
//
// The rule. Slices of a track are taken by start, longer ones first; of equal ones annotations and Python functions come before
// operators, operators before runtime calls, then file order. The parent of a slice is the innermost open slice that holds it.
//   - One tick of tolerance: a child that ends at most one tick after its parent is still its child, and so is one that starts
//     at most one tick before it. The tick is the largest step that divides all starts of the file, at most 1 us: 1 ns in files
//     of today, 1 us in old ones, 0.25 us where epoch microseconds were kept in a double. Counted in `tolerated`.
//   - A slice that crosses the end of an open one by more goes to a second lane: its parent is the innermost open slice that
//     holds all of it, and what starts in it from then on is inside it. Listed in `crossing`. Nothing is cut or dropped.
//   - A slice without duration is inside one that starts where it starts, and after one that ends there. A negative duration
//     counts as none.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "trace/schema/event_table.h"

namespace lanewise::trace::analysis {

inline constexpr schema::Row kNoRow = ~schema::Row{0};

struct Nesting {
  std::vector<schema::Row> parent;     // by row; kNoRow: a root, or no host slice
  std::vector<schema::Row> order;      // host slices by track, then as above: a parent stands before what is in it
  std::vector<uint32_t> track_begin;   // slices of track t: order[track_begin[t] .. track_begin[t + 1])
  std::vector<schema::Row> crossing;   // slices on a second lane, by row
  uint64_t tolerated = 0;
  int64_t tick_ns = 1;

  std::span<const schema::Row> track(uint32_t t) const {
    return std::span(order).subspan(track_begin[t], track_begin[t + 1] - track_begin[t]);
  }
  // The innermost host slice of the track that holds the moment (a slice holds its start, not its end); kNoRow.
  schema::Row at(const schema::EventTable& events, uint32_t t, int64_t ts_ns) const;
  // The nearest of the row itself and what holds it that has the role; kNoRow.
  schema::Row nearest(const schema::EventTable& events, schema::Row row, schema::Role role) const;
};

// The step of the file's clock.
int64_t tick_of(const schema::EventTable& events);
// tick_ns = 0: no tolerance, as PyTorch's own tables. threads as in parallel.h.
Nesting nest_host_slices(const schema::EventTable& events, int64_t tick_ns, int threads = 0);

// A sum that stays at the largest value instead of wrapping round: times of damaged files can be anything.
inline int64_t add_times(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

// The end of a slice; of one with negative duration its start.
inline int64_t slice_end(const schema::EventTable& events, schema::Row row) {
  const int64_t dur = events.dur_ns[row];
  return dur > 0 ? add_times(events.ts_ns[row], dur) : events.ts_ns[row];
}
// A negative duration counts as none.
inline int64_t slice_length(const schema::EventTable& events, schema::Row row) {
  const int64_t dur = events.dur_ns[row];
  return dur > 0 ? dur : 0;
}

}  // namespace lanewise::trace::analysis
