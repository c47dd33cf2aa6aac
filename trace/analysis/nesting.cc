// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/nesting.h"

#include <algorithm>
#include <numeric>

#include "trace/analysis/parallel.h"
#include "trace/analysis/time_limits.h"

namespace lanewise::trace::analysis {
namespace {

using schema::EventTable;
using schema::Role;
using schema::Row;

struct Slice {
  int64_t start, end;
  Row row;
  uint32_t rank;  // of equal slices the smaller rank is outside
};

uint32_t rank_of(Role role) { return role == Role::runtime ? 2 : role == Role::cpu_op ? 1 : 0; }

bool before(const Slice& a, const Slice& b) {
  if (a.start != b.start) return a.start < b.start;
  if (a.end != b.end) return a.end > b.end;
  if (a.rank != b.rank) return a.rank < b.rank;
  return a.row < b.row;
}

// Files hold a few sorted runs a track (operators, then Python functions, then runtime calls); merging them is all the
// sorting there is to do.
void sort_runs(std::span<Slice> slices, std::vector<Slice>* scratch) {
  std::vector<size_t> begins = {0};
  for (size_t i = 1; i < slices.size(); ++i) {
    if (before(slices[i], slices[i - 1])) begins.push_back(i);
  }
  if (begins.size() == 1) return;
  begins.push_back(slices.size());
  scratch->resize(slices.size());
  std::span<Slice> from = slices, to = *scratch;
  while (begins.size() > 2) {
    std::vector<size_t> merged;
    for (size_t i = 0; i + 1 < begins.size(); i += 2) {
      const size_t low = begins[i], middle = begins[i + 1], high = i + 2 < begins.size() ? begins[i + 2] : middle;
      merged.push_back(low);
      std::merge(from.begin() + static_cast<ptrdiff_t>(low), from.begin() + static_cast<ptrdiff_t>(middle),
                 from.begin() + static_cast<ptrdiff_t>(middle), from.begin() + static_cast<ptrdiff_t>(high),
                 to.begin() + static_cast<ptrdiff_t>(low), before);
    }
    merged.push_back(slices.size());
    begins = std::move(merged);
    std::swap(from, to);
  }
  if (from.data() != slices.data()) std::copy(from.begin(), from.end(), slices.begin());
}

struct TrackResult {
  std::vector<Row> crossing;
  uint64_t tolerated = 0;
};

// `order` holds the rows of `slices`; a slice that begins a tick early goes behind its parent.
TrackResult find_parents(std::span<const Slice> slices, int64_t tick, std::vector<Row>* parent, std::span<Row> order) {
  TrackResult result;
  std::vector<const Slice*> open;
  for (const Slice& slice : slices) {
    while (!open.empty() && open.back()->end <= slice.start) open.pop_back();
    bool crossed = false;
    const Slice* early = nullptr;  // starts one tick before the slice that holds it
    while (!open.empty() && slice.end > open.back()->end) {
      if (slice.end - open.back()->end <= tick) {
        ++result.tolerated;
        break;
      }
      if (early == nullptr && open.back() + 1 == &slice && slice.start - open.back()->start <= tick) {
        early = open.back();
        ++result.tolerated;
      } else {
        crossed = true;
      }
      open.pop_back();
    }
    if (crossed) result.crossing.push_back(slice.row);
    (*parent)[slice.row] = open.empty() ? kNoRow : open.back()->row;
    open.push_back(&slice);
    if (early != nullptr) {
      (*parent)[early->row] = slice.row;
      open.push_back(early);
      const auto at = static_cast<size_t>(&slice - slices.data());
      std::swap(order[at - 1], order[at]);
    }
  }
  return result;
}

}  // namespace

int64_t tick_of(const EventTable& events) {
  constexpr int64_t kLargest = 1000;
  int64_t tick = 0;
  for (Row row = 0; row < events.rows() && tick != 1; ++row) {
    if (has_span(events, row)) tick = std::gcd(tick, std::gcd(events.ts_ns[row], kLargest));
  }
  return tick == 0 ? 1 : tick;
}

Nesting nest_host_slices(const EventTable& events, int64_t tick_ns, int threads) {
  Nesting nesting;
  nesting.tick_ns = tick_ns;
  const size_t rows = events.rows(), tracks = events.tracks();
  nesting.parent.assign(rows, kNoRow);
  nesting.track_begin.assign(tracks + 1, 0);
  const auto is_host = [&](Row row) { return is_host_slice(events.role_of(row)) && has_span(events, row); };
  for (Row row = 0; row < rows; ++row) {
    if (is_host(row)) ++nesting.track_begin[events.track[row] + 1];
  }
  for (size_t t = 0; t < tracks; ++t) nesting.track_begin[t + 1] += nesting.track_begin[t];
  std::vector<Slice> slices(nesting.track_begin.back());
  {
    std::vector<uint32_t> next(nesting.track_begin.begin(), nesting.track_begin.end() - 1);
    for (Row row = 0; row < rows; ++row) {
      if (is_host(row)) slices[next[events.track[row]]++] = {events.ts_ns[row], slice_end(events, row), row, rank_of(events.role_of(row))};
    }
  }
  nesting.order.resize(slices.size());
  std::vector<TrackResult> results(tracks);
  parallel_for(tracks, threads, [&](size_t t) {
    const size_t begin = nesting.track_begin[t], count = nesting.track_begin[t + 1] - begin;
    const std::span<Slice> own = std::span(slices).subspan(begin, count);
    std::vector<Slice> scratch;
    sort_runs(own, &scratch);
    for (size_t i = 0; i < count; ++i) nesting.order[begin + i] = own[i].row;
    results[t] = find_parents(own, tick_ns, &nesting.parent, std::span(nesting.order).subspan(begin, count));
  });
  for (const TrackResult& result : results) {
    nesting.tolerated += result.tolerated;
    nesting.crossing.insert(nesting.crossing.end(), result.crossing.begin(), result.crossing.end());
  }
  std::sort(nesting.crossing.begin(), nesting.crossing.end());
  return nesting;
}

Row Nesting::at(const EventTable& events, uint32_t t, int64_t ts_ns) const {
  const auto slices = track(t);
  auto next = std::upper_bound(slices.begin(), slices.end(), ts_ns, [&](int64_t ts, Row row) { return ts < events.ts_ns[row]; });
  if (next == slices.begin()) return kNoRow;
  for (Row row = *(next - 1); row != kNoRow; row = parent[row]) {
    const int64_t end = slice_end(events, row);
    if (ts_ns < end || (ts_ns == end && ts_ns == events.ts_ns[row])) return row;
  }
  return kNoRow;
}

Row Nesting::nearest(const EventTable& events, Row row, Role role) const {
  while (row != kNoRow && events.role_of(row) != role) row = parent[row];
  return row;
}

}  // namespace lanewise::trace::analysis
