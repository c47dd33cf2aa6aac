// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Counter events hold their values in args, which are read from the file again. A lane is one (process, name, key of the args).
#include <algorithm>
#include <charconv>
#include <map>

#include "server/timeline/timeline.h"
#include "trace/session/args_reader.h"

namespace lanewise::server::timeline {

using trace::schema::Role;
using trace::schema::Row;
using trace::schema::StringId;

namespace {

bool read_number(std::string_view text, double* value) {
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

void add_counter_lanes(const trace::analysis::Model& model, int64_t origin_ns, std::vector<Lane>* lanes) {
  for (const auto& entry : model.session().files()) {
    const auto& events = entry.file.events;
    trace::session::ArgsReader reader(entry.file);
    std::map<std::tuple<StringId, StringId, std::string>, Lane> found;
    for (Row row = 0; row < events.rows(); ++row) {
      if (events.phase[row] != 'C' || events.has(row, trace::schema::kNoTime)) continue;
      const auto args = reader.args(row);
      if (!args.ok()) return;  // the file is gone or changed: the trace shows what is in memory
      const StringId pid = events.track_of(row).pid;
      for (const auto& [key, json] : *args) {
        double value = 0;
        if (!read_number(json, &value)) continue;
        const auto [at, is_new] = found.try_emplace({pid, events.name[row], key});
        Lane& lane = at->second;
        if (is_new) {
          const std::string name(model.session().text(events.name[row]));
          lane.part = entry.part;
          lane.rank = entry.file.rank;
          lane.group = Group::counters;
          lane.kind = LaneKind::counter;
          lane.pid = model.session().text(pid);
          lane.title = name + (key == "value" || key == name ? "" : " " + key);
          lane.subtitle = lane.pid.empty() ? "" : "pid " + lane.pid;
          lane.key = std::to_string(entry.part) + "/" + lane.pid + "/" + name + "/" + key + "/counter";
        }
        lane.samples.push_back({from_origin(events.ts_ns[row], entry.offset_ns, origin_ns), value});
      }
    }
    for (auto& [key, lane] : found) {
      std::stable_sort(lane.samples.begin(), lane.samples.end(), [](const Sample& a, const Sample& b) { return a.at < b.at; });
      lanes->push_back(std::move(lane));
    }
  }
}

}  // namespace lanewise::server::timeline
