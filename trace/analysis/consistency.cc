// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/consistency.h"

#include <algorithm>
#include <array>
#include <map>

#include "trace/analysis/id_index.h"
#include "trace/analysis/table.h"
#include "trace/analysis/time_limits.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::analysis {
namespace {

using schema::ArgKey;
using schema::EventTable;
using schema::Role;
using schema::Row;
using Kind = RecordFaultKind;

constexpr int64_t kAbsent = store::null_value<int64_t>();

void check_waits(const EventTable& events, const Links& links, RecordFaults* out) {
  const auto& records = events.arg(ArgKey::wait_correlation);
  if (records.size() == 0) return;
  std::vector<IdIndex::Entry> entries;
  for (const RuntimeCall& call : links.calls) {
    if (events.correlation[call.row] != schema::kNoId) entries.push_back({events.correlation[call.row], call.row});
  }
  const IdIndex calls(std::move(entries));
  for (size_t i = 0; i < records.size(); ++i) {
    const Row wait = records.row(i);
    if (events.role_of(wait) != Role::sync || !has_span(events, wait)) continue;
    ++out->looked_at[static_cast<size_t>(Kind::wait_without_record)];
    ++out->looked_at[static_cast<size_t>(Kind::record_after_wait)];
    const auto found = records.value(i) > 0 ? calls.find(records.value(i)) : calls.find(schema::kNoId);
    if (found.empty()) {
      out->faults.push_back({Kind::wait_without_record, wait, kNullInteger, records.value(i) > 0 ? "the record that it names is not in the file" : "it names no record"});
    } else if (const int64_t late = events.ts_ns[found.front().row] - events.ts_ns[wait]; late > 0) {
      out->faults.push_back({Kind::record_after_wait, wait, late, "the record that it names was made later"});
    }
  }
}

void check_collectives(const Model& model, uint32_t part, RecordFaults* out) {
  constexpr auto kFields = std::to_array({ArgKey::collective, ArgKey::collective_dtype, ArgKey::in_elements, ArgKey::out_elements, ArgKey::group_size});
  const EventTable& events = model.events(part);
  std::map<store::StringId, bool> known;
  for (const DeviceEvent& event : model.file(part).links.device_events) {
    const store::StringId name = events.name[event.row];
    if (events.role_of(event.row) != Role::kernel || name == store::kNoString) continue;
    const auto [at, added] = known.try_emplace(name, false);
    if (added) at->second = model.session().producers().is_collective(model.session().text(name));
    if (!at->second) continue;
    ++out->looked_at[static_cast<size_t>(Kind::bare_collective)];
    std::string missing;
    for (const ArgKey key : kFields) {
      if (events.arg(key).find(event.row) == kAbsent) missing += (missing.empty() ? "" : ", ") + std::string(schema::arg_column(key).key);
    }
    if (!missing.empty()) out->faults.push_back({Kind::bare_collective, event.row, kNullInteger, "does not tell " + missing});
  }
}

void check_sequences(const EventTable& events, const Nesting& nesting, RecordFaults* out) {
  const auto &sequences = events.arg(ArgKey::sequence), &threads = events.arg(ArgKey::forward_thread);
  // (forward thread, number) -> operators of backward.
  std::map<std::pair<int64_t, int64_t>, std::vector<Row>> ops;
  for (size_t i = 0; i < threads.size(); ++i) {
    const Row row = threads.row(i);
    const int64_t sequence = sequences.find(row);
    if (threads.value(i) > 0 && sequence != kAbsent && sequence >= 0 && events.role_of(row) == Role::cpu_op && has_span(events, row)) {
      ops[{threads.value(i), sequence}].push_back(row);
    }
  }
  for (const auto& [key, rows] : ops) {
    ++out->looked_at[static_cast<size_t>(Kind::shared_sequence)];
    const auto inside = [&, &rows = rows](Row row) {
      for (row = nesting.parent[row]; row != kNoRow; row = nesting.parent[row]) {
        if (std::find(rows.begin(), rows.end(), row) != rows.end()) return true;
      }
      return false;
    };
    Row first = kNoRow;
    for (const Row row : rows) {
      if (inside(row)) continue;
      if (first != kNoRow) {
        out->faults.push_back({Kind::shared_sequence, row, kNullInteger, "has sequence number " + std::to_string(key.second) + " as event " + std::to_string(first) + " has"});
        break;
      }
      first = row;
    }
  }
}

}  // namespace

RecordFaults find_record_faults(const Model& model, uint32_t part) {
  RecordFaults out;
  const FileModel& file = model.file(part);
  check_waits(model.events(part), file.links, &out);
  check_collectives(model, part, &out);
  check_sequences(model.events(part), file.nesting, &out);
  return out;
}

}  // namespace lanewise::trace::analysis
