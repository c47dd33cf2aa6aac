// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/wire/table_frame.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace lanewise::server::wire {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::kNullInteger;
using trace::analysis::Table;

constexpr int64_t kExact = int64_t{1} << 53;

std::string_view type_name(ColumnType type) {
  switch (type) {
    case ColumnType::text: return "text";
    case ColumnType::count: return "count";
    case ColumnType::ns: return "ns";
    case ColumnType::ps: return "ps";
    case ColumnType::bytes: return "bytes";
    case ColumnType::integer: return "integer";
    case ColumnType::real: return "real";
    case ColumnType::flag: return "flag";
    case ColumnType::event: return "event";
    case ColumnType::events: return "events";
    case ColumnType::integers: return "integers";
  }
  return "text";
}

// part * 2^32 + ordinal; parts beyond 2^21 do not happen (a session has as many files).
double event_number(uint64_t packed) { return static_cast<double>(packed); }

void add_texts(FrameWriter& frame, const Table::Column& column) {
  std::unordered_map<std::string_view, uint32_t> known;
  std::vector<std::string_view> texts;
  std::vector<uint32_t> codes;
  codes.reserve(column.texts.size());
  for (const std::string_view text : column.texts) {
    if (text.data() == nullptr) {
      codes.push_back(kNullCode);
      continue;
    }
    const auto [at, is_new] = known.try_emplace(text, static_cast<uint32_t>(texts.size()));
    if (is_new) texts.push_back(text);
    codes.push_back(at->second);
  }
  frame.dictionary(column.name, "text", codes, texts);
}

void add_exact(FrameWriter& frame, const Table::Column& column) {
  std::vector<std::string> own;
  own.reserve(column.integers.size());
  std::vector<std::string_view> texts;
  std::vector<uint32_t> codes;
  for (const int64_t value : column.integers) {
    if (value == kNullInteger) {
      codes.push_back(kNullCode);
      continue;
    }
    codes.push_back(static_cast<uint32_t>(own.size()));
    own.push_back(std::to_string(value));
  }
  texts.assign(own.begin(), own.end());
  frame.dictionary(column.name, type_name(column.type), codes, texts, true);
}

void add_integers(FrameWriter& frame, const Table::Column& column) {
  const bool exact = std::all_of(column.integers.begin(), column.integers.end(), [](int64_t v) {
    return v == kNullInteger || (v <= kExact && v >= -kExact);
  });
  if (!exact) return add_exact(frame, column);
  std::vector<double> values;
  values.reserve(column.integers.size());
  for (const int64_t value : column.integers) values.push_back(value == kNullInteger ? std::nan("") : static_cast<double>(value));
  frame.column(column.name, type_name(column.type), std::span<const double>(values));
}

void add_lists(FrameWriter& frame, const Table::Column& column) {
  std::vector<uint32_t> ends;
  std::vector<double> values;
  for (const auto& list : column.lists) {
    for (const uint64_t packed : list) values.push_back(column.type == ColumnType::events ? event_number(packed) : static_cast<double>(static_cast<int64_t>(packed)));
    ends.push_back(static_cast<uint32_t>(values.size()));
  }
  frame.lists(column.name, type_name(column.type), ends, values);
}

}  // namespace

void add_table(FrameWriter& frame, const Table& table) {
  frame.begin_table(table.name(), table.rows());
  for (const Table::Column& column : table.columns()) {
    switch (column.type) {
      case ColumnType::text: add_texts(frame, column); break;
      case ColumnType::real: frame.column(column.name, "real", std::span<const double>(column.reals)); break;
      case ColumnType::events:
      case ColumnType::integers: add_lists(frame, column); break;
      default: add_integers(frame, column);
    }
  }
  frame.end_table();
}

}  // namespace lanewise::server::wire
