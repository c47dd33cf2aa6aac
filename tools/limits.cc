// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/limits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/near_word.h"

namespace lanewise::tools {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::Table;

struct Limit {
  std::string left, op;
  double value = 0;
  std::string unit;
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Splits "1.5 ms" into number and unit.
bool parse_quantity(std::string_view text, double* value, std::string* unit) {
  text = trim(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  if (error != std::errc() || !std::isfinite(*value)) return false;  // "nan" and "inf" are numbers to from_chars
  *unit = trim(text.substr(static_cast<size_t>(end - text.data())));
  return true;
}

// Factor of a unit; 0 when there is none of that name.
double factor_of(std::string_view unit) {
  constexpr auto kUnits = std::to_array<std::pair<std::string_view, double>>({{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9},
      {"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}});
  for (const auto& [name, factor] : kUnits) {
    if (name == unit) return factor;
  }
  return 0;
}

Result<Limit> parse_limit(const std::string& text) {
  const size_t at = text.find_first_of("<>");
  if (at == std::string::npos || at == 0) return invalid_argument("cannot read the limit '" + text + "': it is NAME>VALUE");
  Limit limit;
  limit.left = trim(std::string_view(text).substr(0, at));
  const bool equal = at + 1 < text.size() && text[at + 1] == '=';
  limit.op = text.substr(at, equal ? 2 : 1);
  if (!parse_quantity(std::string_view(text).substr(at + limit.op.size()), &limit.value, &limit.unit) ||
      (limit.unit != "%" && factor_of(limit.unit) == 0)) {
    return invalid_argument("cannot read the value of the limit '" + text + "'");
  }
  if (limit.unit != "%") limit.value *= factor_of(limit.unit);
  return limit;
}

bool exceeds(double value, const std::string& op, double limit) {
  if (op == ">") return value > limit;
  if (op == ">=") return value >= limit;
  if (op == "<") return value < limit;
  return value <= limit;
}

double number(const Table::Column& column, size_t row) {
  if (column.type == ColumnType::real) return column.reals[row];
  const auto value = static_cast<double>(column.integers[row]);
  return column.type == ColumnType::ps ? value / 1000 : value;   // times of limits are ns
}

Result<std::string> check_column(const std::vector<Table>& tables, const std::string& text, const Limit& limit) {
  const Table* table = nullptr;
  size_t index = 0;
  for (const Table& t : tables) {
    auto column = t.find(limit.left);
    if (!column && limit.left.starts_with(t.name() + ".")) column = t.find(std::string_view(limit.left).substr(t.name().size() + 1));
    if (!column) continue;
    table = &t;
    index = *column;
    break;
  }
  if (table == nullptr) return invalid_argument("no column " + limit.left + " for the limit '" + text + "'");
  const Table::Column& column = table->columns()[index];
  if (column.type == ColumnType::text || is_list(column.type) || column.type == ColumnType::event) {
    return invalid_argument("the column " + limit.left + " has no numbers");
  }
  double sum = 0;
  for (size_t row = 0; row < table->rows(); ++row) sum += table->is_null(index, row) ? 0 : number(column, row);
  const auto wall = table->find("wall_ns");
  for (size_t row = 0; row < table->rows(); ++row) {
    if (table->is_null(index, row)) continue;
    double value = number(column, row);
    if (limit.unit == "%") {
      const double whole = wall ? number(table->columns()[*wall], row) : sum;
      value = whole == 0 ? 0 : value / whole * 100;
    }
    if (!exceeds(value, limit.op, limit.value)) continue;
    char shown[32];
    const auto end = std::to_chars(shown, shown + sizeof(shown), value).ptr;
    std::string who;
    if (!table->columns().empty() && table->columns()[0].type == ColumnType::text) who = " (" + std::string(table->columns()[0].texts[row]) + ")";
    return text + ": " + std::string(shown, end) + (limit.unit == "%" ? " %" : "") + who;
  }
  return std::string();
}

Result<std::string> check_kind(const std::vector<Table>& tables, const std::string& text, const Limit& limit, const std::vector<std::string_view>& kinds) {
  // Of a kind that is mistyped there are never too many.
  if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), limit.left) == kinds.end()) {
    std::string known;
    for (const std::string_view kind : kinds) known += (known.empty() ? "" : ", ") + std::string(kind);
    const std::string_view near = near_word(limit.left, kinds);
    return invalid_argument("no kind " + limit.left + " for the limit '" + text + "'" + (near.empty() ? std::string(". ") : "; did you mean " + std::string(near) + "? ") + "There are " + known);
  }
  for (const Table& table : tables) {
    auto column = table.find("kind");
    if (!column) column = table.find("cause");
    if (!column) continue;
    double count = 0;
    for (const std::string_view kind : table.columns()[*column].texts) count += kind == limit.left;
    if (!exceeds(count, limit.op, limit.value)) return std::string();
    return text + ": " + std::to_string(static_cast<long long>(count)) + " of kind " + limit.left;
  }
  return invalid_argument("this command has no kinds for the limit '" + text + "'");
}

}  // namespace

Result<int64_t> parse_span(std::string_view text) {
  double value = 0;
  std::string unit;
  if (!parse_quantity(text, &value, &unit) || factor_of(unit) == 0 || unit.ends_with("B")) {
    return invalid_argument("cannot read the time '" + std::string(text) + "': a number with ns, us, ms or s");
  }
  const double ns = value * factor_of(unit);
  constexpr double kMost = 9.2e18;  // what fits 64-bit nanoseconds
  if (ns > kMost || ns < -kMost) return invalid_argument("the time '" + std::string(text) + "' is beyond 292 years");
  return std::llround(ns);
}

Result<std::pair<int64_t, int64_t>> parse_between(const std::string& text) {
  const size_t comma = text.find(',');
  if (comma == std::string::npos) return invalid_argument("--between takes FROM,TO, for instance 10ms,12.5ms");
  std::array<int64_t, 2> ends{};
  for (size_t i = 0; i < ends.size(); ++i) {
    const std::string end = i == 0 ? text.substr(0, comma) : text.substr(comma + 1);
    LW_ASSIGN_OR_RETURN(ends[i], parse_span(end));
    if (ends[i] != 0 && end.find_first_of("nums") == std::string::npos) return invalid_argument("--between " + text + ": give each time its unit (ns, us, ms, s), for instance 10ms,12.5ms");
  }
  if (ends[0] >= ends[1]) return invalid_argument("--between " + text + " is empty");
  return std::pair(ends[0], ends[1]);
}

Result<std::vector<int64_t>> parse_steps(const std::vector<std::string>& texts) {
  const auto number = [](std::string_view text) -> Result<int64_t> {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return invalid_argument("cannot read the step '" + std::string(text) + "'");
    return value;
  };
  std::vector<int64_t> steps;
  for (const std::string& text : texts) {
    const size_t dash = text.find('-', 1);
    LW_ASSIGN_OR_RETURN(const int64_t first, number(std::string_view(text).substr(0, dash)));
    int64_t last = first;
    if (dash != std::string::npos) {
      LW_ASSIGN_OR_RETURN(last, number(std::string_view(text).substr(dash + 1)));
    }
    if (last < first || last - first > 1'000'000) return invalid_argument("cannot read the steps '" + text + "'");
    for (int64_t step = first; step <= last; ++step) steps.push_back(step);
  }
  return steps;
}

Result<std::vector<std::string>> exceeded_limits(const std::vector<Table>& tables, const std::vector<std::string>& fail_if,
                                                 const std::vector<std::string>& fail_on, const std::vector<std::string_view>& kinds) {
  std::vector<std::string> exceeded;
  for (const std::string& text : fail_if) {
    LW_ASSIGN_OR_RETURN(const Limit limit, parse_limit(text));
    LW_ASSIGN_OR_RETURN(const std::string sentence, check_column(tables, text, limit));
    if (!sentence.empty()) exceeded.push_back(sentence);
  }
  for (const std::string& text : fail_on) {
    LW_ASSIGN_OR_RETURN(const Limit limit, parse_limit(text));
    LW_ASSIGN_OR_RETURN(const std::string sentence, check_kind(tables, text, limit, kinds));
    if (!sentence.empty()) exceeded.push_back(sentence);
  }
  return exceeded;
}

}  // namespace lanewise::tools
