// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/device_time.h"

#include <algorithm>

#include "trace/analysis/time_limits.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::analysis {
namespace {

using schema::ArgKey;
using schema::EventTable;
using schema::Role;
using schema::Row;

// The name that captures of the simulated device give its lag.
constexpr std::string_view kLagName = "sim_lag";

const DeviceTimeline::Source* source_at(const std::vector<DeviceTimeline::Source>& sources, int64_t moment) {
  // Sources hardly overlap: look back from the last that began.
  auto at = std::upper_bound(sources.begin(), sources.end(), moment, [](int64_t t, const auto& s) { return t < s.span.begin; });
  while (at != sources.begin()) {
    --at;
    if (at->span.end > moment) return &*at;
  }
  return nullptr;
}

Intervals spans_of(std::vector<DeviceTimeline::Source>* sources) {
  std::stable_sort(sources->begin(), sources->end(), [](const auto& a, const auto& b) { return a.span.begin < b.span.begin; });
  Intervals spans;
  for (const auto& source : *sources) spans.push_back(source.span);
  return join_intervals(std::move(spans));
}

int64_t positive(int64_t value) { return value == store::null_value<int64_t>() || value < 0 ? 0 : value; }

}  // namespace

uint64_t lane_of(const EventTable& events, Row row) {
  const uint32_t track = events.track[row];
  const auto& originals = events.arg(ArgKey::original_stream);
  if (originals.size() == 0) return track;
  int64_t stream = originals.find(row);
  if (stream == store::null_value<int64_t>()) stream = events.stream[row];
  if (stream == schema::kNoId) return track;
  return uint64_t{1} << 63 | uint64_t{events.track_pid[track]} << 32 | static_cast<uint32_t>(stream);
}

std::pair<int64_t, int64_t> overhead_of(const EventTable& events, const DeviceEvent& event) {
  const auto arg = [&](ArgKey key) { return positive(events.arg(key).find(event.row)); };
  int64_t before = arg(ArgKey::overhead_before_ns), after = arg(ArgKey::overhead_after_ns);
  if (before == 0 && after == 0) before = arg(ArgKey::exec_overhead_ns) + arg(ArgKey::capture_overhead_ns);
  const int64_t duration = event.end_ns - event.start_ns;
  before = std::min(before, duration);
  return {before, std::min(after, duration - before)};
}

DeviceTimeline device_timeline(const Model& model, uint32_t device) {
  const Device& own = model.devices()[device];
  const EventTable& events = model.events(own.part);
  const int64_t offset = model.offset_ns(own.part);
  DeviceTimeline timeline;
  timeline.device = device;
  for (const DeviceEvent& event : model.file(own.part).links.device_events) {
    if (event.device == device) timeline.events.push_back(&event);
  }
  std::stable_sort(timeline.events.begin(), timeline.events.end(),
                   [](const DeviceEvent* a, const DeviceEvent* b) { return a->start_ns < b->start_ns; });
  const bool has_args = events.arg(ArgKey::overhead_before_ns).size() > 0 || events.arg(ArgKey::overhead_after_ns).size() > 0 ||
                        events.arg(ArgKey::exec_overhead_ns).size() > 0;
  Intervals occupied, work, overhead;
  for (const DeviceEvent* event : timeline.events) {
    const auto [before, after] = has_args ? overhead_of(events, *event) : std::pair<int64_t, int64_t>();
    occupied.push_back({event->start_ns + offset, event->end_ns + offset});
    work.push_back({event->start_ns + before + offset, event->end_ns - after + offset});
  }
  // Rows about the device that are no device events: in its own file, and in a system trace beside it.
  for (const FileModel& file : model.files()) {
    const bool beside = model.session().files()[file.part].repeats_part == own.part;
    if (file.part != own.part && !beside) continue;
    const EventTable& rows = model.events(file.part);
    const store::StringId lag_name = model.session().strings().find(kLagName);
    for (Row row = 0; row < rows.rows(); ++row) {
      const Role role = rows.role_of(row);
      if ((role != Role::overhead && role != Role::wait) || !has_span(rows, row)) continue;
      const Interval span{model.start_ns(file.part, row), slice_end(rows, row) + model.offset_ns(file.part)};
      if (role == Role::wait) {
        if (rows.name[row] == lag_name && model.device_name(file.part, row) == own.name) {
          timeline.lag_sources.push_back({span, file.part, row});
        }
      } else if (file.part == own.part) {
        const auto of_device = model.device_of_row(file.part, row);
        if (!of_device) timeline.profiler_sources.push_back({span, file.part, row});
        else if (*of_device == device) overhead.push_back(span);
      }
    }
  }
  timeline.occupied = join_intervals(std::move(occupied));
  timeline.work = join_intervals(std::move(work));
  if (!overhead.empty()) timeline.work = subtract(timeline.work, join_intervals(std::move(overhead)));
  timeline.lag = spans_of(&timeline.lag_sources);
  timeline.profiler = spans_of(&timeline.profiler_sources);
  return timeline;
}

std::pair<uint32_t, Row> DeviceTimeline::lag_row(int64_t moment) const {
  const Source* source = source_at(lag_sources, moment);
  return source ? std::pair(source->part, source->row) : std::pair(uint32_t{0}, kNoRow);
}

Row DeviceTimeline::profiler_row(int64_t moment) const {
  const Source* source = source_at(profiler_sources, moment);
  return source ? source->row : kNoRow;
}

}  // namespace lanewise::trace::analysis
