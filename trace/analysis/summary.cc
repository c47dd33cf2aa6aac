// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/summary.h"

#include <algorithm>
#include <limits>
#include <map>

#include "trace/analysis/gaps.h"
#include "trace/analysis/ops.h"
#include "trace/analysis/time_limits.h"
#include "trace/analysis/trust.h"

namespace lanewise::trace::analysis {
namespace {

using schema::CallKind;
using schema::Row;

constexpr size_t kTopOps = 10;

Table files_table(const Model& model) {
  Table table("files", {{"part", ColumnType::integer},  {"path", ColumnType::text},   {"format", ColumnType::text},    {"rank", ColumnType::integer},
                        {"events", ColumnType::count},  {"bytes", ColumnType::bytes}, {"producers", ColumnType::text}, {"span_ns", ColumnType::ns}});
  for (const session::SessionFile& entry : model.session().files()) {
    std::string producers;
    for (const std::string& producer : entry.file.producers) producers += (producers.empty() ? "" : ", ") + producer;
    const schema::EventTable& events = entry.file.events;
    int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
    for (Row row = 0; row < events.rows(); ++row) {
      if (!has_span(events, row)) continue;
      first = std::min(first, events.ts_ns[row]);
      last = std::max(last, slice_end(events, row));
    }
    auto row = table.row();
    row.integer(entry.part).text(entry.file.path).text(entry.file.format).integer(entry.file.rank.value_or(kNullInteger));
    row.integer(static_cast<int64_t>(events.rows())).integer(static_cast<int64_t>(entry.file.ledger.input_bytes));
    row.text(producers).integer(first > last ? 0 : last - first);
  }
  return table;
}

Table hidden_table(const Model& model, const Filter& filter) {
  struct Kind {
    int64_t calls = 0, sum = 0, longest = -1;
    schema::EventId event;
  };
  std::map<CallKind, Kind> kinds;
  for (const FileModel& file : model.files()) {
    if (file.repeats || !filter.part(file.part)) continue;
    const schema::EventTable& events = model.events(file.part);
    for (const RuntimeCall& call : file.links.calls) {
      if (call.kind == CallKind::other || !filter.host(file.part, call.row)) continue;
      Kind& kind = kinds[call.kind];
      const int64_t duration = slice_length(events, call.row);
      ++kind.calls;
      kind.sum += duration;
      if (duration > kind.longest) kind.longest = duration, kind.event = {file.part, call.row};
    }
  }
  Table table("hidden", {{"kind", ColumnType::text}, {"calls", ColumnType::count}, {"host_ns", ColumnType::ns}, {"longest_ns", ColumnType::ns}, {"event", ColumnType::event}});
  for (const auto& [kind, k] : kinds) {
    table.row().pooled(schema::call_kind_name(kind)).integer(k.calls).integer(k.sum).integer(k.longest).event(k.event);
  }
  table.sort(*table.find("host_ns"), true);
  return table;
}

// Without the profiler's own steps and annotations, which hold everything.
Table top_ops(Table ops) {
  const auto& device = ops["self_device_ns"].integers;
  const bool any_device = std::any_of(device.begin(), device.end(), [](int64_t ns) { return ns > 0; });
  std::vector<size_t> rows;
  for (size_t row = 0; row < ops.rows(); ++row) {
    if (ops["device_type"].texts[row] == "CPU" && ops["annotation"].integers[row] == 0) rows.push_back(row);
  }
  ops.keep_rows(rows);
  ops.sort(*ops.find(any_device ? "self_device_ns" : "self_cpu_ns"), true);
  ops.keep_rows(kTopOps);
  ops.rename("top_ops");
  return ops;
}

}  // namespace

Result<std::vector<Table>> summary_tables(const Model& model, const Selection& selection) {
  LW_ASSIGN_OR_RETURN(const Filter filter, Filter::make(model, selection));
  LW_ASSIGN_OR_RETURN(const GapsReport gaps, find_gaps(model, selection));
  OpsOptions options;
  options.selection = selection;
  LW_ASSIGN_OR_RETURN(Table ops, ops_table(model, options));
  std::vector<Table> tables;
  tables.push_back(files_table(model));
  tables.push_back(gaps_device_table(model, gaps));
  tables.push_back(top_ops(std::move(ops)));
  tables.push_back(hidden_table(model, filter));
  tables.push_back(trust_table(model));
  return tables;
}

}  // namespace lanewise::trace::analysis
