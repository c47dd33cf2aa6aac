// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "trace/analysis/gaps.h"

namespace lanewise::trace::analysis {
namespace {

void add_causes(std::vector<ColumnSpec>* columns) {
  for (size_t i = 0; i < kCauses; ++i) columns->push_back({"causes." + std::string(cause_name(static_cast<Cause>(i))), ColumnType::ns});
}

Table gap_table(const Model& model, const GapsReport& report) {
  Table table("gaps", {{"device", ColumnType::text},
                       {"part", ColumnType::integer},
                       {"start", ColumnType::ns},
                       {"dur_ns", ColumnType::ns},
                       {"cause", ColumnType::text},
                       {"op", ColumnType::text},
                       {"event", ColumnType::event}});
  table.set_owner(model.shared_session());
  std::vector<const Gap*> gaps;
  for (const DeviceGaps& device : report.devices) {
    for (const Gap& gap : device.gaps) gaps.push_back(&gap);
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const Gap* a, const Gap* b) { return a->dur_ns > b->dur_ns; });
  for (const Gap* gap : gaps) {
    const Device& device = model.devices()[gap->device];
    auto row = table.row();
    row.text(device.name).integer(device.part).integer(gap->start_ns - model.begin_ns()).integer(gap->dur_ns);
    row.pooled(cause_name(gap->cause));
    gap->op == kNoRow ? row.null() : row.pooled(model.name(device.part, gap->op));
    gap->event == kNoRow ? row.null() : row.event({gap->event_part, gap->event});
  }
  return table;
}

Table step_table(const Model& model, const GapsReport& report) {
  std::vector<ColumnSpec> columns = {{"step", ColumnType::integer}, {"device", ColumnType::text}, {"part", ColumnType::integer},
                                     {"start", ColumnType::ns},     {"wall_ns", ColumnType::ns},  {"busy_ns", ColumnType::ns}};
  add_causes(&columns);
  Table table("steps", std::move(columns));
  for (const StepGaps& step : report.steps) {
    const Device& device = model.devices()[step.device];
    auto row = table.row();
    row.integer(step.number).text(device.name).integer(device.part).integer(step.start_ns - model.begin_ns());
    row.integer(step.wall_ns).integer(step.busy_ns);
    for (const int64_t ns : step.causes) row.integer(ns);
  }
  return table;
}

}  // namespace

Table gaps_device_table(const Model& model, const GapsReport& report) {
  std::vector<ColumnSpec> columns = {{"device", ColumnType::text},  {"part", ColumnType::integer},       {"rank", ColumnType::integer},
                                     {"wall_ns", ColumnType::ns},   {"device_window_ns", ColumnType::ns}, {"idle_inside_ns", ColumnType::ns},
                                     {"busy_ns", ColumnType::ns}};
  add_causes(&columns);
  Table table("devices", std::move(columns));
  for (const DeviceGaps& gaps : report.devices) {
    const Device& device = model.devices()[gaps.device];
    auto row = table.row();
    row.text(device.name).integer(device.part).integer(model.rank(device.part).value_or(kNullInteger));
    row.integer(gaps.wall_ns).integer(gaps.device_window_ns).integer(gaps.idle_inside_ns).integer(gaps.busy_ns);
    for (const int64_t ns : gaps.causes) row.integer(ns);
  }
  return table;
}

std::vector<Table> gaps_tables(const Model& model, const GapsReport& report) {
  std::vector<Table> tables;
  tables.push_back(gaps_device_table(model, report));
  tables.push_back(gap_table(model, report));
  tables.push_back(step_table(model, report));
  return tables;
}

}  // namespace lanewise::trace::analysis
