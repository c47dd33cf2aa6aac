// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_analysis.h"

#include <algorithm>
#include <cstdio>

#include "tools/analysis_text.h"
#include "tools/limits.h"
#include "tools/table_text.h"
#include "tools/trace_input.h"
#include "trace/export/table_csv.h"

namespace lanewise::tools {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::Model;
using trace::analysis::Question;
using trace::analysis::QuestionOptions;
using trace::analysis::Selection;
using trace::analysis::Table;

constexpr int64_t kTextRows = 20, kTextRowsBeside = 10;  // of the main table, of the others

struct Answer {
  std::vector<Table> tables;  // JSON: each under its name
  size_t main = 0;            // the table that --sort, --top and --csv are about
};

// One end of --between. Nobody means nanoseconds by a bare number, so only 0 goes without a unit.
Result<int64_t> parse_moment(const std::string& between, std::string_view text) {
  LW_ASSIGN_OR_RETURN(const int64_t ns, parse_span(text));
  if (ns != 0 && text.find_first_of("nums") == std::string_view::npos) return invalid_argument("--between " + between + ": give each time its unit (ns, us, ms, s), for instance 10ms,12.5ms");
  return ns;
}

Result<Selection> selection_of(const AnalysisArguments& arguments) {
  Selection selection;
  LW_ASSIGN_OR_RETURN(selection.steps, parse_steps(arguments.steps));
  selection.rank = arguments.rank;
  selection.device = arguments.device;
  selection.name = arguments.name;
  if (!arguments.between.empty()) {
    const size_t comma = arguments.between.find(',');
    if (comma == std::string::npos) return invalid_argument("--between takes FROM,TO, for instance 10ms,12.5ms");
    LW_ASSIGN_OR_RETURN(const int64_t from, parse_moment(arguments.between, std::string_view(arguments.between).substr(0, comma)));
    LW_ASSIGN_OR_RETURN(const int64_t to, parse_moment(arguments.between, std::string_view(arguments.between).substr(comma + 1)));
    if (from >= to) return invalid_argument("--between " + arguments.between + " is empty");
    selection.between_ns = {from, to};
  }
  return selection;
}

// "COLUMN", "COLUMN:asc", "COLUMN:desc"; numbers fall and texts rise when nothing is said.
Status sort_table(Table* table, const std::string& text) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon), order = colon == std::string::npos ? "" : text.substr(colon + 1);
  const auto column = table->find(name);
  if (!column || table->columns()[*column].type == ColumnType::events) {
    std::string known;
    for (const auto& c : table->columns()) {
      if (c.type != ColumnType::events) known += (known.empty() ? "" : ", ") + c.name;
    }
    return invalid_argument("cannot sort by " + name + "; there are " + known);
  }
  if (!order.empty() && order != "asc" && order != "desc") return invalid_argument("cannot sort '" + text + "': asc or desc");
  const bool is_text = table->columns()[*column].type == ColumnType::text;
  table->sort(*column, order.empty() ? !is_text : order == "desc");
  return ok_status();
}

void print_json(const Question& question, const Answer& answer) {
  JsonWriter w(1);
  w.begin_object().member("schema", 1).member("command", question.name);
  for (const Table& table : answer.tables) {
    w.key(table.name());
    write_rows(w, table);
  }
  w.end_object();
  std::fwrite(w.text().data(), 1, w.text().size(), stdout);
  std::fputc('\n', stdout);
}

Status print_csv(const AnalysisArguments& arguments, Answer* answer) {
  Table* table = &answer->tables[answer->main];
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

void print_text(const Question& question, const AnalysisArguments& arguments, Answer* answer) {
  const TextStyle style = style_of_stdout();
  const AnswerText own = text_of_answer(question.name, answer->tables, arguments);
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
    const bool few = static_cast<int64_t>(table.rows()) <= kTextRows + kTextRows / 4;  // not worth a line about what is left
    if (i == answer->main) print(table, arguments.top >= 0 ? arguments.top : few ? static_cast<int64_t>(table.rows()) : kTextRows);
    else if (own.head.empty() && table.rows() > 0) print(table, kTextRowsBeside);
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
}

Result<QuestionOptions> options_of(const Question& question, const AnalysisArguments& arguments) {
  QuestionOptions options;
  LW_ASSIGN_OR_RETURN(options.selection, selection_of(arguments));
  options.by = arguments.by;
  options.nth = arguments.nth;
  options.thread = arguments.thread;
  options.bottom_up = arguments.bottom_up;
  if (question.about_one_event() && arguments.event.empty() == arguments.name.empty()) {
    return invalid_argument(std::string(question.name) + " takes either --event ID or --name NAME [--nth K]");
  }
  if (!arguments.event.empty()) {
    options.event = trace::schema::EventId::parse(arguments.event);
    if (!options.event) return invalid_argument("'" + arguments.event + "' is no event id");
  }
  return options;
}

Result<int> answer_question(const Question& question, const AnalysisArguments& arguments, const Model& model, const QuestionOptions& options) {
  Answer answer;
  LW_ASSIGN_OR_RETURN(answer.tables, question.answer(model, options));
  const auto is_main = [&](const Table& table) { return table.name() == question.main_table; };
  answer.main = static_cast<size_t>(std::find_if(answer.tables.begin(), answer.tables.end(), is_main) - answer.tables.begin());
  LW_CHECK(answer.main < answer.tables.size(), "every answer has its main table");
  LW_ASSIGN_OR_RETURN(const auto exceeded, exceeded_limits(answer.tables, arguments.fail_if, arguments.fail_on, question.kinds ? question.kinds() : std::vector<std::string_view>()));
  if (!arguments.sort.empty()) LW_RETURN_IF_ERROR(sort_table(&answer.tables[answer.main], arguments.sort));
  if (arguments.json) print_json(question, answer);
  else if (arguments.csv) LW_RETURN_IF_ERROR(print_csv(arguments, &answer));
  else print_text(question, arguments, &answer);
  std::fflush(stdout);
  for (const std::string& sentence : exceeded) std::fprintf(stderr, "lanewise: limit exceeded: %s\n", sentence.c_str());
  return exceeded.empty() ? kExitDone : kExitLimit;
}

}  // namespace

int run_analysis(const Question& question, const AnalysisArguments& arguments) {
  const auto options = options_of(question, arguments);
  if (!options.ok()) return exit_code_of(options.status());
  auto input = open_trace({arguments.path}, arguments.producers);
  if (!input.ok()) return exit_code_of(input.status());
  const auto model = Model::build(input->session);
  const auto code = answer_question(question, arguments, *model, *options);
  if (!code.ok()) return exit_code_of(code.status());
  const bool damaged = report_damage(*input->session);
  return damaged && arguments.strict ? kExitUsage : *code;
}

}  // namespace lanewise::tools
