// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Order statistics of integers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanewise::trace::analysis {

// The value at a rank of a sorted list: percent 50 is the lower median. 0 for an empty list.
inline int64_t at_percent(const std::vector<int64_t>& sorted, int percent) {
  if (sorted.empty()) return 0;
  return sorted[(sorted.size() - 1) * static_cast<size_t>(percent) / 100];
}

// The mean of the two middle values when their number is even.
inline int64_t median_of(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

}  // namespace lanewise::trace::analysis
