// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sets of moments as sorted intervals [begin, end) that do not touch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lanewise::trace::analysis {

struct Interval {
  int64_t begin = 0, end = 0;
  bool operator==(const Interval&) const = default;
};
using Intervals = std::vector<Interval>;

// Sorts, joins what overlaps or touches, drops what is empty.
inline Intervals join_intervals(Intervals spans) {
  std::erase_if(spans, [](const Interval& s) { return s.end <= s.begin; });
  const auto less = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  if (!std::is_sorted(spans.begin(), spans.end(), less)) std::sort(spans.begin(), spans.end(), less);
  size_t n = 0;
  for (const Interval& s : spans) {
    if (n > 0 && s.begin <= spans[n - 1].end) spans[n - 1].end = std::max(spans[n - 1].end, s.end);
    else spans[n++] = s;
  }
  spans.resize(n);
  return spans;
}

// Both sorted and apart, as join_intervals makes them.
inline Intervals intersect(const Intervals& a, const Intervals& b) {
  Intervals out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t begin = std::max(a[i].begin, b[j].begin), end = std::min(a[i].end, b[j].end);
    if (begin < end) out.push_back({begin, end});
    a[i].end < b[j].end ? ++i : ++j;
  }
  return out;
}

inline Intervals subtract(const Intervals& a, const Intervals& b) {
  Intervals out;
  size_t j = 0;
  for (Interval s : a) {
    while (j < b.size() && b[j].end <= s.begin) ++j;
    for (size_t k = j; k < b.size() && b[k].begin < s.end; ++k) {
      if (b[k].begin > s.begin) out.push_back({s.begin, b[k].begin});
      s.begin = std::max(s.begin, b[k].end);
    }
    if (s.begin < s.end) out.push_back(s);
  }
  return out;
}

inline int64_t length_of(const Intervals& spans) {
  int64_t sum = 0;
  for (const Interval& s : spans) sum += s.end - s.begin;
  return sum;
}

}  // namespace lanewise::trace::analysis
