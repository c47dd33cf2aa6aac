// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/slices.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace lanewise::server::timeline {

void LongestIndex::build(const std::vector<uint64_t>& sum) {
  steps_.clear();
  constexpr size_t kFan = size_t{1} << kShift;
  size_t count = sum.size() - 1;
  while (count > kFan) {
    const std::vector<Best>* below = steps_.empty() ? nullptr : &steps_.back();
    const auto entry = [&](size_t i) { return below ? (*below)[i] : Best{sum[i + 1] - sum[i], static_cast<uint32_t>(i)}; };
    std::vector<Best> step((count + kFan - 1) >> kShift);
    for (size_t block = 0; block < step.size(); ++block) {
      Best best = entry(block << kShift);
      for (size_t i = (block << kShift) + 1; i < std::min(count, (block + 1) << kShift); ++i) {
        if (const Best other = entry(i); other.dur > best.dur) best = other;
      }
      step[block] = best;
    }
    count = step.size();
    steps_.push_back(std::move(step));
  }
}

uint32_t LongestIndex::find(const std::vector<uint64_t>& sum, uint32_t begin, uint32_t end) const {
  Best best = {sum[begin + 1] - sum[begin], begin};
  const auto offer = [&](const Best& other) {
    if (other.dur > best.dur || (other.dur == best.dur && other.place < best.place)) best = other;
  };
  constexpr uint32_t kMask = (1u << kShift) - 1;
  const auto entry = [&](size_t level, uint32_t i) { return level == 0 ? Best{sum[i + 1] - sum[i], i} : steps_[level - 1][i]; };
  for (size_t level = 0; begin < end; ++level) {
    if (level == steps_.size()) {
      for (uint32_t i = begin; i < end; ++i) offer(entry(level, i));
      break;
    }
    while (begin < end && (begin & kMask) != 0) offer(entry(level, begin++));
    while (begin < end && (end & kMask) != 0) offer(entry(level, --end));
    begin >>= kShift;
    end >>= kShift;
  }
  return best.place;
}

uint32_t Slices::first_starting(uint32_t row, int64_t at) const {
  const auto begin = start.begin() + row_begin[row], end = start.begin() + row_begin[row + 1];
  return static_cast<uint32_t>(std::lower_bound(begin, end, at) - start.begin());
}

uint32_t Slices::first_touching(uint32_t row, int64_t at) const {
  uint32_t i = first_starting(row, at);
  while (i > row_begin[row] && end(i - 1) > at) --i;  // ends ascend as well, and overlaps are ticks
  return i;
}

uint32_t Slices::find(uint32_t row, int64_t start_ns, uint32_t wanted) const {
  for (uint32_t i = first_starting(row, start_ns); i < row_begin[row + 1] && start[i] == start_ns; ++i) {
    if (ordinal[i] == wanted) return i;
  }
  return static_cast<uint32_t>(size());
}

bool comes_before(const Span& a, const Span& b) {
  return std::tie(a.start, b.end, a.inside, a.ordinal) < std::tie(b.start, a.end, b.inside, b.ordinal);
}

namespace {

// The ends of the rows so far, with the smallest of each 64 rows, so that a file of overlaps only does not cost rows times slices.
class RowEnds {
 public:
  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }

  // The first row from `from` on that takes the span; size() when none of the rows does.
  uint32_t find(uint32_t from, const Span& span, int64_t tick) const {
    for (uint32_t row = from; row < size();) {
      if ((row & 63) == 0 && smallest_[row >> 6] > span.start + tick) {
        row += 64;
        continue;
      }
      if (ends_[row] <= span.start || (ends_[row] <= span.start + tick && ends_[row] <= span.end)) return row;
      ++row;
    }
    return size();
  }
  void set(uint32_t row, int64_t end) {
    if (row == size()) {
      ends_.push_back(end);
      if ((row & 63) == 0) smallest_.push_back(end);
    }
    ends_[row] = end;
    const size_t block = row >> 6, last = std::min<size_t>(size(), (block + 1) << 6);
    int64_t least = std::numeric_limits<int64_t>::max();
    for (size_t i = block << 6; i < last; ++i) least = std::min(least, ends_[i]);
    smallest_[block] = least;
  }

 private:
  std::vector<int64_t> ends_, smallest_;
};

struct Open {
  int64_t end;
  uint32_t row, depth;
};

}  // namespace

Slices make_slices(std::span<const Span> spans, int64_t tick, std::vector<uint32_t>* row_of) {
  std::vector<uint32_t> own_rows;
  std::vector<uint32_t>& rows = row_of ? *row_of : own_rows;
  rows.assign(spans.size(), 0);
  RowEnds ends;
  std::vector<Open> open;
  uint32_t deepest = 0;
  Slices slices;
  for (size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    while (!open.empty() && open.back().end <= span.start) open.pop_back();
    uint32_t least = 0, depth = 0;
    for (size_t k = open.size(); k-- > 0;) {
      if (open[k].end <= span.start || span.end - open[k].end > tick) continue;
      least = open[k].row + 1;
      depth = open[k].depth + 1;
      break;
    }
    const uint32_t row = std::min(ends.find(std::min(least, ends.size()), span, tick), kMaxRows);
    rows[i] = row;
    if (row == kMaxRows) {
      ++slices.left_out;
      continue;
    }
    ends.set(row, span.end);
    deepest = std::max(deepest, depth);
    open.push_back({span.end, row, depth});
  }

  const uint32_t count = ends.size();
  slices.row_begin.assign(count + 1, 0);
  for (const uint32_t row : rows) {
    if (row < count) ++slices.row_begin[row + 1];
  }
  for (uint32_t row = 0; row < count; ++row) slices.row_begin[row + 1] += slices.row_begin[row];
  const size_t kept = slices.row_begin.back();
  slices.start.resize(kept);
  slices.ordinal.resize(kept);
  slices.sum.assign(kept + 1, 0);
  std::vector<uint32_t> next(slices.row_begin.begin(), slices.row_begin.end() - 1);
  for (size_t i = 0; i < spans.size(); ++i) {
    if (rows[i] >= count) continue;
    const uint32_t at = next[rows[i]]++;
    slices.start[at] = spans[i].start;
    slices.ordinal[at] = spans[i].ordinal;
    slices.sum[at + 1] = static_cast<uint64_t>(spans[i].end) - static_cast<uint64_t>(spans[i].start);
  }
  for (size_t i = 0; i < kept; ++i) slices.sum[i + 1] += slices.sum[i];
  slices.longest.build(slices.sum);
  slices.overlap_rows = count > 0 ? count - 1 - deepest : 0;
  return slices;
}

}  // namespace lanewise::server::timeline
