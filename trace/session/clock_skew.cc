// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/clock_skew.h"

#include <algorithm>
#include <unordered_map>

namespace lanewise::trace::session {
namespace {

// Ends of the collectives of a file in session time, by name, ascending.
using Ends = std::unordered_map<store::StringId, std::vector<int64_t>>;

Ends collective_ends(const store::StringPool& strings, const schema::Producers& producers, const SessionFile& entry) {
  const schema::EventTable& events = entry.file.events;
  std::unordered_map<store::StringId, bool> known;
  Ends ends;
  for (schema::Row row = 0; row < events.rows(); ++row) {
    if (events.role_of(row) != schema::Role::kernel || !events.is_slice(row)) continue;
    const store::StringId name = events.name[row];
    const auto [at, added] = known.try_emplace(name, false);
    if (added) at->second = producers.is_collective(strings.text(name));
    if (at->second) ends[name].push_back(events.ts_ns[row] + events.dur_ns[row] + entry.offset_ns);
  }
  for (auto& [name, list] : ends) std::sort(list.begin(), list.end());
  return ends;
}

}  // namespace

void measure_skew(const store::StringPool& strings, const schema::Producers& producers, std::vector<SessionFile>* files) {
  if (files->size() < 2) return;
  const Ends reference = collective_ends(strings, producers, (*files)[0]);
  if (reference.empty()) return;
  for (size_t i = 1; i < files->size(); ++i) {
    std::vector<int64_t> differences;
    for (const auto& [name, ends] : collective_ends(strings, producers, (*files)[i])) {
      const auto at = reference.find(name);
      // Another number of calls: the k-th of one need not be the k-th of the other.
      if (at == reference.end() || at->second.size() != ends.size()) continue;
      for (size_t k = 0; k < ends.size(); ++k) differences.push_back(ends[k] - at->second[k]);
    }
    if (differences.size() < kSkewMatches) continue;
    const auto middle = differences.begin() + static_cast<ptrdiff_t>(differences.size() / 2);
    std::nth_element(differences.begin(), middle, differences.end());
    (*files)[i].skew_ns = *middle;
    (*files)[i].skew_method = "median of the ends of " + std::to_string(differences.size()) + " collectives";
  }
}

}  // namespace lanewise::trace::session
