// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/overlap.h"

#include <algorithm>
#include <map>

#include "trace/analysis/asked.h"

namespace lanewise::trace::analysis {
namespace {

using schema::Role;

// What of a union lies in one interval.
int64_t length_within(const Intervals& spans, const Interval& window) {
  auto at = std::upper_bound(spans.begin(), spans.end(), window.begin, [](int64_t t, const Interval& s) { return t < s.end; });
  int64_t sum = 0;
  for (; at != spans.end() && at->begin < window.end; ++at) sum += std::min(at->end, window.end) - std::max(at->begin, window.begin);
  return sum;
}

}  // namespace

std::vector<DeviceOverlap> find_overlap(const Model& model, const Filter& filter) {
  std::vector<DeviceOverlap> out;
  std::map<store::StringId, bool> known;
  for (const FileModel& file : model.files()) {
    if (file.repeats || !filter.part(file.part)) continue;
    const schema::EventTable& events = model.events(file.part);
    const int64_t offset = model.offset_ns(file.part);
    std::map<uint32_t, DeviceOverlap> devices;
    for (const DeviceEvent& event : file.links.device_events) {
      if (!filter.event(file.part, event)) continue;
      DeviceOverlap& own = devices[event.device];
      own.device = event.device;
      const Interval span{event.start_ns + offset, event.end_ns + offset};
      if (events.role_of(event.row) != Role::kernel) {
        own.copies.push_back(span);
        continue;
      }
      const store::StringId name = events.name[event.row];
      const auto [at, added] = known.try_emplace(name, false);
      if (added) at->second = model.session().producers().is_collective(model.session().text(name));
      (at->second ? own.communication : own.compute).push_back(span);
      if (at->second) own.collectives.push_back(&event);
    }
    for (auto& [device, own] : devices) {
      own.compute = join_intervals(std::move(own.compute));
      own.communication = join_intervals(std::move(own.communication));
      own.copies = join_intervals(std::move(own.copies));
      out.push_back(std::move(own));
    }
  }
  return out;
}

Result<std::vector<Table>> overlap_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  const std::vector<DeviceOverlap> found = find_overlap(model, filter);
  Table devices("devices", {{"device", ColumnType::text},  {"part", ColumnType::integer}, {"rank", ColumnType::integer},     {"compute_ns", ColumnType::ns},
                            {"communication_ns", ColumnType::ns}, {"hidden_ns", ColumnType::ns}, {"exposed_ns", ColumnType::ns},
                            {"hidden_share", ColumnType::real}, {"copy_ns", ColumnType::ns}});
  Table rows("rows", {{"name", ColumnType::text},   {"device", ColumnType::text},   {"part", ColumnType::integer},  {"calls", ColumnType::count},
                      {"sum_ns", ColumnType::ns},   {"hidden_ns", ColumnType::ns},  {"exposed_ns", ColumnType::ns}, {"longest_exposed_ns", ColumnType::ns},
                      {"op", ColumnType::text},     {"file", ColumnType::text},     {"line", ColumnType::integer},  {"event", ColumnType::event}});
  Table steps("steps", {{"step", ColumnType::integer}, {"device", ColumnType::text}, {"part", ColumnType::integer}, {"compute_ns", ColumnType::ns},
                        {"communication_ns", ColumnType::ns}, {"hidden_ns", ColumnType::ns}, {"exposed_ns", ColumnType::ns}});
  for (Table* table : {&devices, &rows, &steps}) table->set_owner(model.shared_session());
  struct Collective {
    uint32_t device, part;
    int64_t calls = 0, sum = 0, longest = -1;
    Intervals spans;
    const DeviceEvent* worst = nullptr;
  };
  struct Row {
    const Collective* collective;
    int64_t hidden, exposed;
  };
  AskerFinder askers(model);
  std::map<std::pair<uint32_t, store::StringId>, Collective> collectives;
  std::vector<Row> order;
  for (const DeviceOverlap& own : found) {
    const Device& device = model.devices()[own.device];
    const int64_t communication = length_of(own.communication), hidden = own.hidden_ns();
    auto row = devices.row();
    row.pooled(device.name).integer(device.part).integer(model.rank(device.part).value_or(kNullInteger)).integer(length_of(own.compute));
    row.integer(communication).integer(hidden).integer(communication - hidden);
    communication == 0 ? row.null() : row.real(100.0 * static_cast<double>(hidden) / static_cast<double>(communication));
    row.integer(length_of(own.copies));
    for (const DeviceEvent* event : own.collectives) {
      const store::StringId name = model.events(device.part).name[event->row];
      if (!filter.name(name)) continue;
      Collective& c = collectives.try_emplace({own.device, name}, Collective{own.device, device.part, 0, 0, -1, {}, nullptr}).first->second;
      const Interval span{event->start_ns + model.offset_ns(device.part), event->end_ns + model.offset_ns(device.part)};
      const int64_t exposed = span.end - span.begin - length_within(own.compute, span);
      ++c.calls;
      c.sum += span.end - span.begin;
      c.spans.push_back(span);
      if (exposed > c.longest) c.longest = exposed, c.worst = event;
    }
    const Intervals both = intersect(own.compute, own.communication);
    for (const Step& step : model.steps()) {
      if (step.part != device.part) continue;
      if (!selection.steps.empty() && std::find(selection.steps.begin(), selection.steps.end(), step.number) == selection.steps.end()) continue;
      const Interval window{step.start_ns, step.end_ns};
      const int64_t in_communication = length_within(own.communication, window), in_both = length_within(both, window);
      steps.row().integer(step.number).pooled(device.name).integer(device.part).integer(length_within(own.compute, window))
          .integer(in_communication).integer(in_both).integer(in_communication - in_both);
    }
  }
  for (auto& [key, c] : collectives) {
    const auto own = std::find_if(found.begin(), found.end(), [&](const DeviceOverlap& o) { return o.device == c.device; });
    c.spans = join_intervals(std::move(c.spans));
    const int64_t hidden = length_of(intersect(c.spans, own->compute));
    order.push_back({&c, hidden, length_of(c.spans) - hidden});
  }
  std::stable_sort(order.begin(), order.end(), [](const Row& a, const Row& b) { return a.exposed > b.exposed; });
  for (const Row& entry : order) {
    const Collective& c = *entry.collective;
    auto row = rows.row();
    row.pooled(model.name(c.part, c.worst->row)).pooled(model.devices()[c.device].name).integer(c.part).integer(c.calls).integer(c.sum);
    row.integer(entry.hidden).integer(entry.exposed).integer(c.longest);
    add_asker(model, c.part, askers.of_event(c.part, *c.worst), &row);
    row.event({c.part, c.worst->row});
  }
  std::vector<Table> tables;
  tables.push_back(std::move(devices));
  tables.push_back(std::move(rows));
  tables.push_back(std::move(steps));
  return tables;
}

}  // namespace lanewise::trace::analysis
