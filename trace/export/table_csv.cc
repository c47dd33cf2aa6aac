// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/table_csv.h"

#include <charconv>

#include "trace/schema/event_id.h"

namespace lanewise::trace::exporting {
namespace {

using analysis::ColumnType;
using analysis::Table;
using schema::EventId;

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string table_csv(const Table& table) {
  std::string out;
  const auto& columns = table.columns();
  for (size_t c = 0; c < columns.size(); ++c) out += (c ? "," : "") + csv_text(columns[c].name);
  out += "\n";
  for (size_t row = 0; row < table.rows(); ++row) {
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) out += ',';
      if (table.is_null(c, row)) continue;
      switch (columns[c].type) {
        case ColumnType::text: out += csv_text(columns[c].texts[row]); break;
        case ColumnType::event: out += EventId::unpack(static_cast<uint64_t>(columns[c].integers[row])).to_string(); break;
        case ColumnType::real: {
          char text[32];
          out.append(text, std::to_chars(text, text + sizeof(text), columns[c].reals[row]).ptr);
          break;
        }
        case ColumnType::events:
          for (size_t i = 0; i < columns[c].lists[row].size(); ++i) {
            out += (i ? " " : "") + EventId::unpack(columns[c].lists[row][i]).to_string();
          }
          break;
        case ColumnType::integers:
          for (size_t i = 0; i < columns[c].lists[row].size(); ++i) out += (i ? " " : "") + std::to_string(static_cast<int64_t>(columns[c].lists[row][i]));
          break;
        default: out += std::to_string(columns[c].integers[row]);
      }
    }
    out += "\n";
  }
  return out;
}

}  // namespace lanewise::trace::exporting
