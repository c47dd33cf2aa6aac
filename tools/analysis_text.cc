// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "tools/command_summary.h"
#include "tools/table_text.h"

namespace lanewise::tools {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::Table;
using Tables = std::vector<Table>;

AnswerText only(std::string text) { return {std::move(text), true}; }

// Wall, busy and causes of each device; the gaps follow.
AnswerText gaps(const Tables& tables) {
  const Table& devices = tables[0];
  if (devices.rows() == 0) return only("This trace has no device events, so no device was idle.\n");
  const auto& parts = devices["part"].integers;
  const bool several = std::any_of(parts.begin(), parts.end(), [&](int64_t part) { return part != parts[0]; });
  AnswerText text;
  for (size_t row = 0; row < devices.rows(); ++row) {
    const int64_t wall = devices["wall_ns"].integers[row];
    const auto line = [&](std::string_view name, int64_t ns) {
      char out[128];
      const double share = wall > 0 ? 100.0 * static_cast<double>(ns) / static_cast<double>(wall) : 0;
      std::snprintf(out, sizeof(out), "  %-18.*s %12s  %5.1f %%\n", static_cast<int>(name.size()), name.data(), span_text(ns).c_str(), share);
      text.head += out;
    };
    text.head += printable(devices["device"].texts[row]) + (several ? " of file " + std::to_string(parts[row]) : "") + "\n";
    line("wall", wall);
    line("busy", devices["busy_ns"].integers[row]);
    for (const Table::Column& column : devices.columns()) {
      if (column.name.starts_with("causes.") && column.integers[row] > 0) line(std::string_view(column.name).substr(7), column.integers[row]);
    }
  }
  return text;
}

// People read the depth from the indent.
AnswerText tree(const Tables& tables, const AnalysisArguments& arguments) {
  constexpr size_t kRows = 40;
  const Table& table = tables[0];
  if (table.rows() == 0) return only("no rows\n");
  Table shown("rows", {{"name", ColumnType::text}, {"calls", ColumnType::count}, {"total_ns", ColumnType::ns}, {"self_ns", ColumnType::ns},
                       {"device_ns", ColumnType::ns}});
  const size_t rows = std::min(table.rows(), arguments.top < 0 ? kRows : static_cast<size_t>(arguments.top));
  for (size_t row = 0; row < rows; ++row) {
    const auto depth = static_cast<size_t>(table["depth"].integers[row]);
    shown.row().text(std::string(2 * depth, ' ') + (depth == 0 && !arguments.bottom_up ? "thread " : "") + std::string(table["name"].texts[row])).integer(table["calls"].integers[row])
        .integer(table["total_ns"].integers[row]).integer(table["self_ns"].integers[row]).integer(table["device_ns"].integers[row]);
  }
  std::string text = table_text(shown, style_of_stdout());
  if (rows < table.rows()) text += more_rows_text(table.rows() - rows);
  return only(std::move(text));
}

}  // namespace

AnswerText text_of_answer(std::string_view question, const Tables& tables, const AnalysisArguments& arguments) {
  if (question == "summary") return only(summary_text(tables, style_of_stdout()));
  if (question == "gaps") return gaps(tables);
  if (question == "tree" && arguments.sort.empty()) return tree(tables, arguments);
  if (question == "steps" && tables[1].rows() == 0) return only("This trace has no ProfilerStep ranges.\n");
  if (question == "memory") {
    // The curve is for charts: text shows only its peak.
    if (tables[0].rows() == 0) return only("This trace has no memory events; PyTorch writes them with profile_memory=True.\n");
    return {table_text(tables[0], style_of_stdout()), false};
  }
  return {};
}

}  // namespace lanewise::tools
