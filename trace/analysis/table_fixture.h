// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: cells of answers as short texts.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "trace/analysis/questions.h"

namespace lanewise::trace::analysis {

// A table of the answer to a question; times in it are ns.
inline Table answer_of(const Model& model, std::string_view question, std::string_view table = "", const QuestionOptions& options = {}) {
  const Question* found = find_question(question);
  EXPECT_NE(found, nullptr) << question;
  auto tables = found->answer(model, options);
  EXPECT_TRUE(tables.ok()) << tables.status().to_string();
  if (!tables.ok()) return Table("none", {});
  for (Table& t : *tables) {
    if (t.name() == (table.empty() ? found->main_table : table)) return std::move(t);
  }
  ADD_FAILURE() << question << " has no table " << table;
  return Table("none", {});
}

inline std::string cell_text(const Table& table, std::string_view column, size_t row) {
  const Table::Column& c = table[column];
  if (!c.texts.empty()) return std::string(c.texts[row]);
  if (!c.reals.empty()) return std::to_string(c.reals[row]);
  const int64_t value = c.integers[row];
  return value == kNullInteger ? "null" : std::to_string(value);
}

// The named cells of the first row whose `key` column has that text, with a blank between; "" when there is none.
inline std::string cells(const Table& table, std::string_view key, std::string_view is, std::initializer_list<std::string_view> columns) {
  for (size_t row = 0; row < table.rows(); ++row) {
    if (cell_text(table, key, row) != is) continue;
    std::string text;
    for (const std::string_view column : columns) text += (text.empty() ? "" : " ") + cell_text(table, column, row);
    return text;
  }
  return "";
}

}  // namespace lanewise::trace::analysis
