// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_analysis.h"

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

Result<Selection> selection_of(const AnalysisArguments& arguments) {
  Selection selection;
  LW_ASSIGN_OR_RETURN(selection.steps, parse_steps(arguments.steps));
  selection.rank = arguments.rank;
  selection.device = arguments.device;
  selection.name = arguments.name;
  if (!arguments.between.empty()) {
    LW_ASSIGN_OR_RETURN(selection.between_ns, parse_between(arguments.between));
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
  if (question.kinds) answer.kinds = question.kinds();
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
