// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Clocks of ranks against each other. A collective ends on all ranks at nearly one moment, whoever came late; so the median
// difference of the ends of collectives is the difference of the clocks. The k-th collective of a name on one rank is matched
// with the k-th of that name on part 0.
#pragma once

#include <vector>

#include "trace/session/session.h"

namespace lanewise::trace::session {

// At least this many matches, or nothing is said.
inline constexpr size_t kSkewMatches = 3;

// Sets skew_ns and skew_method of every file after the first one, where there are collectives.
void measure_skew(const store::StringPool& strings, const schema::Producers& producers, std::vector<SessionFile>* files);

}  // namespace lanewise::trace::session
