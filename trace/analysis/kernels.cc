// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/kernels.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "trace/analysis/device_time.h"

namespace lanewise::trace::analysis {
namespace {

using schema::Role;
using store::StringId;

struct Kernel {
  StringId name;
  uint32_t device;
  Role role;
  int64_t calls = 0, sum = 0, clipped = 0, min = std::numeric_limits<int64_t>::max(), max = 0, linked = 0;
  Intervals spans;
  std::unordered_map<StringId, uint64_t> ops;
};

// Of each device event: when the next one of its lane starts; the largest time when none does.
std::vector<int64_t> next_starts(const schema::EventTable& events, const std::vector<DeviceEvent>& device_events) {
  std::vector<size_t> order(device_events.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return device_events[a].start_ns < device_events[b].start_ns; });
  std::vector<int64_t> next(device_events.size());
  std::unordered_map<uint64_t, int64_t> starts;
  for (size_t i = order.size(); i-- > 0;) {
    const DeviceEvent& event = device_events[order[i]];
    const auto at = starts.try_emplace(lane_of(events, event.row), std::numeric_limits<int64_t>::max()).first;
    next[order[i]] = at->second;
    at->second = event.start_ns;
  }
  return next;
}

}  // namespace

Result<Table> kernels_table(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  std::map<std::tuple<uint32_t, StringId, Role>, Kernel> kernels;
  std::map<uint32_t, int64_t> device_sum;
  for (const FileModel& file : model.files()) {
    if (file.repeats) continue;
    const auto& events = model.events(file.part);
    const std::vector<int64_t> next = next_starts(events, file.links.device_events);
    for (size_t i = 0; i < file.links.device_events.size(); ++i) {
      const DeviceEvent& event = file.links.device_events[i];
      const StringId name = events.name[event.row];
      if (!filter.event(file.part, event) || !filter.name(name)) continue;
      const Role role = events.role_of(event.row);
      Kernel& kernel = kernels.try_emplace({event.device, name, role}, Kernel{.name = name, .device = event.device, .role = role}).first->second;
      const int64_t duration = event.end_ns - event.start_ns;
      ++kernel.calls;
      kernel.sum += duration;
      kernel.clipped += std::min(event.end_ns, next[i]) - event.start_ns;
      kernel.spans.push_back({event.start_ns, event.end_ns});
      kernel.min = std::min(kernel.min, duration);
      kernel.max = std::max(kernel.max, duration);
      device_sum[event.device] += duration;
      if (!event.op) continue;
      ++kernel.linked;
      ++kernel.ops[events.name[event.op.row]];
    }
  }
  std::vector<const Kernel*> order;
  for (const auto& [key, kernel] : kernels) order.push_back(&kernel);
  std::stable_sort(order.begin(), order.end(), [](const Kernel* a, const Kernel* b) { return a->sum > b->sum; });

  Table table("rows", {{"name", ColumnType::text},  {"device", ColumnType::text}, {"part", ColumnType::integer}, {"kind", ColumnType::text},
                       {"calls", ColumnType::count}, {"sum_ns", ColumnType::ns},   {"union_ns", ColumnType::ns},  {"clipped_ns", ColumnType::ns},
                       {"min_ns", ColumnType::ns},   {"mean_ns", ColumnType::ns},  {"max_ns", ColumnType::ns},   {"share", ColumnType::real},  {"linked", ColumnType::count}, {"op", ColumnType::text}});
  table.set_owner(model.shared_session());
  for (const Kernel* kernel : order) {
    const Device& device = model.devices()[kernel->device];
    const int64_t whole = device_sum[kernel->device];
    auto row = table.row();
    row.pooled(model.session().text(kernel->name)).text(device.name).integer(device.part).pooled(schema::role_name(kernel->role));
    row.integer(kernel->calls).integer(kernel->sum).integer(length_of(join_intervals(kernel->spans))).integer(kernel->clipped).integer(kernel->min).integer(kernel->sum / kernel->calls).integer(kernel->max);
    row.real(whole == 0 ? 0 : 100.0 * static_cast<double>(kernel->sum) / static_cast<double>(whole)).integer(kernel->linked);
    const auto most = std::max_element(kernel->ops.begin(), kernel->ops.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second < b.second : a.first > b.first;
    });
    most == kernel->ops.end() ? row.null() : row.pooled(model.session().text(most->first));
  }
  return table;
}

}  // namespace lanewise::trace::analysis
