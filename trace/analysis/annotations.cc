// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/annotations.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "trace/analysis/intervals.h"
#include "trace/analysis/time_limits.h"

namespace lanewise::trace::analysis {
namespace {

using schema::EventTable;
using schema::Role;
using schema::Row;

struct Range {
  uint32_t part = 0;
  Row row = kNoRow;
  int64_t kernels = 0, device_ns = 0, backward_kernels = 0, backward_ns = 0;
  int64_t first_ns = std::numeric_limits<int64_t>::max(), last_ns = std::numeric_limits<int64_t>::min();
  Intervals spans;
};

// Which ranges of a file hold a row, innermost first.
class Ranges {
 public:
  Ranges(const Model& model, uint32_t part, const Filter& filter) : events_(model.events(part)), nesting_(model.file(part).nesting) {
    for (const Row row : nesting_.order) {
      if (events_.role_of(row) != Role::annotation || !filter.host(part, row) || !filter.name(events_.name[row])) continue;
      index_.emplace(row, ranges_.size());
      ranges_.push_back({part, row, 0, 0, 0, 0, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(), {}});
    }
  }
  bool empty() const { return ranges_.empty(); }
  template <typename Visit>
  void around(Row row, const Visit& visit) {
    for (; row != kNoRow; row = nesting_.parent[row]) {
      if (events_.role_of(row) != Role::annotation) continue;
      const auto at = index_.find(row);
      if (at != index_.end()) visit(&ranges_[at->second]);
    }
  }
  std::vector<Range>& all() { return ranges_; }

 private:
  const EventTable& events_;
  const Nesting& nesting_;
  std::vector<Range> ranges_;
  std::unordered_map<Row, size_t> index_;
};

// The forward operator of the row or of what holds it.
Row forward_of(const FileModel& file, Row row) {
  for (; row != kNoRow; row = file.nesting.parent[row]) {
    if (const Link forward = file.links.forward_of(row)) return forward.row;
  }
  return kNoRow;
}

void add_event(const FileModel& file, const DeviceEvent& event, int64_t offset, Ranges* ranges) {
  const Row asked = event.op ? event.op.row : event.call ? event.call.row : kNoRow;
  if (asked == kNoRow) return;
  std::vector<Range*> own;
  const int64_t duration = event.end_ns - event.start_ns;
  ranges->around(asked, [&](Range* range) {
    own.push_back(range);
    ++range->kernels;
    range->device_ns += duration;
    range->first_ns = std::min(range->first_ns, event.start_ns + offset);
    range->last_ns = std::max(range->last_ns, event.end_ns + offset);
    range->spans.push_back({event.start_ns + offset, event.end_ns + offset});
  });
  const Row forward = forward_of(file, asked);
  if (forward == kNoRow) return;
  ranges->around(forward, [&](Range* range) {
    if (std::find(own.begin(), own.end(), range) != own.end()) return;
    ++range->backward_kernels;
    range->backward_ns += duration;
  });
}

struct Group {
  int64_t calls = 0, host = 0, kernels = 0, device = 0, backward_kernels = 0, backward = 0, longest = -1, recorded = kNullInteger;
  Intervals spans;
  Row event = kNoRow;
};

}  // namespace

Result<std::vector<Table>> annotations_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  Table rows("rows", {{"name", ColumnType::text}, {"part", ColumnType::integer},  {"calls", ColumnType::count},   {"host_ns", ColumnType::ns},
                      {"kernels", ColumnType::count}, {"device_ns", ColumnType::ns}, {"busy_ns", ColumnType::ns}, {"backward_kernels", ColumnType::count},
                      {"backward_ns", ColumnType::ns}, {"recorded_ns", ColumnType::ns}, {"event", ColumnType::event}});
  Table list("ranges", {{"event", ColumnType::event}, {"name", ColumnType::text}, {"part", ColumnType::integer}, {"start", ColumnType::ns},
                        {"dur_ns", ColumnType::ns},   {"kernels", ColumnType::count}, {"device_start", ColumnType::ns}, {"device_end", ColumnType::ns},
                        {"device_ns", ColumnType::ns}, {"busy_ns", ColumnType::ns}, {"backward_kernels", ColumnType::count}, {"backward_ns", ColumnType::ns}});
  rows.set_owner(model.shared_session());
  list.set_owner(model.shared_session());
  std::map<std::pair<uint32_t, store::StringId>, Group> groups;
  for (const FileModel& file : model.files()) {
    if (file.repeats || !filter.part(file.part)) continue;
    const EventTable& events = model.events(file.part);
    Ranges ranges(model, file.part, filter);
    if (ranges.empty()) continue;
    for (const DeviceEvent& event : file.links.device_events) {
      if (filter.device(event.device)) add_event(file, event, model.offset_ns(file.part), &ranges);
    }
    std::sort(ranges.all().begin(), ranges.all().end(), [&](const Range& a, const Range& b) {
      return std::tuple(events.ts_ns[a.row], a.row) < std::tuple(events.ts_ns[b.row], b.row);
    });
    for (Range& range : ranges.all()) {
      range.spans = join_intervals(std::move(range.spans));
      auto row = list.row();
      const int64_t duration = std::max<int64_t>(0, events.dur_ns[range.row]);
      row.event({file.part, range.row}).pooled(model.name(file.part, range.row)).integer(file.part);
      row.integer(model.start_ns(file.part, range.row) - model.begin_ns()).integer(duration).integer(range.kernels);
      if (range.kernels == 0) row.null().null();
      else row.integer(range.first_ns - model.begin_ns()).integer(range.last_ns - model.begin_ns());
      row.integer(range.device_ns).integer(length_of(range.spans)).integer(range.backward_kernels).integer(range.backward_ns);
      Group& group = groups[{file.part, events.name[range.row]}];
      ++group.calls;
      group.host += duration;
      group.kernels += range.kernels, group.device += range.device_ns;
      group.backward_kernels += range.backward_kernels, group.backward += range.backward_ns;
      group.spans.insert(group.spans.end(), range.spans.begin(), range.spans.end());
      if (duration > group.longest) group.longest = duration, group.event = range.row;
    }
    for (Row row = 0; row < events.rows(); ++row) {
      if (events.role_of(row) != Role::device_annotation || !has_span(events, row)) continue;
      const auto at = groups.find({file.part, events.name[row]});
      if (at == groups.end()) continue;
      at->second.recorded = std::max<int64_t>(0, at->second.recorded) + std::max<int64_t>(0, events.dur_ns[row]);
    }
  }
  std::vector<std::pair<std::pair<uint32_t, store::StringId>, Group*>> order;
  for (auto& [key, group] : groups) order.emplace_back(key, &group);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tuple(-a.second->device, -a.second->host) < std::tuple(-b.second->device, -b.second->host);
  });
  for (auto& [key, group] : order) {
    auto row = rows.row();
    row.pooled(model.session().text(key.second)).integer(key.first).integer(group->calls).integer(group->host).integer(group->kernels);
    row.integer(group->device).integer(length_of(join_intervals(std::move(group->spans)))).integer(group->backward_kernels).integer(group->backward);
    row.integer(group->recorded).event({key.first, group->event});
  }
  std::vector<Table> tables;
  tables.push_back(std::move(rows));
  tables.push_back(std::move(list));
  return tables;
}

}  // namespace lanewise::trace::analysis
