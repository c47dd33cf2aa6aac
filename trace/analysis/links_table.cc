// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/links_table.h"

#include <map>

namespace lanewise::trace::analysis {

Result<std::vector<Table>> links_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  Table rows("rows", {{"event", ColumnType::event},     {"name", ColumnType::text},        {"device", ColumnType::text},
                      {"start", ColumnType::ns},        {"dur_ns", ColumnType::ns},        {"call", ColumnType::event},
                      {"call_name", ColumnType::text},  {"call_method", ColumnType::text}, {"call_confidence", ColumnType::real},
                      {"latency_ns", ColumnType::ns},   {"behind_call", ColumnType::count}, {"op", ColumnType::event},
                      {"op_name", ColumnType::text},    {"op_method", ColumnType::text},   {"op_confidence", ColumnType::real}});
  rows.set_owner(model.shared_session());
  std::map<LinkMethod, int64_t> calls, ops;
  int64_t total = 0;
  for (const FileModel& file : model.files()) {
    if (file.repeats) continue;
    const uint32_t part = file.part;
    const auto& events = model.events(part);
    for (const DeviceEvent& event : file.links.device_events) {
      if (!filter.event(part, event) || !filter.name(events.name[event.row])) continue;
      ++total;
      ++calls[event.call.method];
      ++ops[event.op.method];
      auto row = rows.row();
      row.event({part, event.row}).pooled(model.name(part, event.row)).pooled(model.devices()[event.device].name);
      row.integer(event.start_ns + model.offset_ns(part) - model.begin_ns()).integer(event.end_ns - event.start_ns);
      if (event.call) {
        row.event({part, event.call.row}).pooled(model.name(part, event.call.row));
        row.pooled(link_method_name(event.call.method)).real(event.call.confidence);
        row.integer(event.start_ns - events.ts_ns[event.call.row]).integer(file.links.call(event.call.row)->device_events);
      } else {
        row.null().null().pooled(link_method_name(LinkMethod::none)).real(0).null().null();
      }
      if (event.op) {
        row.event({part, event.op.row}).pooled(model.name(part, event.op.row));
        row.pooled(link_method_name(event.op.method)).real(event.op.confidence);
      } else {
        row.null().null().pooled(link_method_name(LinkMethod::none)).real(0);
      }
    }
  }
  Table methods("methods", {{"link", ColumnType::text}, {"method", ColumnType::text}, {"events", ColumnType::count}, {"share", ColumnType::real}});
  const auto add = [&](std::string_view link, const std::map<LinkMethod, int64_t>& counts) {
    for (const auto& [method, count] : counts) {
      methods.row().pooled(link).pooled(link_method_name(method)).integer(count).real(100.0 * static_cast<double>(count) / static_cast<double>(total));
    }
  };
  add("call", calls);
  add("op", ops);
  std::vector<Table> tables;
  tables.push_back(std::move(methods));
  tables.push_back(std::move(rows));
  return tables;
}

}  // namespace lanewise::trace::analysis
