// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "base/near_word.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace lanewise {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

bool is_near(std::string_view typed, size_t distance) { return distance <= std::max<size_t>(1, typed.size() / 3); }

std::string_view near_word(std::string_view typed, std::span<const std::string_view> words) {
  std::string_view best;
  size_t least = 0;
  for (const std::string_view word : words) {
    const size_t distance = edit_distance(typed, word);
    if (is_near(typed, distance) && (best.empty() || distance < least)) best = word, least = distance;
  }
  return best;
}

}  // namespace lanewise
