// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/one_run.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace lanewise::trace::session {
namespace {

namespace fs = std::filesystem;

// So many are listed; the rest is counted.
constexpr size_t kListed = 12;

struct OneTrace {
  std::string path;  // the file, or the folder of a capture
  std::optional<int64_t> rank, world_size;
  int64_t begin_ns = std::numeric_limits<int64_t>::max(), end_ns = std::numeric_limits<int64_t>::min();  // of the epoch; none: begin > end

  void add(const SessionFile& entry) {
    if (entry.file.rank) rank = entry.file.rank, world_size = entry.file.world_size;
    const schema::EventTable& events = entry.file.events;
    const int64_t base = std::clamp(entry.file.base_time_ns, -schema::kLargestTime, schema::kLargestTime);
    for (schema::Row row = 0; row < events.rows(); ++row) {
      const int64_t ts = events.ts_ns[row];
      if (!events.is_slice(row) || ts < events.earliest_ns || ts > events.latest_ns) continue;
      begin_ns = std::min(begin_ns, ts + base);
      end_ns = std::max(end_ns, ts + base + std::clamp<int64_t>(events.dur_ns[row], 0, schema::kLargestTime));
    }
  }
};

std::vector<OneTrace> traces_of(const std::vector<SessionFile>& files) {
  const auto folder_of = [](const SessionFile& entry) { return std::filesystem::path(entry.file.path).parent_path().string(); };
  std::map<std::string, int> framework_traces;
  for (const SessionFile& entry : files) framework_traces[folder_of(entry)] += entry.file.format != "perfetto";
  std::set<std::string> captures;
  for (const SessionFile& entry : files) {
    if (entry.file.format == "perfetto" && framework_traces[folder_of(entry)] <= 1) captures.insert(folder_of(entry));
  }
  std::map<std::string, OneTrace> by_path;
  for (const SessionFile& entry : files) {
    const std::string folder = folder_of(entry), path = captures.contains(folder) ? folder : entry.file.path;
    by_path[path].path = path;
    by_path[path].add(entry);
  }
  std::vector<OneTrace> traces;
  for (auto& [path, trace] : by_path) traces.push_back(std::move(trace));
  return traces;
}

// The folder of the process that a capture is of, i-<machine>_pid_<number>, and the folder of the capture in it; empty: it is of none.
std::pair<fs::path, fs::path> process_of(const SessionFile& entry) {
  std::error_code error;
  const fs::path capture = fs::absolute(entry.file.path, error).lexically_normal().parent_path(), process = capture.parent_path();
  const std::string name = process.filename().string();
  const size_t at = name.rfind("_pid_");
  const std::string number = at == name.npos ? "" : name.substr(at + 5);
  const bool digits = !number.empty() && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (error || !name.starts_with("i-") || !digits) return {};
  return {process, capture};
}

bool captures_of_one_process(const std::vector<SessionFile>& files) {
  std::map<fs::path, fs::path> capture_of;
  return std::any_of(files.begin(), files.end(), [&](const SessionFile& entry) {
    const auto [process, capture] = process_of(entry);
    return !process.empty() && capture_of.try_emplace(process, capture).first->second != capture;
  });
}

bool distinct_ranks(const std::vector<OneTrace>& traces) {
  std::set<int64_t> ranks;
  for (const OneTrace& trace : traces) {
    if (!trace.rank || !trace.world_size || trace.world_size != traces[0].world_size || !ranks.insert(*trace.rank).second) return false;
  }
  return true;
}

// Traces by their begin. One without a slice says nothing against the others.
bool connected(const std::vector<OneTrace>& traces) {
  std::optional<int64_t> end;
  for (const OneTrace& trace : traces) {
    if (trace.begin_ns > trace.end_ns) continue;
    if (end && trace.begin_ns > *end + kClockSlackNs) return false;
    end = std::max(end.value_or(trace.end_ns), trace.end_ns);
  }
  return true;
}

}  // namespace

Status check_one_run(const std::vector<SessionFile>& files) {
  if (files.size() < 2) return ok_status();
  std::vector<OneTrace> traces = traces_of(files);
  if (traces.size() < 2) return ok_status();
  const bool one_process = captures_of_one_process(files);
  if (!one_process && distinct_ranks(traces)) return ok_status();
  std::stable_sort(traces.begin(), traces.end(), [](const OneTrace& a, const OneTrace& b) { return a.begin_ns < b.begin_ns; });
  if (!one_process && connected(traces)) return ok_status();
  const auto newest = std::find_if(traces.rbegin(), traces.rend(), [](const OneTrace& trace) { return trace.begin_ns <= trace.end_ns; });
  std::string text = std::to_string(traces.size()) + " traces that are not ranks of one run (" +
                     (one_process ? "some are captures of one process, which is one rank" : "no distinct ranks of one world size, and their times lie apart") + "):";
  for (size_t i = 0; i < std::min(traces.size(), kListed); ++i) text += "\n  " + traces[i].path;
  if (traces.size() > kListed) text += "\n  and " + std::to_string(traces.size() - kListed) + " more";
  return invalid_argument(text + "\nName one of them; the newest is " + newest->path);
}

}  // namespace lanewise::trace::session
