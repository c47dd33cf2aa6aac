// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/launches.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "trace/analysis/asked.h"
#include "trace/analysis/device_time.h"
#include "trace/analysis/intervals.h"
#include "trace/analysis/numbers.h"

namespace lanewise::trace::analysis {
namespace {

using schema::Row;

// How long the lane of an event was still busy with earlier events, from a moment on.
class LaneEnds {
 public:
  LaneEnds(const schema::EventTable& events, std::vector<const DeviceEvent*> by_start) {
    std::map<uint64_t, int64_t> latest;
    for (const DeviceEvent* event : by_start) {
      const auto [at, first] = latest.try_emplace(lane_of(events, event->row), kNothing);
      before_[event->row] = at->second;
      at->second = std::max(at->second, event->end_ns);
    }
  }
  static constexpr int64_t kNothing = std::numeric_limits<int64_t>::min();
  // The latest end of events of its lane that started before it (file time); kNothing when it is the first.
  int64_t before(const DeviceEvent& event) const { return before_.at(event.row); }

 private:
  std::unordered_map<Row, int64_t> before_;
};

void find_depths(std::vector<Launch>* launches) {
  std::vector<int64_t> ends;
  for (const Launch& launch : *launches) ends.push_back(launch.end_ns);
  std::sort(ends.begin(), ends.end());
  for (size_t i = 0; i < launches->size(); ++i) {
    // Work that ended before its own call began (clocks that disagree) was never waiting.
    const auto done = std::upper_bound(ends.begin(), ends.end(), (*launches)[i].begin_ns) - ends.begin();
    (*launches)[i].depth = std::max<int64_t>(0, static_cast<int64_t>(i) - done);
  }
}

void find_stretches(const Intervals& busy, DeviceLaunches* out) {
  const auto& launches = out->launches;
  // When the device was busy last before each launch started on it.
  const auto idle_before = [&](const Launch& launch) {
    auto at = std::lower_bound(busy.begin(), busy.end(), launch.start_ns, [](const Interval& s, int64_t t) { return s.begin < t; });
    if (at == busy.begin() || at == busy.end() || at->begin != launch.start_ns) return int64_t{0};
    return launch.start_ns - (at - 1)->end;
  };
  size_t begin = 0;
  const auto close = [&](size_t end) {
    if (end - begin >= kStretch) {
      Stretch stretch{begin, end - 1, 0, 0, begin};
      int64_t longest = -1;
      for (size_t i = begin; i < end; ++i) {
        const int64_t idle = idle_before(launches[i]);
        // The wait before the first launch belongs to what came before the stretch.
        if (i > begin) stretch.idle_ns += idle;
        if (i > begin && idle > longest) longest = idle, stretch.longest_wait = i;
      }
      stretch.busy_ns = launches[end - 1].end_ns - launches[begin].start_ns - stretch.idle_ns;
      out->stretches.push_back(stretch);
    }
    begin = end;
  };
  for (size_t i = 0; i < launches.size(); ++i) {
    const bool waited_for = launches[i].depth == 0 && launches[i].latency_ns() >= 0 && (i == begin || idle_before(launches[i]) > 0);
    if (!waited_for) {
      close(i);
      // It may open the next stretch itself when it found the queue empty.
      begin = launches[i].depth == 0 && launches[i].latency_ns() >= 0 ? i : i + 1;
    }
  }
  if (begin < launches.size()) close(launches.size());
}

struct Numbers {
  int64_t calls = 0, events = 0, host = 0, early = 0, depths = 0, deepest = 0, empty = 0;
  std::vector<int64_t> latencies, own;
  const Launch* slowest = nullptr;

  void add(const Launch& launch, int64_t host_ns) {
    ++calls;
    events += launch.device_events;
    host += host_ns;
    depths += launch.depth;
    deepest = std::max(deepest, launch.depth);
    empty += launch.depth == 0;
    if (launch.latency_ns() < 0) {
      ++early;
      return;
    }
    latencies.push_back(launch.latency_ns());
    own.push_back(launch.latency_ns() - launch.queued_ns);
    if (slowest == nullptr || launch.latency_ns() > slowest->latency_ns()) slowest = &launch;
  }
  double share(int64_t part) const { return calls == 0 ? 0 : static_cast<double>(part) / static_cast<double>(calls); }
  void write(Table::RowWriter* row) {
    std::sort(latencies.begin(), latencies.end());
    std::sort(own.begin(), own.end());
    if (latencies.empty()) row->null().null().null().null();
    else row->integer(at_percent(latencies, 50)).integer(at_percent(latencies, 95)).integer(latencies.back()).integer(at_percent(own, 50));
    row->real(share(depths));
  }
};

}  // namespace

std::vector<DeviceLaunches> find_launches(const Model& model, const Filter& filter) {
  std::vector<DeviceLaunches> out;
  for (uint32_t d = 0; d < model.devices().size(); ++d) {
    const uint32_t part = model.devices()[d].part;
    const FileModel& file = model.file(part);
    if (file.repeats || !filter.part(part) || !filter.device(d)) continue;
    const schema::EventTable& events = model.events(part);
    const int64_t offset = model.offset_ns(part);
    std::vector<const DeviceEvent*> by_start;
    for (const DeviceEvent& event : file.links.device_events) {
      if (event.device == d) by_start.push_back(&event);
    }
    std::stable_sort(by_start.begin(), by_start.end(), [](const DeviceEvent* a, const DeviceEvent* b) { return a->start_ns < b->start_ns; });
    const LaneEnds lanes(events, by_start);
    Intervals busy;
    std::unordered_map<Row, std::pair<size_t, Intervals>> of_call;
    DeviceLaunches own;
    own.device = d;
    for (const DeviceEvent* event : by_start) {
      busy.push_back({event->start_ns + offset, event->end_ns + offset});
      if (!event->call) continue;
      const auto [at, first] = of_call.try_emplace(event->call.row, own.launches.size(), Intervals());
      if (first) {
        Launch launch;
        launch.call = file.links.call(event->call.row);
        launch.first = event;
        launch.begin_ns = model.start_ns(part, event->call.row);
        launch.start_ns = event->start_ns + offset;
        launch.end_ns = launch.start_ns;
        if (const int64_t free = lanes.before(*event); free != LaneEnds::kNothing) {
          launch.queued_ns = std::max<int64_t>(0, std::min(free + offset, launch.start_ns) - launch.begin_ns);
        }
        own.launches.push_back(launch);
      }
      Launch& launch = own.launches[at->second.first];
      ++launch.device_events;
      launch.end_ns = std::max(launch.end_ns, event->end_ns + offset);
      at->second.second.push_back({event->start_ns, event->end_ns});
    }
    for (auto& [row, entry] : of_call) own.launches[entry.first].busy_ns = length_of(join_intervals(std::move(entry.second)));
    std::sort(own.launches.begin(), own.launches.end(), [](const Launch& a, const Launch& b) {
      return std::tie(a.begin_ns, a.call->row) < std::tie(b.begin_ns, b.call->row);
    });
    find_depths(&own.launches);
    std::erase_if(own.launches, [&](const Launch& launch) { return !filter.event(part, *launch.first); });
    find_stretches(join_intervals(std::move(busy)), &own);
    out.push_back(std::move(own));
  }
  return out;
}

Result<std::vector<Table>> launches_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  const std::vector<DeviceLaunches> found = find_launches(model, filter);
  Table devices("devices", {{"device", ColumnType::text},         {"part", ColumnType::integer},      {"launches", ColumnType::count},
                            {"device_events", ColumnType::count}, {"early", ColumnType::count},       {"latency_median_ns", ColumnType::ns},
                            {"latency_p95_ns", ColumnType::ns},   {"latency_max_ns", ColumnType::ns}, {"own_median_ns", ColumnType::ns},
                            {"depth_mean", ColumnType::real},     {"depth_max", ColumnType::count},   {"empty_share", ColumnType::real},
                            {"stretches", ColumnType::count},     {"stretch_idle_ns", ColumnType::ns}});
  Table stretches("stretches", {{"device", ColumnType::text},  {"part", ColumnType::integer}, {"start", ColumnType::ns}, {"dur_ns", ColumnType::ns},
                                {"launches", ColumnType::count}, {"busy_ns", ColumnType::ns}, {"idle_ns", ColumnType::ns}, {"op", ColumnType::text},
                                {"file", ColumnType::text},    {"line", ColumnType::integer}, {"event", ColumnType::event}});
  Table rows("rows", {{"name", ColumnType::text},           {"device", ColumnType::text},          {"part", ColumnType::integer},
                      {"calls", ColumnType::count},         {"device_events", ColumnType::count},  {"host_ns", ColumnType::ns},
                      {"latency_median_ns", ColumnType::ns}, {"latency_p95_ns", ColumnType::ns},   {"latency_max_ns", ColumnType::ns},
                      {"own_median_ns", ColumnType::ns},    {"depth_mean", ColumnType::real},      {"event", ColumnType::event}});
  for (Table* table : {&devices, &stretches, &rows}) table->set_owner(model.shared_session());
  AskerFinder askers(model);
  std::vector<std::pair<const Stretch*, const DeviceLaunches*>> all;
  struct ByName {
    uint32_t device, part;
    store::StringId name;
    Numbers numbers;
  };
  std::vector<ByName> names;
  for (const DeviceLaunches& own : found) {
    const Device& device = model.devices()[own.device];
    const schema::EventTable& events = model.events(device.part);
    Numbers total;
    std::map<store::StringId, Numbers> by_name;
    for (const Launch& launch : own.launches) {
      const store::StringId name = events.name[launch.call->row];
      if (!filter.name(name)) continue;
      const int64_t host = std::max<int64_t>(0, events.dur_ns[launch.call->row]);
      total.add(launch, host);
      by_name[name].add(launch, host);
    }
    int64_t idle = 0;
    for (const Stretch& stretch : own.stretches) {
      idle += stretch.idle_ns;
      all.emplace_back(&stretch, &own);
    }
    auto row = devices.row();
    row.pooled(device.name).integer(device.part).integer(total.calls).integer(total.events).integer(total.early);
    total.write(&row);
    row.integer(total.deepest).real(100 * total.share(total.empty)).integer(static_cast<int64_t>(own.stretches.size())).integer(idle);
    for (auto& [name, numbers] : by_name) names.push_back({own.device, device.part, name, std::move(numbers)});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first->idle_ns > b.first->idle_ns; });
  for (const auto& [stretch, own] : all) {
    const Device& device = model.devices()[own->device];
    const Launch &first = own->launches[stretch->first], &last = own->launches[stretch->last];
    const DeviceEvent& waited = *own->launches[stretch->longest_wait].first;
    auto row = stretches.row();
    row.pooled(device.name).integer(device.part).integer(first.start_ns - model.begin_ns()).integer(last.end_ns - first.start_ns);
    row.integer(static_cast<int64_t>(stretch->last - stretch->first + 1)).integer(stretch->busy_ns).integer(stretch->idle_ns);
    add_asker(model, device.part, askers.of_event(device.part, waited), &row);
    row.event({device.part, waited.row});
  }
  std::stable_sort(names.begin(), names.end(), [](const ByName& a, const ByName& b) { return a.numbers.calls > b.numbers.calls; });
  for (ByName& entry : names) {
    Numbers& numbers = entry.numbers;
    auto row = rows.row();
    row.pooled(model.session().text(entry.name)).pooled(model.devices()[entry.device].name).integer(entry.part);
    row.integer(numbers.calls).integer(numbers.events).integer(numbers.host);
    numbers.write(&row);
    numbers.slowest == nullptr ? row.null() : row.event({entry.part, numbers.slowest->call->row});
  }
  std::vector<Table> tables;
  tables.push_back(std::move(devices));
  tables.push_back(std::move(stretches));
  tables.push_back(std::move(rows));
  return tables;
}

}  // namespace lanewise::trace::analysis
