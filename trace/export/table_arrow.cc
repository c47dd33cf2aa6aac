// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/table_arrow.h"

#include <cmath>
#include <unordered_map>

namespace lanewise::trace::exporting {
namespace {

using analysis::ColumnType;
using analysis::Table;

FieldParts field_of(const Table::Column& column) {
  const auto plain = [&](std::string format, std::string unit = "") {
    return FieldParts{.name = column.name, .format = std::move(format), .children = {}, .dictionary = {}, .unit = std::move(unit)};
  };
  switch (column.type) {
    case ColumnType::text: return dictionary_field(column.name, "i");
    case ColumnType::ns: return plain("l", "ns");
    case ColumnType::ps: return plain("l", "ps");
    case ColumnType::bytes: return plain("l", "bytes");
    case ColumnType::event: return plain("l", "event");
    case ColumnType::real: return plain("g");
    case ColumnType::flag: return plain("b");
    case ColumnType::events:
    case ColumnType::integers: {
      FieldParts list = plain("+L");
      list.children = {{.name = "item", .format = "l", .children = {}, .dictionary = {}, .unit = column.type == ColumnType::events ? "event" : ""}};
      return list;
    }
    default: return plain("l");
  }
}

ArrayParts texts(const Table::Column& column) {
  std::unordered_map<std::string_view, int32_t> known;
  auto dictionary = std::make_shared<TextArray>();
  std::vector<int32_t> indices;
  indices.reserve(column.texts.size());
  for (const std::string_view text : column.texts) {
    if (text.data() == nullptr) {
      indices.push_back(-1);
      continue;
    }
    const auto [at, added] = known.try_emplace(text, static_cast<int32_t>(dictionary->size()));
    if (added) dictionary->add(text);
    indices.push_back(at->second);
  }
  ArrayParts parts = fixed_width(std::move(indices), [](int32_t index) { return index < 0; });
  parts.dictionary.push_back(TextArray::parts(std::move(dictionary)));
  return parts;
}

// Arrow keeps flags as bits.
ArrayParts flags(const Table::Column& column) {
  const size_t n = column.integers.size();
  auto bits = std::make_shared<std::vector<uint8_t>>((n + 7) / 8);
  for (size_t i = 0; i < n; ++i) {
    if (column.integers[i] != 0 && column.integers[i] != analysis::kNullInteger) (*bits)[i >> 3] |= static_cast<uint8_t>(1u << (i & 7));
  }
  ArrayParts parts = fixed_width(column.integers.data(), n, nullptr, [](int64_t v) { return v == analysis::kNullInteger; });
  parts.buffers[1] = bits->data();
  parts.owners.push_back(std::move(bits));
  return parts;
}

ArrayParts lists(const Table::Column& column) {
  std::vector<int64_t> ends = {0};
  std::vector<uint64_t> values;
  for (const auto& list : column.lists) {
    values.insert(values.end(), list.begin(), list.end());
    ends.push_back(static_cast<int64_t>(values.size()));
  }
  ArrayParts parts = fixed_width(std::move(ends), kNeverNull);
  parts.length = static_cast<int64_t>(column.lists.size());
  parts.children.push_back(fixed_width(std::move(values), kNeverNull));
  return parts;
}

class TableBatches : public Batches {
 public:
  explicit TableBatches(std::shared_ptr<const Table> table) : table_(std::move(table)) {
    for (const Table::Column& column : table_->columns()) fields_.push_back(field_of(column));
  }
  const std::vector<FieldParts>& fields() const override { return fields_; }
  int64_t rows() const override { return static_cast<int64_t>(table_->rows()); }
  size_t count() const override { return 1; }
  int64_t first_row(size_t) const override { return 0; }
  std::vector<ArrayParts> columns(size_t) const override {
    std::vector<ArrayParts> columns;
    for (const Table::Column& column : table_->columns()) {
      switch (column.type) {
        case ColumnType::text: columns.push_back(texts(column)); break;
        case ColumnType::flag: columns.push_back(flags(column)); break;
        case ColumnType::events:
        case ColumnType::integers: columns.push_back(lists(column)); break;
        case ColumnType::real:
          columns.push_back(fixed_width(column.reals.data(), column.reals.size(), table_, [](double v) { return std::isnan(v); }));
          break;
        default:
          columns.push_back(fixed_width(column.integers.data(), column.integers.size(), table_,
                                        [](int64_t v) { return v == analysis::kNullInteger; }));
      }
    }
    return columns;
  }

 private:
  std::shared_ptr<const Table> table_;
  std::vector<FieldParts> fields_;
};

}  // namespace

std::shared_ptr<const Batches> table_batches(std::shared_ptr<const Table> table) {
  return std::make_shared<TableBatches>(std::move(table));
}

}  // namespace lanewise::trace::exporting
