// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_compare.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "tools/limits.h"
#include "tools/table_text.h"
#include "tools/trace_input.h"
#include "trace/analysis/compare.h"
#include "trace/export/table_csv.h"

namespace lanewise::tools {
namespace {

using trace::analysis::CompareSide;
using trace::analysis::Model;
using trace::analysis::Selection;
using trace::analysis::Table;

constexpr int64_t kTextRows = 20;

// "step>1.03x": metric and factor. False when the limit is of another form.
bool parse_ratio(const std::string& text, std::string* metric, bool* or_equal, double* factor) {
  const size_t at = text.find('>');
  if (at == std::string::npos || text.back() != 'x') return false;
  *or_equal = text[at + 1] == '=';
  *metric = text.substr(0, at);
  while (!metric->empty() && metric->back() == ' ') metric->pop_back();
  size_t begin = at + 1 + *or_equal;
  while (text[begin] == ' ') ++begin;
  const char* end = text.data() + text.size() - 1;
  const auto [stop, error] = std::from_chars(text.data() + begin, end, *factor);
  return error == std::errc() && stop == end && std::isfinite(*factor);
}

Result<std::vector<std::string>> exceeded(const std::vector<Table>& tables, const std::vector<std::string>& limits) {
  const Table& metrics = tables[1];
  std::vector<std::string> sentences;
  for (const std::string& text : limits) {
    std::string metric;
    bool or_equal = false, known = false;
    double factor = 0;
    if (!parse_ratio(text, &metric, &or_equal, &factor)) {
      LW_ASSIGN_OR_RETURN(const auto others, exceeded_limits(tables, {text}, {}, {}));
      sentences.insert(sentences.end(), others.begin(), others.end());
      continue;
    }
    for (size_t row = 0; row < metrics.rows(); ++row) {
      if (metrics["metric"].texts[row] != metric) continue;
      known = true;
      const int64_t a = metrics["a"].integers[row], b = metrics["b"].integers[row];
      // Without a ratio (A has none of it) anything is too much.
      const double limit = factor * static_cast<double>(a);
      const bool over = or_equal ? static_cast<double>(b) >= limit && b > 0 : static_cast<double>(b) > limit;
      if (over) sentences.push_back(text + ": " + std::string(metrics["side"].texts[row]) + " has " + std::to_string(b) + ", A has " + std::to_string(a));
    }
    if (!known) return invalid_argument("no metric " + metric + " for the limit '" + text + "'");
  }
  return sentences;
}

void print_json(const std::vector<Table>& tables) {
  JsonWriter w(1);
  w.begin_object().member("schema", 1).member("command", "compare");
  for (const Table& table : tables) {
    w.key(table.name());
    write_rows(w, table);
  }
  w.end_object();
  std::fwrite(w.text().data(), 1, w.text().size(), stdout);
  std::fputc('\n', stdout);
}

Status print_csv(std::vector<Table>* tables, const std::string& wanted, int64_t top) {
  for (Table& table : *tables) {
    if (table.name() != (wanted.empty() ? "rows" : wanted)) continue;
    if (top >= 0) table.keep_rows(static_cast<size_t>(top));
    const std::string text = trace::exporting::table_csv(table);  // names may hold any byte, also 0
    std::fwrite(text.data(), 1, text.size(), stdout);
    return ok_status();
  }
  return invalid_argument("no table " + wanted + "; there are sides, metrics, explain, rows");
}

// For people: times with their units. Counts and times share a column of the machine answer.
Table metrics_for_text(const Table& metrics) {
  constexpr auto kCounts = std::to_array<std::string_view>({"device_events", "launches", "copies", "operators"});
  Table shown("metrics", {{"metric", trace::analysis::ColumnType::text}, {"side", trace::analysis::ColumnType::text}, {"a", trace::analysis::ColumnType::text},
                          {"b", trace::analysis::ColumnType::text}, {"delta", trace::analysis::ColumnType::text}, {"ratio", trace::analysis::ColumnType::real}});
  for (size_t row = 0; row < metrics.rows(); ++row) {
    const std::string_view name = metrics["metric"].texts[row];
    const bool count = std::find(kCounts.begin(), kCounts.end(), name) != kCounts.end();
    const auto cell = [&](const char* column) {
      const int64_t value = metrics[column].integers[row];
      return count ? std::to_string(value) : span_text(value);
    };
    if (metrics["a"].integers[row] == 0 && metrics["b"].integers[row] == 0) continue;
    auto out = shown.row();
    out.text(name).text(metrics["side"].texts[row]).text(cell("a")).text(cell("b")).text(cell("delta"));
    out.real(metrics["ratio"].reals[row]);
  }
  return shown;
}

void print_text(std::vector<Table>* tables, int64_t top) {
  const TextStyle style = style_of_stdout();
  for (Table& table : *tables) {
    if (table.name() == "metrics") table = metrics_for_text(table);
  }
  for (size_t i = 0; i + 1 < tables->size(); ++i) std::printf("%s\n%s\n", (*tables)[i].name().c_str(), table_text((*tables)[i], style).c_str());
  Table& rows = tables->back();
  const size_t all = rows.rows(), shown = static_cast<size_t>(top < 0 ? kTextRows : top);
  rows.keep_rows(shown);
  std::fputs(all == 0 ? "no rows\n" : table_text(rows, style).c_str(), stdout);
  if (all > shown) std::fputs(more_rows_text(all - shown).c_str(), stdout);
}

Result<int> compare(const CompareArguments& arguments, const std::vector<CompareSide>& sides) {
  Selection selection;
  LW_ASSIGN_OR_RETURN(selection.steps, parse_steps(arguments.steps));
  LW_ASSIGN_OR_RETURN(std::vector<Table> tables, trace::analysis::compare_tables(sides, selection));
  LW_ASSIGN_OR_RETURN(const auto sentences, exceeded(tables, arguments.fail_if));
  if (arguments.json) print_json(tables);
  else if (arguments.csv) LW_RETURN_IF_ERROR(print_csv(&tables, arguments.table, arguments.top));
  else print_text(&tables, arguments.top);
  std::fflush(stdout);
  for (const std::string& sentence : sentences) std::fprintf(stderr, "lanewise: limit exceeded: %s\n", sentence.c_str());
  return sentences.empty() ? kExitDone : kExitLimit;
}

}  // namespace

int run_compare(const CompareArguments& arguments) {
  std::vector<TraceInput> inputs;
  std::vector<CompareSide> sides;
  for (const std::string& path : arguments.paths) {
    auto input = open_trace({path}, arguments.producers);
    if (!input.ok()) return exit_code_of(input.status());
    inputs.push_back(std::move(*input));
    sides.push_back({Model::build(inputs.back().session), path});
  }
  const auto code = compare(arguments, sides);
  if (!code.ok()) return exit_code_of(code.status());
  bool damaged = false;
  for (const TraceInput& input : inputs) damaged |= report_damage(*input.session);
  return damaged && arguments.strict ? kExitUsage : *code;
}

}  // namespace lanewise::tools
