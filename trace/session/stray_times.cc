// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/stray_times.h"

#include <algorithm>
#include <vector>

namespace lanewise::trace::session {
namespace {

constexpr int64_t kFarNs = int64_t{3600} * 1'000'000'000;
constexpr size_t kFewest = 20;  // one in so many

}  // namespace

void leave_out_strays(schema::EventTable* events) {
  const auto counts = [&](schema::Row row) {
    const int64_t ts = events->ts_ns[row];
    return ts >= -schema::kLargestTime && ts <= schema::kLargestTime && events->is_slice(row);
  };
  int64_t first = schema::kLargestTime, last = -schema::kLargestTime;
  for (schema::Row row = 0; row < events->rows(); ++row) {
    if (!counts(row)) continue;
    first = std::min(first, events->ts_ns[row]), last = std::max(last, events->ts_ns[row]);
  }
  if (last - first <= kFarNs) return;

  // Records that were never filled in do not vote.
  std::vector<int64_t> starts;
  for (schema::Row row = 0; row < events->rows(); ++row) {
    if (counts(row) && (events->ts_ns[row] != 0 || events->dur_ns[row] != 0)) starts.push_back(events->ts_ns[row]);
  }
  if (starts.empty()) return;
  std::sort(starts.begin(), starts.end());
  const size_t middle = starts.size() / 2;
  size_t from = middle, to = middle;
  while (from > 0 && starts[from] - starts[from - 1] <= kFarNs) --from;
  while (to + 1 < starts.size() && starts[to + 1] - starts[to] <= kFarNs) ++to;
  const size_t outside = starts.size() - (to - from + 1);
  if (outside * kFewest > starts.size()) from = 0, to = starts.size() - 1;
  // Unfilled records within reach of the others are theirs.
  events->earliest_ns = starts[from] > 0 && starts[from] <= kFarNs ? 0 : starts[from];
  events->latest_ns = starts[to] < 0 && starts[to] >= -kFarNs ? 0 : starts[to];
}

}  // namespace lanewise::trace::session
