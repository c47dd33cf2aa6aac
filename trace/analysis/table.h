// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Table: the one form of an answer. Every analysis is a function from a Model to tables; command line, Python and server show
// the same ones. A table knows its columns and their units; it does not print.
//
//   Table ops("rows", {{"name", ColumnType::text}, {"calls", ColumnType::count}, {"cpu_ns", ColumnType::ns}});
//   ops.row().text("aten::add").integer(3).integer(1200);
//
// A column name with a point ("causes.unknown") is a member of an object in JSON; such columns stand side by side.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/schema/event_id.h"

namespace lanewise::trace::analysis {

enum class ColumnType : uint8_t {
  text,
  count,    // a number of things
  ns,       // a time or a span, integer nanoseconds; points in time: session time
  ps,       // the same of device profiles, integer picoseconds; points in time: from the first record of the capture
  bytes,
  integer,  // a number without a unit
  real,     // a double; the name says the unit
  flag,     // 0 or 1
  event,    // an EventId, packed
  events,   // a list of them
  integers, // a list of whole numbers
};

inline bool is_list(ColumnType type) { return type == ColumnType::events || type == ColumnType::integers; }

inline constexpr int64_t kNullInteger = std::numeric_limits<int64_t>::min();

struct ColumnSpec {
  std::string name;
  ColumnType type = ColumnType::text;
};

class Table {
 public:
  struct Column {
    std::string name;
    ColumnType type;
    // The one that the type uses has rows() entries; the others are empty.
    std::vector<int64_t> integers;        // count, ns, bytes, integer, flag, event; kNullInteger = null
    std::vector<double> reals;            // NaN = null
    std::vector<std::string_view> texts;  // data() == nullptr is null
    std::vector<std::vector<uint64_t>> lists;   // events, and integers as they are in two's complement
  };

  // Fills one row from left to right; every column must be given.
  class RowWriter {
   public:
    RowWriter& text(std::string_view value);    // copied
    RowWriter& pooled(std::string_view value);  // not copied: must live as long as the table (texts of the session's pool do)
    RowWriter& integer(int64_t value);
    RowWriter& real(double value);
    RowWriter& event(schema::EventId id) { return integer(static_cast<int64_t>(id.packed())); }
    RowWriter& events(std::vector<uint64_t> packed);
    RowWriter& integers(const std::vector<int64_t>& values);
    RowWriter& null();

   private:
    friend class Table;
    explicit RowWriter(Table* table) : table_(table) {}
    Column& next();
    Table* table_;
    size_t at_ = 0;
  };

  Table(std::string name, std::vector<ColumnSpec> columns);
  Table(Table&&) = default;
  Table& operator=(Table&&) = default;

  RowWriter row();

  const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }
  size_t rows() const { return rows_; }
  const std::vector<Column>& columns() const { return columns_; }
  std::optional<size_t> find(std::string_view column) const;
  const Column& operator[](std::string_view column) const;  // must exist

  bool is_null(size_t column, size_t row) const;

  // Stable. Nulls come last in either direction; lists cannot be sorted by.
  void sort(size_t column, bool descending);
  void keep_rows(size_t count);
  void keep_rows(const std::vector<size_t>& rows);

  // What the pooled texts belong to.
  void set_owner(std::shared_ptr<const void> owner) { owner_ = std::move(owner); }

 private:
  std::string name_;
  std::vector<Column> columns_;
  size_t rows_ = 0;
  std::deque<std::string> own_texts_;
  std::shared_ptr<const void> owner_;
};

}  // namespace lanewise::trace::analysis
