// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/kernels.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

namespace lanewise::trace::analysis {
namespace {

using schema::Role;
using store::StringId;

struct Kernel {
  StringId name;
  uint32_t device;
  Role role;
  int64_t calls = 0, sum = 0, min = std::numeric_limits<int64_t>::max(), max = 0, linked = 0;
  std::unordered_map<StringId, uint64_t> ops;
};

}  // namespace

Result<Table> kernels_table(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  std::map<std::tuple<uint32_t, StringId, Role>, Kernel> kernels;
  std::map<uint32_t, int64_t> device_sum;
  for (const FileModel& file : model.files()) {
    if (file.repeats) continue;
    const auto& events = model.events(file.part);
    for (const DeviceEvent& event : file.links.device_events) {
      const StringId name = events.name[event.row];
      if (!filter.event(file.part, event) || !filter.name(name)) continue;
      const Role role = events.role_of(event.row);
      Kernel& kernel = kernels.try_emplace({event.device, name, role}, Kernel{name, event.device, role, 0, 0, std::numeric_limits<int64_t>::max(), 0, 0, {}}).first->second;
      const int64_t duration = event.end_ns - event.start_ns;
      ++kernel.calls;
      kernel.sum += duration;
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
                       {"calls", ColumnType::count}, {"sum_ns", ColumnType::ns},   {"min_ns", ColumnType::ns},    {"mean_ns", ColumnType::ns},
                       {"max_ns", ColumnType::ns},   {"share", ColumnType::real},  {"linked", ColumnType::count}, {"op", ColumnType::text}});
  table.set_owner(model.shared_session());
  for (const Kernel* kernel : order) {
    const Device& device = model.devices()[kernel->device];
    const int64_t whole = device_sum[kernel->device];
    auto row = table.row();
    row.pooled(model.session().text(kernel->name)).text(device.name).integer(device.part).pooled(schema::role_name(kernel->role));
    row.integer(kernel->calls).integer(kernel->sum).integer(kernel->min).integer(kernel->sum / kernel->calls).integer(kernel->max);
    row.real(whole == 0 ? 0 : 100.0 * static_cast<double>(kernel->sum) / static_cast<double>(whole)).integer(kernel->linked);
    const auto most = std::max_element(kernel->ops.begin(), kernel->ops.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second < b.second : a.first > b.first;
    });
    most == kernel->ops.end() ? row.null() : row.pooled(model.session().text(most->first));
  }
  return table;
}

}  // namespace lanewise::trace::analysis
