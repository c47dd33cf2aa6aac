// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/perfetto/slice_pairs.h"

#include <algorithm>
#include <limits>

namespace lanewise::trace::perfetto {
namespace {

// Sorts by time and puts marks of one time into the order of the header.
void order(std::vector<Mark>* marks) {
  const auto earlier = [](const Mark& a, const Mark& b) { return a.at_ns < b.at_ns; };
  if (std::is_sorted(marks->begin(), marks->end(), earlier)) return;
  std::stable_sort(marks->begin(), marks->end(), earlier);
  size_t open = 0;
  for (size_t i = 0; i < marks->size();) {
    size_t j = i;
    while (j < marks->size() && (*marks)[j].at_ns == (*marks)[i].at_ns) ++j;
    const auto first = marks->begin() + static_cast<ptrdiff_t>(i), last = marks->begin() + static_cast<ptrdiff_t>(j);
    const auto ends = static_cast<size_t>(std::count_if(first, last, [](const Mark& m) { return !m.begin; }));
    const size_t begins = j - i - ends;
    const size_t before = std::min(ends, open);
    // begins, ends -> the first `before` ends, begins, the other ends
    std::stable_partition(first, last, [](const Mark& m) { return m.begin; });
    std::rotate(first, first + static_cast<ptrdiff_t>(begins), first + static_cast<ptrdiff_t>(begins + before));
    open = open - before + begins;
    open -= std::min(open, ends - before);
    i = j;
  }
}

}  // namespace

SlicePairs pair_marks(std::vector<Mark> marks) {
  order(&marks);
  SlicePairs out;
  std::vector<Mark> open;
  for (const Mark& mark : marks) {
    if (mark.begin) {
      open.push_back(mark);
    } else if (open.empty()) {
      out.unpaired.push_back(mark);
    } else {
      int64_t dur_ns = 0;
      if (__builtin_sub_overflow(mark.at_ns, open.back().at_ns, &dur_ns)) dur_ns = std::numeric_limits<int64_t>::max();
      out.pairs.push_back({open.back().row, dur_ns});
      open.pop_back();
    }
  }
  out.unpaired.insert(out.unpaired.end(), open.begin(), open.end());
  return out;
}

}  // namespace lanewise::trace::perfetto
