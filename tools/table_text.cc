// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/table_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tools/table_fit.h"
#include "trace/schema/event_id.h"

namespace lanewise::tools {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::Table;
using trace::schema::EventId;

std::string event_text(int64_t packed) { return EventId::unpack(static_cast<uint64_t>(packed)).to_string(); }

std::string cell_text(const Table::Column& column, const Table& table, size_t c, size_t row) {
  if (table.is_null(c, row)) return "-";
  char text[64];
  switch (column.type) {
    case ColumnType::text: return printable(column.texts[row]);
    case ColumnType::ns: return span_text(column.integers[row]);
    case ColumnType::ps: return picos_text(column.integers[row]);
    case ColumnType::bytes: return bytes_text(column.integers[row]);
    case ColumnType::event: return event_text(column.integers[row]);
    case ColumnType::flag: return column.integers[row] ? "yes" : "";
    case ColumnType::real: std::snprintf(text, sizeof(text), "%.3f", column.reals[row]); return text;
    case ColumnType::events:
    case ColumnType::integers: return std::to_string(column.lists[row].size());
    default: return std::to_string(column.integers[row]);
  }
}

// "self_cpu_ns" is read as "self cpu".
std::string head_text(const Table& table, const Table::Column& column) {
  std::string name = column.name;
  // Of ranks and steps: these hold the fixed cost of executions, which busy in summary and gaps does not.
  if (table.name() == "ranks" && name == "busy_ns") return "busy incl. overhead";
  if (name == "kernel_ns") return "kernel incl. overhead";
  for (const std::string_view group : {"causes.", "reasons."}) {
    if (name.starts_with(group)) name = name.substr(group.size());
  }
  if (column.type == ColumnType::ns && name.ends_with("_ns")) name.resize(name.size() - 3);
  if (column.type == ColumnType::ps && name.ends_with("_ps")) name.resize(name.size() - 3);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

void write_value(JsonWriter& w, const Table& table, size_t c, size_t row) {
  const Table::Column& column = table.columns()[c];
  if (table.is_null(c, row)) {
    w.null();
    return;
  }
  switch (column.type) {
    case ColumnType::text: w.value(column.texts[row]); break;
    case ColumnType::real: w.value(column.reals[row]); break;
    case ColumnType::flag: w.value(column.integers[row] != 0); break;
    case ColumnType::event: w.value(event_text(column.integers[row])); break;
    case ColumnType::events:
      w.begin_array();
      for (const uint64_t packed : column.lists[row]) w.value(EventId::unpack(packed).to_string());
      w.end_array();
      break;
    case ColumnType::integers:
      w.begin_array();
      for (const uint64_t value : column.lists[row]) w.value(static_cast<int64_t>(value));
      w.end_array();
      break;
    default: w.value(column.integers[row]);
  }
}

}  // namespace

TextStyle style_of_stdout() {
  TextStyle style;
  if (!isatty(STDOUT_FILENO)) return style;
  winsize size = {};
  style.width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  const char* no_colour = std::getenv("NO_COLOR");
  style.colours = no_colour == nullptr || *no_colour == '\0';
  return style;
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return out;
}

std::string span_text(int64_t ns) {
  if (ns == 0) return "0";
  const double value = static_cast<double>(ns);
  const double size = std::fabs(value);
  char text[48];
  if (size < 1e3) std::snprintf(text, sizeof(text), "%lld ns", static_cast<long long>(ns));
  else if (size < 1e6) std::snprintf(text, sizeof(text), "%.3f us", value / 1e3);
  else if (size < 1e9) std::snprintf(text, sizeof(text), "%.3f ms", value / 1e6);
  else std::snprintf(text, sizeof(text), "%.3f s", value / 1e9);
  return text;
}

std::string picos_text(int64_t ps) {
  if (ps == 0) return "0";
  const double size = std::fabs(static_cast<double>(ps));
  char text[48];
  if (size < 1e6) std::snprintf(text, sizeof(text), "%.3f ns", static_cast<double>(ps) / 1e3);
  else if (size < 1e9) std::snprintf(text, sizeof(text), "%.3f us", static_cast<double>(ps) / 1e6);
  else if (size < 1e12) std::snprintf(text, sizeof(text), "%.3f ms", static_cast<double>(ps) / 1e9);
  else std::snprintf(text, sizeof(text), "%.3f s", static_cast<double>(ps) / 1e12);
  return text;
}

std::string bytes_text(int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (std::fabs(value) >= 1024 && unit + 1 < std::size(kUnits)) value /= 1024, ++unit;
  char text[48];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.2f %s", value, kUnits[unit]);
  return text;
}

std::string more_rows_text(size_t rows) { return std::to_string(rows) + (rows == 1 ? " more row" : " more rows") + " (--top N, 0 for all; --json)\n"; }

std::string table_text(const Table& table, const TextStyle& style) {
  std::vector<ShownColumn> shown;
  for (size_t c = 0; c < table.columns().size(); ++c) {
    const Table::Column& column = table.columns()[c];
    if (is_list(column.type)) continue;
    ShownColumn s{c, {head_text(table, column)}, column.type == ColumnType::text};
    for (size_t row = 0; row < table.rows(); ++row) s.cells.push_back(cell_text(column, table, c, row));
    shown.push_back(std::move(s));
  }
  fit_columns(table, style.width, &shown);
  std::string out;
  for (size_t row = 0; row <= table.rows(); ++row) {
    // A sentence may need several lines.
    std::vector<std::vector<std::string>> cells;
    size_t lines = 1;
    for (const ShownColumn& s : shown) {
      cells.push_back(s.wraps ? wrap_words(s.cells[row], s.width) : std::vector<std::string>{cut_middle(s.cells[row], s.width)});
      lines = std::max(lines, cells.back().size());
    }
    if (row == 0 && style.colours) out += "\x1b[1m";
    for (size_t line = 0; line < lines; ++line) {
      std::string text;
      for (size_t i = 0; i < shown.size(); ++i) {
        const std::string cell = line < cells[i].size() ? cells[i][line] : std::string();
        const std::string blanks(shown[i].width - std::min(shown[i].width, width_of(cell)), ' ');
        if (i > 0) text += "  ";
        text += shown[i].text ? cell + blanks : blanks + cell;
      }
      text.resize(text.find_last_not_of(' ') + 1);
      out += text;
      if (row == 0 && style.colours) out += "\x1b[0m";
      out += '\n';
    }
  }
  return out;
}

void write_rows(JsonWriter& w, const Table& table) {
  const auto& columns = table.columns();
  w.begin_array();
  for (size_t row = 0; row < table.rows(); ++row) {
    w.begin_object();
    std::string open;
    for (size_t c = 0; c < columns.size(); ++c) {
      const size_t point = columns[c].name.find('.');
      const std::string group = point == std::string::npos ? "" : columns[c].name.substr(0, point);
      if (group != open) {
        if (!open.empty()) w.end_object();
        if (!group.empty()) w.key(group).begin_object();
        open = group;
      }
      w.key(point == std::string::npos ? std::string_view(columns[c].name) : std::string_view(columns[c].name).substr(point + 1));
      write_value(w, table, c, row);
    }
    if (!open.empty()) w.end_object();
    w.end_object();
  }
  w.end_array();
}

}  // namespace lanewise::tools
