// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Slices: the slices of one lane, by row, then start. In a row no slice overlaps the next by more than the clock's tick, so starts
// and ends both ascend; busy time, count and longest slice of any span are found in O(log n).
//
//   row r   places row_begin[r] .. row_begin[r + 1]
//   sum     prefix sums of durations over all rows: dur(i) = sum[i + 1] - sum[i]. Unsigned, so that absurd times wrap and differences
//           stay exact
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace lanewise::server::timeline {

// Sums of times of a damaged file stay at the largest value.
inline void add_time(int64_t* sum, int64_t time_ns) {
  if (__builtin_add_overflow(*sum, time_ns, sum)) *sum = std::numeric_limits<int64_t>::max();
}

// What a slice is made from. Times: ns from the origin; end >= start.
struct Span {
  int64_t start = 0, end = 0;
  uint32_t ordinal = 0;  // of its event, or a place in a list of the lane's own
  uint32_t inside = 0;   // of equal spans the smaller one holds the other
};

// Index of the longest of a range of places: a pyramid of 16 places a step.
class LongestIndex {
 public:
  void build(const std::vector<uint64_t>& sum);
  // The first of the longest of [begin, end), which must not be empty.
  uint32_t find(const std::vector<uint64_t>& sum, uint32_t begin, uint32_t end) const;

 private:
  static constexpr int kShift = 4;
  struct Best {
    uint64_t dur;
    uint32_t place;
  };
  std::vector<std::vector<Best>> steps_;
};

struct Slices {
  std::vector<int64_t> start;
  std::vector<uint64_t> sum = {0};
  std::vector<uint32_t> ordinal;
  std::vector<uint32_t> row_begin = {0};
  LongestIndex longest;
  uint32_t overlap_rows = 0;  // rows beyond those that nesting alone needs
  uint64_t left_out = 0;      // slices for which there was no row any more (kMaxRows)

  size_t size() const { return start.size(); }
  uint32_t rows() const { return static_cast<uint32_t>(row_begin.size() - 1); }
  int64_t dur(size_t i) const { return static_cast<int64_t>(sum[i + 1] - sum[i]); }
  int64_t end(size_t i) const { return start[i] + dur(i); }
  uint64_t total() const { return sum.back(); }

  // Places of a row that end after `at` or start at or after it begin here.
  uint32_t first_touching(uint32_t row, int64_t at) const;
  // The first place of a row that starts at or after `at`.
  uint32_t first_starting(uint32_t row, int64_t at) const;
  // The place of a slice, or size().
  uint32_t find(uint32_t row, int64_t start_ns, uint32_t ordinal) const;
};

// Rows are written as u16, and more of them can no screen show.
inline constexpr uint32_t kMaxRows = 65535;

// By start, longer ones first, then `inside`, then ordinal.
bool comes_before(const Span& a, const Span& b);

// Puts spans into rows: below the innermost one that holds it (one tick of tolerance, as trace/analysis/nesting.h), else in the first
// row; when there is no room, in the next row that has some. `spans` sorted by comes_before, or in the order of a Nesting.
// `row_of[i]` is the row of spans[i], kMaxRows for none.
Slices make_slices(std::span<const Span> spans, int64_t tick_ns, std::vector<uint32_t>* row_of = nullptr);

}  // namespace lanewise::server::timeline
