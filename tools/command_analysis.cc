// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_analysis.h"

#include <charconv>
#include <utility>

#include "tools/analysis_text.h"
#include "tools/limits.h"
#include "tools/trace_input.h"

namespace lanewise::tools {
namespace {

using trace::analysis::Model;
using trace::analysis::Question;
using trace::analysis::QuestionOptions;
using trace::analysis::Selection;
using trace::analysis::Table;

Result<int64_t> parse_integer(std::string_view text, const std::string& what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return invalid_argument("cannot read " + what + " '" + std::string(text) + "'");
  return value;
}

Result<Selection> selection_of(const AnalysisArguments& arguments) {
  Selection selection;
  for (const std::string& text : arguments.steps) {
    const size_t dash = text.find('-', 1);
    LW_ASSIGN_OR_RETURN(const int64_t first, parse_integer(std::string_view(text).substr(0, dash), "the step"));
    int64_t last = first;
    if (dash != std::string::npos) {
      LW_ASSIGN_OR_RETURN(last, parse_integer(std::string_view(text).substr(dash + 1), "the step"));
    }
    if (last < first || last - first > 1'000'000) return invalid_argument("cannot read the steps '" + text + "'");
    for (int64_t step = first; step <= last; ++step) selection.steps.push_back(step);
  }
  selection.rank = arguments.rank;
  selection.device = arguments.device;
  selection.name = arguments.name;
  if (!arguments.between.empty()) {
    const size_t comma = arguments.between.find(',');
    if (comma == std::string::npos) return invalid_argument("--between takes FROM,TO, for instance 10ms,12.5ms");
    LW_ASSIGN_OR_RETURN(const int64_t from, parse_span(std::string_view(arguments.between).substr(0, comma)));
    LW_ASSIGN_OR_RETURN(const int64_t to, parse_span(std::string_view(arguments.between).substr(comma + 1)));
    if (from >= to) return invalid_argument("--between " + arguments.between + " is empty");
    selection.between_ns = {from, to};
  }
  return selection;
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
  answer.main_table = question.main_table;
  AnswerForm form;
  form.text = [&](const std::vector<Table>& tables) { return text_of_answer(question.name, tables, arguments); };
  return print_answer(question.name, std::move(answer), arguments, form);
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
