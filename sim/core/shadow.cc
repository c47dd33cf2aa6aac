// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/shadow.h"

#include <algorithm>

namespace lanewise::sim::core {
namespace {

// Above this many pieces a pattern is kept whole.
constexpr int64_t kMaxPieces = 256;

bool share_partitions(const Access& a, const Access& b) { return a.first < b.last && b.first < a.last; }
bool covers(const Access& a, const Access& b) { return a.first <= b.first && b.last <= a.last; }

// Whether `now` makes `earlier` irrelevant on the bytes that both touch.
bool replaces(const Access& now, const Access& earlier) {
  if (!covers(now, earlier)) return false;
  return now.write || (!earlier.write && earlier.agent == now.agent);
}

}  // namespace

bool Shadow::conflicts(const Access& earlier, const Access& now) const {
  return (earlier.write || now.write) && share_partitions(earlier, now) &&
         !order_->ordered(earlier.agent, earlier.event, now.agent);
}

bool Shadow::initialised(const std::vector<Access>& accesses, const Access& read) const {
  int32_t p = read.first;
  for (bool moved = true; moved && p < read.last;) {
    moved = false;
    for (const Access& a : accesses)
      if (a.write && a.first <= p && p < a.last) p = a.last, moved = true;
  }
  return p >= read.last;
}

// A whole pattern may have written them; it is taken as if it wrote all of its range.
bool Shadow::perhaps_written(const Access& read, ByteRange bytes) const {
  for (const Pattern& p : patterns_)
    if (p.access.write && share_partitions(p.access, read) && p.extent.begin < bytes.end && bytes.begin < p.extent.end)
      return true;
  return false;
}

void Shadow::cut(int64_t at) {
  auto it = map_.upper_bound(at);
  if (it == map_.begin()) return;
  --it;
  if (it->first == at || it->second.end <= at) return;
  Segment right = it->second;
  it->second.end = at;
  map_.emplace_hint(std::next(it), at, std::move(right));
}

std::optional<Conflict> Shadow::against_patterns(const Access& access, const Extent& extent) const {
  for (const Pattern& p : patterns_)
    if (conflicts(p.access, access) && p.extent.meets(extent))
      return Conflict{p.access, {std::max(p.extent.begin, extent.begin), std::min(p.extent.end, extent.end)}};
  return std::nullopt;
}

std::optional<Conflict> Shadow::enter_pattern(const Access& access, const Extent& extent) {
  auto it = map_.upper_bound(extent.begin);
  if (it != map_.begin()) --it;
  for (; it != map_.end() && it->first < extent.end; ++it)
    for (const Access& a : it->second.accesses) {
      if (!conflicts(a, access)) continue;
      Extent segment;
      segment.begin = it->first;
      segment.end = it->second.end;
      segment.run = segment.end - segment.begin;
      if (segment.meets(extent))
        return Conflict{a, {std::max(segment.begin, extent.begin), std::min(segment.end, extent.end)}};
    }
  // The same pattern again (a loop, double buffering) replaces its last entry.
  std::erase_if(patterns_, [&](const Pattern& p) { return p.extent == extent && replaces(access, p.access); });
  patterns_.push_back({access, extent});
  return std::nullopt;
}

std::optional<Conflict> Shadow::enter_range(const Access& access, ByteRange range) {
  cut(range.begin);
  cut(range.end);
  auto it = map_.lower_bound(range.begin);
  int64_t at = range.begin;
  Map::iterator last = map_.end();   // the segment that ends at `at` and holds this access already
  const auto append = [&](int64_t end, std::vector<Access> accesses) {
    if (last != map_.end() && last->second.accesses == accesses) last->second.end = end;
    else last = map_.insert_or_assign(at, Segment{end, std::move(accesses)}).first;
    at = end;
  };
  while (at < range.end) {
    const bool gap = it == map_.end() || it->first > at;
    const int64_t end = std::min(range.end, gap ? (it == map_.end() ? range.end : it->first) : it->second.end);
    std::vector<Access> accesses;
    if (!gap) {
      for (const Access& a : it->second.accesses)
        if (conflicts(a, access)) return Conflict{a, {at, end}};
      accesses = std::move(it->second.accesses);
      it = map_.erase(it);
    }
    if (check_initialised_ && !access.write && !initialised(accesses, access) && !perhaps_written(access, {at, end}))
      return Conflict{std::nullopt, {at, end}};
    std::erase_if(accesses, [&](const Access& a) { return replaces(access, a); });
    accesses.push_back(access);
    append(end, std::move(accesses));
  }
  return std::nullopt;
}

std::optional<Conflict> Shadow::enter(const Access& access, const Extent& extent) {
  if (!patterns_.empty())
    if (auto c = against_patterns(access, extent)) return c;
  if (extent.pieces() > kMaxPieces) return enter_pattern(access, extent);
  if (extent.rank == 0) return enter_range(access, {extent.begin, extent.end});
  for (const ByteRange& r : extent.ranges())
    if (auto c = enter_range(access, r)) return c;
  return std::nullopt;
}

}  // namespace lanewise::sim::core
