// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/status.h"

namespace lanewise::trace::analysis {
namespace {

template <typename T>
void take(std::vector<T>* values, const std::vector<size_t>& rows) {
  if (values->empty()) return;
  std::vector<T> taken;
  taken.reserve(rows.size());
  for (const size_t row : rows) taken.push_back(std::move((*values)[row]));
  *values = std::move(taken);
}

}  // namespace

Table::Table(std::string name, std::vector<ColumnSpec> columns) : name_(std::move(name)) {
  for (ColumnSpec& spec : columns) columns_.push_back({std::move(spec.name), spec.type, {}, {}, {}, {}});
}

Table::RowWriter Table::row() {
  ++rows_;
  return RowWriter(this);
}

Table::Column& Table::RowWriter::next() {
  LW_CHECK(at_ < table_->columns_.size(), "a row of table " + table_->name_ + " has too many values");
  return table_->columns_[at_++];
}

Table::RowWriter& Table::RowWriter::text(std::string_view value) {
  return pooled(table_->own_texts_.emplace_back(value));
}

Table::RowWriter& Table::RowWriter::pooled(std::string_view value) {
  Column& column = next();
  LW_CHECK(column.type == ColumnType::text, column.name + " is no text");
  column.texts.push_back(value.data() == nullptr ? std::string_view("") : value);
  return *this;
}

Table::RowWriter& Table::RowWriter::integer(int64_t value) {
  Column& column = next();
  LW_CHECK(column.type != ColumnType::text && column.type != ColumnType::real && !is_list(column.type),
           column.name + " is no integer");
  column.integers.push_back(value);
  return *this;
}

Table::RowWriter& Table::RowWriter::real(double value) {
  Column& column = next();
  LW_CHECK(column.type == ColumnType::real, column.name + " is no real number");
  column.reals.push_back(value);
  return *this;
}

Table::RowWriter& Table::RowWriter::events(std::vector<uint64_t> packed) {
  Column& column = next();
  LW_CHECK(column.type == ColumnType::events, column.name + " is no list of events");
  column.lists.push_back(std::move(packed));
  return *this;
}

Table::RowWriter& Table::RowWriter::integers(const std::vector<int64_t>& values) {
  Column& column = next();
  LW_CHECK(column.type == ColumnType::integers, column.name + " is no list of whole numbers");
  column.lists.emplace_back(values.begin(), values.end());
  return *this;
}

Table::RowWriter& Table::RowWriter::null() {
  Column& column = next();
  switch (column.type) {
    case ColumnType::text: column.texts.push_back({}); break;
    case ColumnType::real: column.reals.push_back(std::nan("")); break;
    case ColumnType::events:
    case ColumnType::integers: column.lists.push_back({}); break;
    default: column.integers.push_back(kNullInteger);
  }
  return *this;
}

std::optional<size_t> Table::find(std::string_view column) const {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == column) return i;
  }
  return std::nullopt;
}

const Table::Column& Table::operator[](std::string_view column) const {
  const auto at = find(column);
  LW_CHECK(at.has_value(), "table " + name_ + " has no column " + std::string(column));
  return columns_[*at];
}

bool Table::is_null(size_t column, size_t row) const {
  const Column& c = columns_[column];
  switch (c.type) {
    case ColumnType::text: return c.texts[row].data() == nullptr;
    case ColumnType::real: return std::isnan(c.reals[row]);
    case ColumnType::events:
    case ColumnType::integers: return false;
    default: return c.integers[row] == kNullInteger;
  }
}

void Table::sort(size_t column, bool descending) {
  const Column& c = columns_[column];
  LW_CHECK(!is_list(c.type), "a table cannot be sorted by a list");
  std::vector<size_t> order(rows_);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto less = [&](size_t a, size_t b) {
    if (c.type == ColumnType::text) return c.texts[a] < c.texts[b];
    if (c.type == ColumnType::real) return c.reals[a] < c.reals[b];
    return c.integers[a] < c.integers[b];
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const bool null_a = is_null(column, a), null_b = is_null(column, b);
    if (null_a || null_b) return !null_a && null_b;
    return descending ? less(b, a) : less(a, b);
  });
  keep_rows(order);
}

void Table::keep_rows(size_t count) {
  if (count >= rows_) return;
  std::vector<size_t> rows(count);
  std::iota(rows.begin(), rows.end(), size_t{0});
  keep_rows(rows);
}

void Table::keep_rows(const std::vector<size_t>& rows) {
  for (Column& column : columns_) {
    take(&column.integers, rows);
    take(&column.reals, rows);
    take(&column.texts, rows);
    take(&column.lists, rows);
  }
  rows_ = rows.size();
}

}  // namespace lanewise::trace::analysis
