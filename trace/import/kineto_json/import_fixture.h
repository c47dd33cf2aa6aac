// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: imports a text and writes everything that came out as one text, so that two imports can be compared whole.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "trace/import/kineto_json/import.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::kineto_json {

struct Imported {
  Status status;
  std::unique_ptr<store::StringPool> strings = std::make_unique<store::StringPool>();
  schema::TraceFile file;

  std::string_view text(store::StringId id) const { return strings->text(id); }
  std::string id(int64_t value) const {
    if (value == schema::kNoId) return "-";
    return schema::is_text_id(value) ? "'" + std::string(text(schema::text_of_id(value))) + "'" : std::to_string(value);
  }
};

inline Imported import_text(std::string_view bytes, const schema::ImportOptions& options = {.threads = 1},
                            const Tuning& tuning = {}) {
  Imported out;
  const auto source = input::memory_source(bytes);
  auto file = import_json(*source, *out.strings, schema::Producers::builtin(), options, tuning);
  out.status = file.ok() ? ok_status() : file.status();
  if (file.ok()) out.file = std::move(*file);
  return out;
}

// With `places`: offsets and lengths as well. Ids of strings are written beside their texts: they must agree, too.
inline std::string dump(const Imported& in, bool places = true) {
  if (!in.status.ok()) return in.status.to_string();
  const schema::EventTable& t = in.file.events;
  std::string out;
  const auto text = [&](store::StringId id) {
    return id == store::kNoString ? std::string("-") : std::to_string(id) + "'" + std::string(in.text(id)) + "'";
  };
  for (schema::Row row = 0; row < t.rows(); ++row) {
    out += std::to_string(row) + " ph=" + std::to_string(t.phase[row]) + " ts=" + std::to_string(t.ts_ns[row]) +
           " dur=" + std::to_string(t.dur_ns[row]) + " name=" + text(t.name[row]) + " cat=" + text(t.category[row]) +
           " track=" + std::to_string(t.track[row]) + " pid=" + text(t.track_of(row).pid) + " tid=" + text(t.track_of(row).tid) +
           " role=" + std::string(schema::role_name(t.role_of(row))) + " flags=" + std::to_string(t.flags[row]);
    if (places) out += " at=" + std::to_string(t.offset[row]) + "+" + std::to_string(t.length[row]);
    out += " id=" + in.id(t.id[row]) + " corr=" + in.id(t.correlation[row]) + " ext=" + in.id(t.external_id[row]) +
           " dev=" + in.id(t.device[row]) + " stream=" + in.id(t.stream[row]);
    for (size_t key = 0; key < schema::kArgKeys; ++key) {
      const int64_t value = t.args[key].find(row);
      if (value == store::null_value<int64_t>()) continue;
      const auto& column = schema::arg_column(static_cast<schema::ArgKey>(key));
      out += " " + std::string(column.name) + "=" +
             (column.kind == schema::ArgKind::text ? text(static_cast<store::StringId>(value)) : std::to_string(value));
    }
    out += "\n";
  }
  const schema::Ledger& l = in.file.ledger;
  out += "read " + std::to_string(l.read) + " kept " + std::to_string(l.kept) + " repaired " + std::to_string(l.repaired) +
         " dropped " + std::to_string(l.dropped) + " clipped " + std::to_string(l.clipped) + " truncated " +
         std::to_string(l.truncated) + " unpaired " + std::to_string(l.unpaired) + "\n";
  if (places) {
    out += "bytes " + std::to_string(l.input_bytes) + " = " + std::to_string(l.event_bytes) + " + " +
           std::to_string(l.structure_bytes) + " + " + std::to_string(l.skipped_bytes) + "\n";
  }
  for (const auto& reason : l.reasons) {
    out += reason.kind + " x" + std::to_string(reason.count) + " " + std::to_string(reason.bytes) + " B";
    for (const uint64_t offset : reason.offsets) out += " @" + std::to_string(offset);
    out += "\n";
  }
  for (const auto& entry : in.file.metadata) {
    out += entry.key;
    if (places) out += "=" + entry.json + " @" + std::to_string(entry.offset) + "+" + std::to_string(entry.length);
    out += "\n";
  }
  return out;
}

}  // namespace lanewise::trace::kineto_json
