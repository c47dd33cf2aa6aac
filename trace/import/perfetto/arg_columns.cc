// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/perfetto/arg_columns.h"

#include <charconv>
#include <map>
#include <optional>

#include "trace/schema/encoded_id.h"

namespace lanewise::trace::perfetto {
namespace {

using schema::ArgKey;
using schema::OptionalColumn;

std::optional<int64_t> integer(std::string_view json) {
  if (json.size() > 1 && json.front() == '"') json = json.substr(1, json.size() - 2);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), value);
  if (json.empty() || error != std::errc() || end != json.data() + json.size()) return std::nullopt;
  return value;
}

const std::map<std::string_view, OptionalColumn>& id_columns() {
  static const std::map<std::string_view, OptionalColumn> columns = {
      {"correlation", OptionalColumn::correlation}, {"External id", OptionalColumn::external_id},
      {"external id", OptionalColumn::external_id}, {"device", OptionalColumn::device},
      {"stream", OptionalColumn::stream},
      // docs/formats/ntrace.md
      {"launch_id", OptionalColumn::correlation},   {"external_id", OptionalColumn::external_id},
      {"nc_idx", OptionalColumn::device}};
  return columns;
}

const std::map<std::string_view, ArgKey>& arg_columns() {
  static const auto* const columns = [] {
    auto* made = new std::map<std::string_view, ArgKey>;
    for (size_t i = 0; i < schema::kArgKeys; ++i) made->emplace(schema::arg_column(static_cast<ArgKey>(i)).key, static_cast<ArgKey>(i));
    made->emplace("program_hash", ArgKey::program);
    return made;
  }();
  return *columns;
}

// Null where it does not fit.
int64_t sum(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t total = 0;
  return __builtin_add_overflow(a.value_or(0), b.value_or(0), &total) ? store::null_value<int64_t>() : total;
}

// A JSON string without quotes and escapes was what it came from; anything else stays JSON.
std::string plain(std::string_view json) {
  if (json.size() < 2 || json.front() != '"') return std::string(json);
  std::string out;
  for (size_t i = 1; i + 1 < json.size(); ++i) {
    if (json[i] == '\\' && i + 2 < json.size()) {
      ++i;
      unsigned code = 0;
      // Control characters are the only ones that JsonWriter writes as \u00XX.
      if (json[i] == 'u' && i + 5 < json.size() && std::from_chars(&json[i + 1], &json[i + 5], code, 16).ec == std::errc()) {
        out += static_cast<char>(code);
        i += 4;
        continue;
      }
      out += json[i] == 'n' ? '\n' : json[i] == 't' ? '\t' : json[i];
    } else {
      out += json[i];
    }
  }
  return out;
}

}  // namespace

void set_arg_columns(const Args& args, schema::Row row, store::StringPool& strings, schema::EventTableBuilder& builder) {
  // Our captures tell the overheads in four parts; the columns hold what lies before and after, and both kinds.
  std::optional<int64_t> exec_before, exec_after, capture_before, capture_after;
  std::map<ArgKey, int64_t> values;
  for (const auto& [key, json] : args) {
    if (const auto id = id_columns().find(key); id != id_columns().end()) {
      const auto value = integer(json);
      const bool direct = value && !schema::is_text_id(*value) && *value != schema::kNoId;
      builder.set(id->second, row, direct ? *value : schema::text_id(strings.intern(plain(json))));
    }
    if (key == "exec_before_ns") exec_before = integer(json);
    if (key == "exec_after_ns") exec_after = integer(json);
    if (key == "capture_before_ns") capture_before = integer(json);
    if (key == "capture_after_ns") capture_after = integer(json);
    const auto column = arg_columns().find(key);
    if (column == arg_columns().end()) continue;
    if (schema::arg_column(column->second).kind == schema::ArgKind::text) {
      values[column->second] = strings.intern(plain(json));
    } else if (const auto value = integer(json)) {
      values[column->second] = *value;
    }
  }
  if (exec_before || exec_after || capture_before || capture_after) {
    values[ArgKey::exec_overhead_ns] = sum(exec_before, exec_after);
    values[ArgKey::capture_overhead_ns] = sum(capture_before, capture_after);
    values[ArgKey::overhead_before_ns] = sum(exec_before, capture_before);
    values[ArgKey::overhead_after_ns] = sum(exec_after, capture_after);
  }
  for (const auto& [key, value] : values) builder.arg(key, row, value);
}

}  // namespace lanewise::trace::perfetto
