// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/answer.h"

#include <algorithm>
#include <cstdio>

#include "tools/limits.h"
#include "tools/table_text.h"
#include "tools/trace_input.h"
#include "trace/export/table_csv.h"

namespace lanewise::tools {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::Table;

constexpr int64_t kTextRowsBeside = 10;  // of the tables that are not the main one

// "COLUMN", "COLUMN:asc", "COLUMN:desc"; numbers fall and texts rise when nothing is said.
Status sort_table(Table* table, const std::string& text) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon), order = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto column = table->find(name);
  if (!column || is_list(table->columns()[*column].type)) {
    std::string known;
    for (const auto& c : table->columns()) {
      if (!is_list(c.type)) known += (known.empty() ? "" : ", ") + c.name;
    }
    return invalid_argument("cannot sort by " + name + "; there are " + known);
  }
  if (!order.empty() && order != "asc" && order != "desc") return invalid_argument("cannot sort '" + text + "': asc or desc");
  const bool is_text = table->columns()[*column].type == ColumnType::text;
  table->sort(*column, order.empty() ? !is_text : order == "desc");
  return ok_status();
}

void print_json(std::string_view command, const Answer& answer, const AnswerForm& form) {
  JsonWriter w(1);
  w.begin_object().member("schema", 1).member("command", command);
  if (form.json_head) form.json_head(w);
  for (const Table& table : answer.tables) {
    w.key(table.name());
    write_rows(w, table);
  }
  w.end_object();
  std::fwrite(w.text().data(), 1, w.text().size(), stdout);
  std::fputc('\n', stdout);
}

Status print_csv(const OutputArguments& arguments, size_t main, Answer* answer) {
  Table* table = &answer->tables[main];
  if (!arguments.table.empty()) {
    table = nullptr;
    std::string known;
    for (Table& t : answer->tables) {
      if (t.name() == arguments.table) table = &t;
      known += (known.empty() ? "" : ", ") + t.name();
    }
    if (table == nullptr) return invalid_argument("no table " + arguments.table + "; there are " + known);
  }
  if (arguments.top >= 0) table->keep_rows(static_cast<size_t>(arguments.top));
  const std::string text = trace::exporting::table_csv(*table);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return ok_status();
}

void print_text(const AnswerForm& form, const OutputArguments& arguments, size_t main, Answer* answer) {
  const TextStyle style = style_of_stdout();
  const AnswerText own = form.text ? form.text(answer->tables) : AnswerText();
  std::string out = own.head;
  const auto print = [&](Table& table, int64_t shown) {
    const size_t rows = table.rows();
    table.keep_rows(static_cast<size_t>(shown));
    if (!out.empty() && !out.ends_with("\n\n")) out += '\n';
    if (own.head.empty() && answer->tables.size() > 1) out += table.name() + "\n";
    out += rows == 0 ? "no rows\n" : table_text(table, style);
    if (rows > static_cast<size_t>(shown)) out += more_rows_text(rows - static_cast<size_t>(shown));
  };
  for (size_t i = 0; i < answer->tables.size() && !own.only_head; ++i) {
    Table& table = answer->tables[i];
    const bool few = static_cast<int64_t>(table.rows()) <= form.text_rows + form.text_rows / 4;  // not worth a line about what is left
    if (i == main) print(table, arguments.top >= 0 ? arguments.top : few ? static_cast<int64_t>(table.rows()) : form.text_rows);
    else if (own.head.empty() && table.rows() > 0) print(table, kTextRowsBeside);
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
}

}  // namespace

Result<int> print_answer(std::string_view command, Answer answer, const OutputArguments& arguments, const AnswerForm& form) {
  const auto is_main = [&](const Table& table) { return table.name() == answer.main_table; };
  const auto main = static_cast<size_t>(std::find_if(answer.tables.begin(), answer.tables.end(), is_main) - answer.tables.begin());
  LW_CHECK(main < answer.tables.size(), "every answer has its main table");
  LW_ASSIGN_OR_RETURN(const auto exceeded, exceeded_limits(answer.tables, arguments.fail_if, arguments.fail_on, answer.kinds));
  if (!arguments.sort.empty()) LW_RETURN_IF_ERROR(sort_table(&answer.tables[main], arguments.sort));
  if (arguments.json) print_json(command, answer, form);
  else if (arguments.csv) LW_RETURN_IF_ERROR(print_csv(arguments, main, &answer));
  else print_text(form, arguments, main, &answer);
  std::fflush(stdout);
  for (const std::string& sentence : exceeded) std::fprintf(stderr, "lanewise: limit exceeded: %s\n", sentence.c_str());
  return exceeded.empty() ? kExitDone : kExitLimit;
}

}  // namespace lanewise::tools
