// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables: every analysis of trace/analysis/questions.h, with the page's range, filters and order; of a device profile those of
// trace/device_analysis/questions.h.
#include <array>

#include "server/http/app.h"
#include "server/wire/table_frame.h"
#include "trace/analysis/questions.h"
#include "trace/device_analysis/questions.h"

namespace lanewise::server::http {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::QuestionOptions;
using trace::analysis::Table;
using wire::JsonValue;

constexpr int64_t kFar = int64_t{1} << 61;   // beyond every time, and still to be added to one

std::vector<std::string> texts_of(const JsonValue* list) {
  std::vector<std::string> texts;
  if (list == nullptr) return texts;
  for (const JsonValue& item : list->items()) texts.push_back(item.text());
  return texts;
}

Result<QuestionOptions> options_of(const JsonValue& json, std::string_view question) {
  QuestionOptions options;
  auto& selection = options.selection;
  const auto from = json.time_of("from"), to = json.time_of("to");
  if (from || to) {
    selection.between_ns = {from.value_or(-kFar), to.value_or(kFar)};
    if (selection.between_ns->first >= selection.between_ns->second) return invalid_argument("the range is empty");
  }
  selection.device = json.text_of("device");
  selection.rank = json.integer_of("rank");
  selection.name = json.text_of("name");
  if (const JsonValue* steps = json.find("steps")) {
    for (const JsonValue& step : steps->items()) {
      const auto number = step.integer();
      if (!number) return invalid_argument("a step is a number");
      selection.steps.push_back(*number);
    }
  }
  options.by = texts_of(json.find("by"));
  if (question == "modules") options.by = {"module"};
  const JsonValue none;
  const JsonValue* more = json.find("options");
  if (more == nullptr) more = &none;
  if (const std::string event = more->text_of("event"); !event.empty()) {
    options.event = trace::schema::EventId::parse(event);
    if (!options.event) return invalid_argument("an event id is ORDINAL or PART:ORDINAL");
  }
  options.nth = more->integer_of("nth").value_or(1);
  options.thread = more->text_of("thread");
  options.bottom_up = more->boolean_of("bottom_up");
  return options;
}

// "COLUMN", "COLUMN:asc", "COLUMN:desc"; numbers fall and texts rise when nothing is said.
Status sort_table(Table* table, const std::string& order) {
  const size_t colon = order.find(':');
  const auto column = table->find(order.substr(0, colon));
  if (!column || is_list(table->columns()[*column].type)) return invalid_argument("cannot sort by " + order);
  const std::string direction = colon == order.npos ? "" : order.substr(colon + 1);
  if (!direction.empty() && direction != "asc" && direction != "desc") return invalid_argument("cannot sort by " + order);
  table->sort(*column, direction.empty() ? table->columns()[*column].type != ColumnType::text : direction == "desc");
  return ok_status();
}

// A device profile counts ps, as its times on the page do.
Result<std::optional<trace::device_analysis::Interval>> picos_of(const JsonValue& json) {
  const auto from = json.time_of("from"), to = json.time_of("to");
  if (!from && !to) return std::optional<trace::device_analysis::Interval>();
  const trace::device_analysis::Interval range{Picos(from.value_or(-kFar)), Picos(to.value_or(kFar))};
  if (range.begin >= range.end) return invalid_argument("the range is empty");
  return std::optional(range);
}

struct Answered {
  std::vector<Table> tables;
  std::string_view main_table;
};

Result<Answered> ask(const library::View& view, std::string_view name, const JsonValue& json) {
  if (view.device) {
    const auto* question = trace::device_analysis::find_question(name);
    if (question == nullptr) return not_found("a device profile has no table " + std::string(name));
    trace::device_analysis::Subject subject{view.device->program(), view.device->machine()};
    LW_ASSIGN_OR_RETURN(subject.range, picos_of(json));
    if (subject.range && !question->ranged) return invalid_argument("the table " + std::string(name) + " is about the program as a whole; ask it without from and to");
    LW_ASSIGN_OR_RETURN(std::vector<Table> tables, question->answer(subject));
    return Answered{std::move(tables), question->main_table};
  }
  const auto* question = trace::analysis::find_question(name == "modules" ? "ops" : name);
  if (question == nullptr) return not_found("there is no table " + std::string(name));
  LW_ASSIGN_OR_RETURN(const QuestionOptions options, options_of(json, name));
  LW_ASSIGN_OR_RETURN(std::vector<Table> tables, question->answer(*view.model, options));
  return Answered{std::move(tables), question->main_table};
}

Result<std::string> answer_table(const library::View& view, std::string_view name, const JsonValue& json) {
  LW_ASSIGN_OR_RETURN(Answered answered, ask(view, name, json));
  wire::FrameWriter frame;
  frame.member("main", answered.main_table).member("question", name);
  const std::string order = json.text_of("sort");
  const auto top = json.integer_of("top");
  for (Table& table : answered.tables) {
    if (table.name() == answered.main_table) {
      if (!order.empty()) LW_RETURN_IF_ERROR(sort_table(&table, order));
      if (top && *top >= 0) table.keep_rows(static_cast<size_t>(*top));
    }
    wire::add_table(frame, table);
  }
  return std::move(frame).finish();
}

Response table(Call& call) {
  const auto found = trace_of(call, true);
  if (!found.ok()) return error_response(found.status());
  const auto body = call.request.read_body(1 << 20);
  if (!body.ok()) return error_response(body.status());
  const auto json = JsonValue::parse(body->empty() ? "{}" : *body);
  if (!json.ok()) return error_response(json.status());
  const std::string& name = call.pieces[1];
  Status failure;
  auto answer = found->trace->answer("table/" + name + "/" + *body, [&] { return answer_table(*found->view, name, *json); }, &failure);
  if (answer == nullptr) return error_response(failure);
  Response response = frame_response({});
  response.shared = std::move(answer);
  return response;
}

constexpr auto kRoutes = std::to_array<Route>({
    {"POST", "/api/trace/{}/table/{}", table},
});

}  // namespace

std::span<const Route> table_routes() { return kRoutes; }

}  // namespace lanewise::server::http
