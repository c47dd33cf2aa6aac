// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/public_tables.h"

#include <algorithm>
#include <tuple>

#include "trace/device_analysis/public_schema.h"

namespace lanewise::trace::device_analysis {

using device::kNone;

void PublicBuilder::add(PublicTable table, std::string_view why_empty) const {
  std::vector<std::string> empty;
  Table made = table.take(&empty);
  if (made.rows() == 0) {
    out->left_out[made.name()] = why_empty;
    return;
  }
  if (!empty.empty()) out->empty[made.name()] = std::move(empty);
  out->tables.push_back(std::move(made));
}

std::vector<int64_t> transfer_ids(const device::DeviceProfile& profile) {
  std::map<std::tuple<uint16_t, uint32_t, uint32_t, uint32_t>, int64_t> known;
  std::vector<int64_t> ids;
  int64_t next = 1;
  for (const device::DmaRun& run : profile.dmas) {
    if (run.dma_engine == UINT16_MAX || run.trigger == kNone) {
      ids.push_back(next++);
      continue;
    }
    const auto [at, fresh] = known.try_emplace({run.core, run.queue, run.trigger, run.iteration}, next);
    next += fresh;
    ids.push_back(at->second);
  }
  return ids;
}

PublicTables public_tables(const Subject& subject) {
  PublicTables out;
  const Dependencies dependencies(subject.profile, subject.machine);
  const PublicBuilder builder{subject, dependencies, &out};
  add_public_events(builder);
  add_public_dmas(builder);
  add_public_series(builder);
  add_public_sources(builder);
  add_public_framework(builder);
  add_public_lookups(builder);
  const auto place = [](const Table& table) { return find_public_schema(table.name()); };
  std::stable_sort(out.tables.begin(), out.tables.end(), [&](const Table& a, const Table& b) { return place(a) < place(b); });
  return out;
}

}  // namespace lanewise::trace::device_analysis
