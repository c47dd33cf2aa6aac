// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/view_summary.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "machine/machine.h"
#include "tools/table_text.h"
#include "trace/device_analysis/public_tables.h"

namespace lanewise::tools {
namespace {

namespace fs = std::filesystem;
using trace::device_analysis::PublicValue;

constexpr int kMaxDepth = 4;

// A name for a capture that stays the same wherever its folder is copied to: from <instance>_pid_<pid>/<timestamp>.
uint64_t folder_hash(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const std::string name = whole.parent_path().filename().string() + "/" + whole.filename().string();
  uint64_t hash = 14695981039346656037ull;   // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

std::string number_text(const PublicValue& v) {
  char text[40];
  const auto end = v.integer ? std::to_chars(text, text + sizeof(text), *v.whole).ptr : std::to_chars(text, text + sizeof(text), *v.real).ptr;
  return std::string(text, end);
}

void append_lines(std::string* out, const std::vector<std::pair<std::string, std::string>>& lines, size_t indent) {
  size_t width = 0;
  for (const auto& [key, value] : lines) width = std::max(width, key.size());
  for (const auto& [key, value] : lines) *out += std::string(indent, ' ') + key + std::string(value.empty() ? 0 : width + 2 - key.size(), ' ') + value + "\n";
}

// What a damaged file lacks is said on stderr, as by `lanewise device`.
Result<trace::device::DeviceProfile> read_and_report(const trace::session::DeviceFiles& files) {
  LW_ASSIGN_OR_RETURN(auto profile, trace::session::read_device_pair(files.neff, files.ntff));
  for (const std::string& sentence : profile.ledger.sentences) std::fprintf(stderr, "lanewise: %s: %s\n", files.ntff.c_str(), sentence.c_str());
  return profile;
}

}  // namespace

Result<SummaryBlock> device_block(const trace::session::DeviceFiles& files) {
  LW_ASSIGN_OR_RETURN(const auto profile, read_and_report(files));
  LW_ASSIGN_OR_RETURN(const machine::Machine machine, machine::load_machine(profile.machine));
  SummaryBlock block;
  block.name = "n_" + (profile.program.hash.empty() ? files.hash : profile.program.hash);
  const trace::device_analysis::Subject subject{profile, machine};
  block.values = trace::device_analysis::public_summary(subject);
  for (PublicValue& v : trace::device_analysis::public_summary_extras(subject)) block.values.push_back(std::move(v));
  return block;
}

Result<SummaryBlock> system_block(const std::string& folder) {
  LW_ASSIGN_OR_RETURN(const auto session, trace::session::Session::open((fs::path(folder) / "ntrace.pb").string()));
  SummaryBlock block;
  block.name = "s_" + std::to_string(folder_hash(folder));
  auto& types = block.counts["event_type_count"];
  int64_t first = INT64_MAX, last = INT64_MIN, messages = 0;
  for (const auto& file : session->files()) {
    const trace::schema::EventTable& events = session->events(file.part);
    for (trace::schema::Row row = 0; row < events.rows(); ++row) {
      if (!events.is_slice(row) || events.name[row] == trace::store::kNoString || events.category[row] == trace::store::kNoString) continue;
      const std::string_view category = session->text(events.category[row]);
      if (category != "neuron_rt" && category != "neuron_hw") continue;   // parts of an execution, and notes, are no events
      ++types[std::string(session->text(events.name[row]))];
      ++messages;
      first = std::min(first, events.ts_ns[row]);
      last = std::max(last, events.ts_ns[row] + events.dur_ns[row]);
    }
  }
  auto& kinds = block.counts["message_count"];
  kinds["Trace_Events"] = messages;
  block.values.push_back({"total_duration_ns", true, messages > 0 ? last - first : 0, {}});
  return block;
}

Status write_device_tables(JsonWriter& w, const std::string& name, const trace::session::DeviceFiles& files) {
  LW_ASSIGN_OR_RETURN(const auto profile, read_and_report(files));
  LW_ASSIGN_OR_RETURN(const machine::Machine machine, machine::load_machine(profile.machine));
  const auto all = trace::device_analysis::public_tables({profile, machine});
  w.key(name).begin_object();
  for (const auto& table : all.tables) {
    w.key(table.name());
    write_rows(w, table);
  }
  w.key("empty").begin_object();
  for (const auto& [table, columns] : all.empty) {
    w.key(table).begin_array();
    for (const std::string& column : columns) w.value(column);
    w.end_array();
  }
  w.end_object().key("left_out").begin_object();
  for (const auto& [table, why] : all.left_out) w.member(table, why);
  w.end_object().end_object();
  return ok_status();
}

std::vector<std::string> capture_folders(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  if (fs::exists(fs::path(folder) / "ntrace.pb", error)) found.push_back(folder);
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() >= kMaxDepth) at.disable_recursion_pending();
    std::error_code ignored;
    if (at->is_directory(ignored) && fs::exists(at->path() / "ntrace.pb", ignored)) found.push_back(at->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string summary_text(const std::vector<SummaryBlock>& blocks) {
  std::string out;
  for (const SummaryBlock& block : blocks) {
    if (!out.empty()) out += "\n";
    out += block.name + "\n";
    std::vector<std::pair<std::string, std::string>> lines;
    for (const PublicValue& v : block.values) {
      if (v.known()) lines.push_back({v.name, number_text(v)});
    }
    std::sort(lines.begin(), lines.end());
    append_lines(&out, lines, 0);
    for (const auto& [group, counts] : block.counts) {
      out += group + "\n";
      std::vector<std::pair<std::string, std::string>> inner;
      for (const auto& [key, n] : counts) inner.push_back({key, std::to_string(n)});
      append_lines(&out, inner, 2);
    }
  }
  return out;
}

std::string summary_json(const std::vector<SummaryBlock>& blocks) {
  JsonWriter w(1);
  w.begin_object();
  std::map<std::string, int> seen;
  for (const SummaryBlock& block : blocks) {
    // The same program may have run in several captures.
    const int n = seen[block.name]++;
    w.key(n == 0 ? block.name : block.name + "_" + std::to_string(n)).begin_object();
    for (const PublicValue& v : block.values) {
      w.key(v.name);
      if (!v.known()) w.null();
      else if (v.integer) w.value(*v.whole);
      else w.value(*v.real);
    }
    for (const auto& [group, counts] : block.counts) {
      w.key(group).begin_object();
      for (const auto& [key, count] : counts) w.member(key, count);
      w.end_object();
    }
    w.end_object();
  }
  w.end_object();
  return w.text() + "\n";
}

}  // namespace lanewise::tools
