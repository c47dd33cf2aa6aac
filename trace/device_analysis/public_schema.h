// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The public schema of processed device profiles, version 7.4.0: tables, columns, types, units. Facts of the public reference; the
// list is in public_schema.cc. Times are ns from the begin of the profile.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

inline constexpr std::string_view kPublicSchemaVersion = "7.4.0";

struct PublicColumn {
  std::string name;
  std::string type;    // "i64", "i32", "f32", "f64", "str", "bool", "i64[]"
  std::string unit;    // "ns", "B", ...; empty: none
  bool required = false;
};

struct PublicTableSchema {
  std::string name;
  std::vector<PublicColumn> columns;
};
const std::vector<PublicTableSchema>& public_schema();
// Null when there is no such table.
const PublicTableSchema* find_public_schema(std::string_view table);

// Fills a table of the schema row by row; columns that are not set in a row are null.
class PublicTable {
 public:
  explicit PublicTable(std::string_view name);   // must be in the schema

  PublicTable& row();                            // begins the next row
  PublicTable& set(std::string_view column, int64_t value);
  PublicTable& set_real(std::string_view column, double value);
  PublicTable& set(std::string_view column, std::string_view value);
  PublicTable& set(std::string_view column, const std::vector<int64_t>& list);
  PublicTable& times(Picos begin, Picos end);    // start_ts, end_ts, duration_ns

  // The table, and the columns that no row filled.
  Table take(std::vector<std::string>* empty);

 private:
  struct Cell {
    bool set = false;
    int64_t whole = 0;
    double real = 0;
    std::string text;
    std::vector<int64_t> list;
  };
  Cell& cell(std::string_view column, std::string_view types);
  void finish_row();

  const PublicTableSchema* schema_;
  std::map<std::string_view, size_t> index_;
  Table table_;
  std::vector<Cell> cells_;
  std::vector<bool> filled_;
  bool open_ = false;
};

// ps to ns: the begin down, the end up, so that no interval vanishes.
inline int64_t ns_down(Picos t) { return t.value >= 0 ? t.value / 1000 : -((-t.value + 999) / 1000); }
inline int64_t ns_up(Picos t) { return -ns_down(Picos(-t.value)); }

}  // namespace lanewise::trace::device_analysis
