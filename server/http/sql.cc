// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/sql.h"

#include <cmath>
#include <map>
#include <mutex>
#include <semaphore>
#include <unordered_map>
#include <vector>

#include "server/http/child.h"
#include "server/wire/frame.h"
#include "server/wire/json_value.h"

namespace lanewise::server::http {
namespace {

using wire::JsonValue;

// Processes at a time: each reads its trace into memory of its own.
constexpr int kMostAtOnce = 2;
// Cells of an answer; what a screen shows has far fewer.
constexpr size_t kMostCells = 5'000'000;
constexpr double kExact = 9007199254740992.0;

// What the number of a column means, by the names that our tables use.
std::string_view type_of_column(const std::string& name) {
  if (name == "event" || name.ends_with("_event")) return "event";
  if (name.ends_with("_ns") || name == "start") return "ns";
  if (name.ends_with("bytes")) return "bytes";
  return "real";
}

// Texts and numbers of one column as a column of the frame.
void add_column(wire::FrameWriter* frame, const std::string& name, const std::vector<const JsonValue*>& values) {
  bool numbers = true, exact = false, whole = true;
  for (const JsonValue* value : values) {
    if (value->is(JsonValue::Kind::null)) continue;
    if (!value->is(JsonValue::Kind::number)) numbers = false;
    if (value->text().find_first_not_of("-0123456789") != std::string::npos) whole = false;
    exact |= std::abs(value->number()) >= kExact;
  }
  if (numbers && !(exact && whole)) {
    std::vector<double> column;
    for (const JsonValue* value : values) column.push_back(value->number(std::nan("")));
    std::string_view type = type_of_column(name);
    if (type == "real" && whole) type = "integer";
    frame->column(name, type, std::span<const double>(column));
    return;
  }
  std::unordered_map<std::string, uint32_t> known;
  std::vector<std::string> texts;
  std::vector<uint32_t> codes;
  for (const JsonValue* value : values) {
    if (value->is(JsonValue::Kind::null)) {
      codes.push_back(wire::kNullCode);
      continue;
    }
    std::string text = value->is(JsonValue::Kind::boolean) ? (value->boolean() ? "true" : "false") : value->text();
    if (value->is(JsonValue::Kind::array) || value->is(JsonValue::Kind::object)) text = "[" + std::to_string(value->items().size()) + "]";
    const auto [at, is_new] = known.try_emplace(text, static_cast<uint32_t>(texts.size()));
    if (is_new) texts.push_back(std::move(text));
    codes.push_back(at->second);
  }
  frame->dictionary(name, numbers ? "integer" : "text", codes, {texts.begin(), texts.end()}, numbers);
}

Result<std::string> frame_of(std::string_view json) {
  LW_ASSIGN_OR_RETURN(const JsonValue answer, JsonValue::parse(json, kMostCells));
  const JsonValue* columns = answer.find("columns");
  const JsonValue* rows = answer.find("rows");
  if (columns == nullptr || rows == nullptr) return internal_error("the answer of the SQL process has no rows");
  wire::FrameWriter frame;
  std::string events_column;
  frame.begin_table("result", rows->items().size());
  for (size_t c = 0; c < columns->items().size(); ++c) {
    const std::string& name = columns->items()[c].text();
    std::vector<const JsonValue*> values;
    static const JsonValue none;
    for (const JsonValue& row : rows->items()) values.push_back(c < row.items().size() ? &row.items()[c] : &none);
    if (events_column.empty() && type_of_column(name) == "event") events_column = name;
    add_column(&frame, name, values);
  }
  frame.end_table();
  if (events_column.empty()) frame.raw_member("events_column", "null");
  else frame.member("events_column", events_column);
  if (const JsonValue* more = answer.find("more")) frame.member("more", more->boolean());
  return std::move(frame).finish();
}

// The last line of what went to stderr, without the program's name.
std::string sentence_of(const std::string& errors) {
  std::string_view text = errors;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  constexpr std::string_view kName = "lanewise: ";
  if (const size_t at = text.rfind("\n" + std::string(kName)); at != text.npos) text.remove_prefix(at + 1);
  if (text.starts_with(kName)) text.remove_prefix(kName.size());
  return text.empty() ? "the SQL process ended without an answer" : std::string(text);
}

}  // namespace

SqlSupport sql_support(const std::string& python) {
  static std::mutex mutex;
  static std::map<std::string, SqlSupport> known;
  const std::lock_guard lock(mutex);
  if (const auto at = known.find(python); at != known.end()) return at->second;
  SqlSupport support;
  constexpr const char* kLook =
      "import importlib.util as u, sys\n"
      "missing = [n for n in ('duckdb', 'pyarrow', 'lanewise') if u.find_spec(n) is None]\n"
      "print(' '.join(missing))";
  ChildLimits limits;
  limits.seconds = 20;
  const auto looked = run_child({python, "-c", kLook}, limits);
  std::string missing = looked.ok() ? looked->output : "";
  while (!missing.empty() && (missing.back() == '\n' || missing.back() == ' ')) missing.pop_back();
  if (!looked.ok() || looked->exit_code != 0) support.text = "SQL needs Python with DuckDB; " + python + " cannot be started. Run ./run, or set LANEWISE_PYTHON";
  else if (!missing.empty()) support.text = "SQL needs " + missing + " in " + python + ": pip install duckdb pyarrow";
  else support.available = true;
  known[python] = support;
  return support;
}

Result<std::string> answer_sql(const SqlQuestion& question) {
  const SqlSupport support = sql_support(question.python);
  if (!support.available) return unimplemented(support.text);
  static std::counting_semaphore<kMostAtOnce> places(kMostAtOnce);
  while (!places.try_acquire_for(std::chrono::milliseconds(200))) {
    if (question.wanted && !question.wanted()) return Status(StatusCode::cancelled, "nobody waits for the answer any more");
  }
  ChildLimits limits;
  limits.wanted = question.wanted;
  auto ran = run_child({question.python, "-m", "lanewise.trace.command", "sql", "--page", std::to_string(question.limit), "--", question.path, question.sql}, limits);
  places.release();
  LW_ASSIGN_OR_RETURN(const ChildResult result, std::move(ran));
  if (result.exit_code != 0) {
    // A sentence about the query; anything else is a bug of ours, and its last line says most.
    const bool bug = result.errors.find("Traceback (most recent call last)") != std::string::npos;
    const std::string sentence = sentence_of(result.errors);
    return bug ? internal_error("the SQL process failed: " + sentence.substr(sentence.rfind('\n') + 1)) : invalid_argument(sentence);
  }
  return frame_of(result.output);
}

}  // namespace lanewise::server::http
