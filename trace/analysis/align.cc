// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/align.h"

#include <algorithm>

namespace lanewise::trace::analysis {
namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;

// The longest common subsequence of two windows; of equally long ones the one that matches earlier in a.
void align_window(std::span<const uint32_t> a, std::span<const uint32_t> b, size_t at_a, size_t at_b, Pairs* pairs) {
  const size_t n = a.size(), m = b.size();
  if (n == 0 || m == 0) return;
  // length[i][j]: of the suffixes a[i..], b[j..].
  std::vector<uint16_t> length((n + 1) * (m + 1), 0);
  const auto at = [&](size_t i, size_t j) -> uint16_t& { return length[i * (m + 1) + j]; };
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      at(i, j) = a[i] == b[j] ? static_cast<uint16_t>(at(i + 1, j + 1) + 1) : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (size_t i = 0, j = 0; i < n && j < m;) {
    if (a[i] == b[j]) pairs->emplace_back(at_a + i++, at_b + j++);
    else if (at(i, j + 1) >= at(i + 1, j)) ++j;
    else ++i;
  }
}

}  // namespace

Pairs align(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  Pairs pairs;
  size_t first = 0, end_a = a.size(), end_b = b.size();
  while (first < end_a && first < end_b && a[first] == b[first]) {
    pairs.emplace_back(first, first);
    ++first;
  }
  size_t tail = 0;
  while (end_a - tail > first && end_b - tail > first && a[end_a - tail - 1] == b[end_b - tail - 1]) ++tail;
  end_a -= tail, end_b -= tail;
  size_t i = first, j = first;
  while (i < end_a && j < end_b) {
    const size_t n = std::min(kWindow, end_a - i), m = std::min(kWindow, end_b - j), before = pairs.size();
    align_window(a.subspan(i, n), b.subspan(j, m), i, j, &pairs);
    const bool last = i + n == end_a && j + m == end_b;
    if (last) break;
    if (pairs.size() == before) {
      i += n, j += m;
      continue;
    }
    // What follows the last common element is looked at again with what comes after the window; the second half of the
    // pairs too, since the window's end may have forced them.
    const size_t keep = before + (pairs.size() - before + 1) / 2;
    pairs.resize(keep);
    i = pairs.back().first + 1, j = pairs.back().second + 1;
  }
  for (size_t k = 0; k < tail; ++k) pairs.emplace_back(end_a + k, end_b + k);
  return pairs;
}

}  // namespace lanewise::trace::analysis
