// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/pairing.h"

#include <algorithm>
#include <vector>

namespace lanewise::trace::kineto_json {
namespace {

using schema::EventTable;
using schema::Row;

std::vector<Row> begin_end_rows(const EventTable& events) {
  std::vector<Row> rows;
  for (size_t s = 0; s < events.phase.segment_count(); ++s) {
    const auto phases = events.phase.segment(s);
    for (size_t i = 0; i < phases.size(); ++i) {
      if (phases[i] == 'B' || phases[i] == 'E') rows.push_back(static_cast<Row>(s * store::kSegmentRows + i));
    }
  }
  return rows;
}

}  // namespace

void pair_begin_end(schema::EventTableBuilder& builder, schema::Ledger& ledger) {
  const EventTable events = builder.publish();
  std::vector<Row> rows = begin_end_rows(events);
  if (rows.empty()) return;
  std::stable_sort(rows.begin(), rows.end(), [&](Row a, Row b) {
    if (events.track[a] != events.track[b]) return events.track[a] < events.track[b];
    return events.ts_ns[a] < events.ts_ns[b];
  });

  std::vector<Row> unpaired;
  std::vector<Row> open;
  const auto matches = [&](Row begin, Row end) {
    return events.name[end] == store::kNoString || events.name[end] == events.name[begin];
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row row = rows[i];
    if (i > 0 && events.track[row] != events.track[rows[i - 1]]) {
      unpaired.insert(unpaired.end(), open.begin(), open.end());
      open.clear();
    }
    if (events.has(row, schema::kNoTime)) {
      unpaired.push_back(row);
    } else if (events.phase[row] == 'B') {
      open.push_back(row);
    } else {
      const auto at = std::find_if(open.rbegin(), open.rend(), [&](Row begin) { return matches(begin, row); });
      if (at == open.rend()) {
        unpaired.push_back(row);
      } else {
        builder.set_duration(*at, events.ts_ns[row] - events.ts_ns[*at]);
        open.erase(std::next(at).base());
      }
    }
  }
  unpaired.insert(unpaired.end(), open.begin(), open.end());
  std::sort(unpaired.begin(), unpaired.end());
  for (const Row row : unpaired) {
    builder.set_flags(row, static_cast<uint8_t>(events.flags[row] | schema::kUnpaired));
    ledger.add(events.phase[row] == 'B' ? "unpaired_begin" : "unpaired_end", events.offset[row], 0);
    ++ledger.unpaired;
  }
}

}  // namespace lanewise::trace::kineto_json
