// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/options.h"

#include <algorithm>

namespace lanewise::trace::device_analysis {

Interval Subject::looked_at() const {
  const Interval all{Picos(0), whole(profile)};
  return range ? part(*range, all) : all;
}

Interval Subject::part(const Interval& of, const Interval& looked_at) {
  const Picos begin = std::max(of.begin, looked_at.begin);
  return {begin, std::max(begin, std::min(of.end, looked_at.end))};
}

}  // namespace lanewise::trace::device_analysis
