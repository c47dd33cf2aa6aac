// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "server/timeline/timeline.h"
#include "trace/analysis/parallel.h"

namespace lanewise::server::timeline {

namespace {
constexpr uint32_t kNowhere = ~uint32_t{0};
}

uint32_t lane_id(std::string_view key) {
  uint32_t hash = 2166136261u;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash & 0x7fffffffu;
}

std::shared_ptr<const Timeline> Timeline::of_lanes(trace::schema::EventTable events, std::vector<MadeLane> made,
                                                   std::shared_ptr<const trace::store::StringPool> strings, int64_t begin, int64_t end) {
  const std::shared_ptr<Timeline> out(new Timeline);
  const size_t rows = events.rows();
  const auto names = std::make_shared<Names>(strings);
  names->add_text({});
  for (trace::schema::Row row = 0; row < rows; ++row) names->add(events.name[row]);
  std::vector<uint32_t>& lane_of = out->lane_of_.emplace_back(rows, kNowhere);
  std::vector<uint32_t>& row_of = out->row_of_.emplace_back(rows, kMaxRows);
  for (uint32_t k = 0; k < made.size(); ++k) {
    for (const Span& span : made[k].spans) lane_of[span.ordinal] = k;
  }
  trace::analysis::parallel_for(made.size(), 0, [&](size_t k) {
    Lane& lane = made[k].lane;
    std::vector<Span>& spans = made[k].spans;
    if (!std::is_sorted(spans.begin(), spans.end(), comes_before)) std::sort(spans.begin(), spans.end(), comes_before);
    std::vector<uint32_t> rows_of;
    lane.slices = make_slices(spans, 0, &rows_of);
    for (size_t i = 0; i < spans.size(); ++i) row_of[spans[i].ordinal] = rows_of[i];
    lane.repaired = BitMask(lane.slices.size());
    lane.overhead = BitMask(lane.slices.size());
    lane.names.resize(lane.slices.size());
    for (uint32_t i = 0; i < lane.slices.size(); ++i) {
      const trace::schema::Row row = lane.slices.ordinal[i];
      lane.names[i] = names->index_of(events.name[row]);
      if (events.role_of(row) == trace::schema::Role::overhead) lane.overhead.set(i);
    }
    lane.overhead.freeze();
    spans = {};
  });
  std::set<uint32_t> taken;
  for (uint32_t k = 0; k < made.size(); ++k) {
    Lane& lane = out->lanes_.emplace_back(std::move(made[k].lane));
    lane.id = lane_id(lane.key);
    while (!taken.insert(lane.id).second) lane.id = (lane.id + 1) & 0x7fffffffu;
    out->by_id_.emplace_back(lane.id, k);
  }
  std::sort(out->by_id_.begin(), out->by_id_.end());
  PartTables part;
  part.events = std::move(events);
  out->parts_.push_back(std::move(part));
  out->names_ = names;
  out->strings_ = std::move(strings);
  out->begin_ = begin;
  out->end_ = end;
  return out;
}

}  // namespace lanewise::server::timeline
