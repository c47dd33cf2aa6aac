// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_summary.h"

#include <algorithm>
#include <cstdio>

#include "base/status.h"

namespace lanewise::tools {
namespace {

using trace::analysis::Table;

std::string percent(int64_t part, int64_t whole) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %%", whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0);
  return text;
}

const Table& named(const std::vector<Table>& tables, std::string_view name) {
  for (const Table& table : tables) {
    if (table.name() == name) return table;
  }
  LW_CHECK(false, "no table " + std::string(name));
  return tables[0];
}

// "busy 51.2 %, host_busy 30.1 %, launch_latency 10.0 %, ..."
std::string device_line(const Table& devices, size_t row) {
  const int64_t wall = devices["wall_ns"].integers[row];
  std::string line = "  " + printable(devices["device"].texts[row]);
  if (devices["rank"].integers[row] != trace::analysis::kNullInteger) line += " of rank " + std::to_string(devices["rank"].integers[row]);
  line += ": " + span_text(devices["busy_ns"].integers[row]) + " busy of " + span_text(wall) + " (" +
          percent(devices["busy_ns"].integers[row], wall) + "); idle:";
  std::vector<std::pair<int64_t, std::string>> causes;
  for (const auto& column : devices.columns()) {
    if (column.name.starts_with("causes.") && column.integers[row] > 0) causes.emplace_back(-column.integers[row], column.name.substr(7));
  }
  std::sort(causes.begin(), causes.end());
  bool first = true;
  for (const auto& [ns, name] : causes) {
    line += (first ? " " : ", ") + name + " " + percent(-ns, wall);
    first = false;
  }
  return line + (causes.empty() ? " never" : "") + "\n";
}

}  // namespace

std::string summary_text(const std::vector<Table>& tables, const TextStyle& style) {
  std::string out;
  const Table& files = named(tables, "files");
  constexpr size_t kFiles = 4;
  for (size_t row = 0; row < std::min(files.rows(), kFiles); ++row) {
    out += printable(files["path"].texts[row]) + ": " + std::to_string(files["events"].integers[row]) + " events, " +
           bytes_text(files["bytes"].integers[row]) + " of text, " + span_text(files["span_ns"].integers[row]) + " (" +
           std::string(files["producers"].texts[row]) + ")\n";
  }
  if (files.rows() > kFiles) out += "and " + std::to_string(files.rows() - kFiles) + " more files\n";

  const Table& devices = named(tables, "devices");
  out += "\nDevices\n";
  if (devices.rows() == 0) {
    const Table& trust = named(tables, "trust");
    bool left_out = false;
    for (size_t row = 0; row < trust.rows(); ++row) {
      const std::string_view check = trust["check"].texts[row];
      left_out |= (check == "absurd_times" || check == "stray_times") && trust["count"].integers[row] > 0;
    }
    out += left_out ? "  no device events among those whose times can be used; see Trust\n" : "  no device events: this is a trace of the host only\n";
  }
  for (size_t row = 0; row < devices.rows(); ++row) out += device_line(devices, row);

  out += "\nCostliest operators\n" + table_text(named(tables, "top_ops"), style);
  const Table& hidden = named(tables, "hidden");
  if (hidden.rows() > 0) out += "\nRuntime calls\n" + table_text(hidden, style);

  // Only what weakens the numbers; each check that passed is one word less to read.
  const Table& trust = named(tables, "trust");
  std::string doubts;
  for (size_t row = 0; row < trust.rows(); ++row) {
    const int64_t count = trust["count"].integers[row], of = trust["of"].integers[row];
    if (count == 0) continue;
    const bool time = trust["check"].texts[row].ends_with("_ns");
    doubts += "  " + (time ? span_text(count) : std::to_string(count)) + (of > 0 ? " of " + std::to_string(of) : "") + "  " + std::string(trust["text"].texts[row]) + "\n";
  }
  out += "\nTrust\n" + (doubts.empty() ? "  every event was read, linked and nested\n" : doubts);
  return out;
}

}  // namespace lanewise::tools
