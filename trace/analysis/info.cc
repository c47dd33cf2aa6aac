// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/info.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <vector>

#include "trace/schema/encoded_id.h"

namespace lanewise::trace::analysis {
namespace {

using schema::EventTable;
using schema::Role;
using schema::Row;

// Times that were clipped lie at the ends of the range: what goes beyond stays there.
int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
  return sum;
}
int64_t minus(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) return b < 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
  return difference;
}

struct Flow {
  uint64_t name;  // category and name
  int64_t id;
  bool start, end;
};

FlowCounts count_flows(std::vector<Flow> flows) {
  std::sort(flows.begin(), flows.end(),
            [](const Flow& a, const Flow& b) { return std::tie(a.name, a.id) < std::tie(b.name, b.id); });
  FlowCounts counts;
  for (size_t i = 0; i < flows.size();) {
    uint64_t starts = 0, ends = 0;
    size_t j = i;
    for (; j < flows.size() && flows[j].name == flows[i].name && flows[j].id == flows[i].id; ++j) {
      starts += flows[j].start;
      ends += flows[j].end;
    }
    i = j;
    ++counts.ids;
    counts.paired += starts > 0 && ends > 0;
    counts.start_only += starts > 0 && ends == 0;
    counts.end_only += ends > 0 && starts == 0;
    counts.reused += starts > 1 || ends > 1;
  }
  return counts;
}

void make_set(std::vector<int64_t>* ids) {
  std::sort(ids->begin(), ids->end());
  ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
}

struct Slice {
  int64_t start, dur;
  bool device;
};

uint64_t count_overlaps(const std::vector<Slice>& sorted, bool device_only) {
  std::vector<int64_t> open;
  uint64_t count = 0;
  for (const Slice& s : sorted) {
    if (device_only && !s.device) continue;
    while (!open.empty() && open.back() <= s.start) open.pop_back();
    const int64_t end = plus(s.start, s.dur);
    if (!open.empty() && end > open.back()) ++count;
    open.push_back(end);
  }
  return count;
}

DeviceTime device_time(std::vector<std::pair<int64_t, int64_t>> spans, int64_t origin) {
  std::sort(spans.begin(), spans.end());
  DeviceTime time;
  time.events = spans.size();
  time.first_ns = minus(spans.front().first, origin);
  int64_t last = std::numeric_limits<int64_t>::min(), end = 0;
  bool open = false;
  for (const auto& [from, to] : spans) {
    time.sum_ns = plus(time.sum_ns, minus(to, from));
    last = std::max(last, to);
    if (!open || from > end) {
      time.busy_ns = plus(time.busy_ns, minus(to, from));
      end = to;
      open = true;
    } else if (to > end) {
      time.busy_ns = plus(time.busy_ns, minus(to, end));
      end = to;
    }
  }
  time.last_ns = minus(last, origin);
  return time;
}

std::string phase_text(uint8_t phase) {
  if (phase == 0) return "(none)";
  if (phase == schema::kOtherPhase) return "(other)";
  return std::string(1, static_cast<char>(phase));
}

}  // namespace

FileInfo file_info(const session::Session& session, uint32_t part) {
  const EventTable& events = session.events(part);
  const size_t rows = events.rows();
  FileInfo info;
  info.total = rows;

  std::array<uint64_t, 256> phases{};
  std::map<store::StringId, uint64_t> categories;
  std::vector<Flow> flows;
  std::vector<int64_t> runtime_ids, device_ids;
  std::vector<Row> device_rows;
  std::vector<uint64_t> per_track(events.tracks() + 1);
  int64_t origin = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();

  for (Row row = 0; row < rows; ++row) {
    const uint8_t phase = events.phase[row];
    ++phases[phase];
    if (phase != 'M') ++categories[events.category[row]];
    if (phase == 's' || phase == 't' || phase == 'f') {
      flows.push_back({uint64_t{events.category[row]} << 32 | events.name[row], events.id[row], phase == 's', phase == 'f'});
    }
    if (phase != 'X') continue;
    const uint8_t flags = events.flags[row];
    if ((flags & schema::kNoTime) == 0) {
      info.cut_fractions += (flags & schema::kStartCut) != 0;
      info.cut_fractions += (flags & schema::kDurationCut) != 0;
      origin = std::min(origin, events.ts_ns[row]);
      last = std::max(last, plus(events.ts_ns[row], events.dur_ns[row]));
      ++per_track[events.track[row] + 1];
    }
    const Role role = events.role_of(row);
    const int64_t correlation = events.correlation[row];
    if (role == Role::runtime && correlation != schema::kNoId) runtime_ids.push_back(correlation);
    if (schema::is_device_row(role)) {
      if (correlation != schema::kNoId) device_ids.push_back(correlation);
      device_rows.push_back(row);
    }
  }
  for (size_t i = 0; i < phases.size(); ++i) {
    if (phases[i] > 0) info.by_phase[phase_text(static_cast<uint8_t>(i))] = phases[i];
  }
  for (const auto& [category, count] : categories) {
    info.by_category[category == store::kNoString ? "(none)" : std::string(session.text(category))] += count;
  }
  info.flows = count_flows(std::move(flows));
  make_set(&runtime_ids);
  make_set(&device_ids);
  info.correlation.runtime = runtime_ids.size();
  info.correlation.device = device_ids.size();
  for (const int64_t id : device_ids) {
    info.correlation.both += std::binary_search(runtime_ids.begin(), runtime_ids.end(), id);
  }
  if (origin > last) return info;
  info.span_ns = minus(last, origin);

  std::map<std::string, std::vector<std::pair<int64_t, int64_t>>> by_device;
  for (const Row row : device_rows) {
    const int64_t id = events.correlation[row];
    info.unattributed += id == schema::kNoId || !std::binary_search(runtime_ids.begin(), runtime_ids.end(), id);
    if (events.has(row, schema::kNoTime)) continue;
    const int64_t device = events.device[row];
    const store::StringId pid = events.track_of(row).pid;
    const std::string name = device != schema::kNoId   ? session.id_text(device)
                             : pid == store::kNoString ? "None"
                                                       : std::string(session.text(pid));
    by_device[name].emplace_back(events.ts_ns[row], plus(events.ts_ns[row], events.dur_ns[row]));
  }
  for (auto& [name, spans] : by_device) info.devices[name] = device_time(std::move(spans), origin);

  // Slices of each track in one piece: places by counting, then a sort within each.
  for (size_t i = 1; i < per_track.size(); ++i) per_track[i] += per_track[i - 1];
  std::vector<Slice> slices(per_track.back());
  std::vector<uint64_t> next(per_track.begin(), per_track.end() - 1);
  for (Row row = 0; row < rows; ++row) {
    if (events.phase[row] != 'X' || events.has(row, schema::kNoTime)) continue;
    slices[next[events.track[row]]++] = {events.ts_ns[row], events.dur_ns[row], schema::is_device_row(events.role_of(row))};
  }
  for (size_t track = 0; track + 1 < per_track.size(); ++track) {
    std::vector<Slice> own(slices.begin() + static_cast<ptrdiff_t>(per_track[track]),
                           slices.begin() + static_cast<ptrdiff_t>(per_track[track + 1]));
    std::sort(own.begin(), own.end(),
              [](const Slice& a, const Slice& b) { return a.start != b.start ? a.start < b.start : a.dur > b.dur; });
    info.overlapping += count_overlaps(own, false);
    info.overlapping_device += count_overlaps(own, true);
  }
  return info;
}

}  // namespace lanewise::trace::analysis
