// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a verdict must not claim, and where in a function something ran.
#include <algorithm>
#include <charconv>
#include <cstdio>

#include "trace/analysis/call_kinds.h"
#include "trace/analysis/device_time.h"
#include "trace/analysis/verdict.h"
#include "trace/session/args_reader.h"

namespace lanewise::trace::analysis {
namespace {

using schema::ArgKey;
using schema::Role;
using schema::Row;

// Above these shares of events the claims that rest on them are worth nothing.
constexpr int64_t kUnlinkedPercent = 10, kEarlyPercent = 1;

std::string milliseconds(int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f ms", static_cast<double>(ns) / 1e6);
  return text;
}

// The line in args.CallFrom ("folder/file.py:24") of a Python row, when it is one of that file; 0.
int64_t call_line(session::ArgsReader* reader, Row row, std::string_view file) {
  const auto from = reader->arg(row, "CallFrom");
  if (!from.ok()) return 0;
  const size_t colon = from->rfind(':');
  if (colon == std::string::npos || std::string_view(*from).substr(0, colon) != file) return 0;
  int64_t line = 0;
  std::from_chars(from->data() + colon + 1, from->data() + from->size(), line);
  return line;
}

}  // namespace

CallPlace call_place(const Model& model, uint32_t part, Row row, const PythonLine& line) {
  if (!line) return {};
  const std::string in = " (in " + std::string(line.function) + ", ";
  const schema::EventTable& events = model.events(part);
  const Nesting& nesting = model.file(part).nesting;
  session::ArgsReader reader(model.session().files()[part].file);
  // A Python function between the line's function and the row was called from the very line.
  Row child = kNoRow, at = row;
  for (; at != kNoRow && at != line.row; at = nesting.parent[at]) {
    if (events.role_of(at) == Role::python) child = at;
  }
  // The line may be that of the forward operator: nothing is known about its inside here.
  if (at == kNoRow) return {};
  if (child != kNoRow) {
    const int64_t exact = call_line(&reader, child, line.file);
    return exact == 0 ? CallPlace() : CallPlace{in + "called from its line " + std::to_string(exact) + ")", exact};
  }
  // Else the calls before and after it bound the place.
  Row before = kNoRow, after = kNoRow;
  for (const Row other : nesting.track(events.track[line.row])) {
    if (events.role_of(other) != Role::python || nesting.parent[other] != line.row) continue;
    if (events.ts_ns[other] <= events.ts_ns[row]) before = other;
    else if (after == kNoRow) after = other;
  }
  const int64_t first = before == kNoRow ? 0 : call_line(&reader, before, line.file);
  const int64_t last = after == kNoRow ? 0 : call_line(&reader, after, line.file);
  if (first == 0 || last == 0) return {};
  if (first == last) return {in + "at its line " + std::to_string(first) + ")", first};
  // A loop can lead backwards.
  return {in + "between its lines " + std::to_string(std::min(first, last)) + " and " + std::to_string(std::max(first, last)) + ")", 0};
}

void add_limits(const Model& model, const Filter& filter, std::vector<VerdictFinding>* findings) {
  const auto say = [&](std::string text, std::vector<schema::EventId> evidence = {}) {
    findings->push_back({"cannot_tell", std::move(text), 0, std::move(evidence), {}});
  };
  int64_t device_events = 0, unlinked = 0, without_op = 0, early = 0, launches = 0, python = 0, watching = 0;
  std::vector<schema::EventId> early_events;
  bool damaged = false;
  for (const FileModel& file : model.files()) {
    if (!filter.part(file.part)) continue;
    damaged |= model.session().files()[file.part].file.ledger.damaged();
    if (file.repeats) continue;
    const schema::EventTable& events = model.events(file.part);
    for (const RuntimeCall& call : file.links.calls) launches += submits(call.kind);
    for (const Row row : file.nesting.order) python += events.role_of(row) == Role::python;
    const auto& capture = events.arg(ArgKey::capture_overhead_ns);
    for (const DeviceEvent& event : file.links.device_events) {
      if (!filter.event(file.part, event)) continue;
      ++device_events;
      unlinked += !event.call;
      without_op += !event.op;
      if (capture.size() > 0) watching += std::max<int64_t>(0, capture.find(event.row));
      if (!event.call || event.start_ns >= events.ts_ns[event.call.row]) continue;
      ++early;
      if (early_events.size() < kEvidence) early_events.push_back({file.part, event.row});
    }
  }
  int64_t lag = 0;
  for (uint32_t d = 0; d < model.devices().size(); ++d) {
    if (filter.device(d) && filter.part(model.devices()[d].part) && !model.file(model.devices()[d].part).repeats) lag += length_of(device_timeline(model, d).lag);
  }
  if (device_events == 0 && launches > 0) say("what the device did: calls launched work, but no device event was recorded");
  else if (device_events == 0) say("anything about a device: this is a trace of the host only; gains are host time");
  if (device_events > 0 && unlinked * 100 > device_events * kUnlinkedPercent) {
    say("who asked for " + std::to_string(unlinked) + " of " + std::to_string(device_events) + " device events: nothing ties them to a call");
  } else if (device_events > 0 && without_op * 100 > device_events * kUnlinkedPercent) {
    say("which operator is behind " + std::to_string(without_op) + " of " + std::to_string(device_events) + " device events");
  }
  if (early * 100 > device_events * kEarlyPercent) {
    say("launch latency: " + std::to_string(early) + " device events start before their call, so the clocks of host and device disagree", std::move(early_events));
  }
  if (python == 0) say("lines of Python: there are no Python functions in the file; profile with with_stack=True");
  if (model.steps().empty()) say("what belongs to a step: there are no ProfilerStep ranges");
  if (watching > 0) say("how fast the device is unwatched from these durations alone: " + milliseconds(watching) + " of them are the capture's own overhead; no gain holds it");
  if (lag > 0) say("waits behind " + milliseconds(lag) + " in which the simulator was slower than its device; no gain holds them");
  if (damaged) say("anything about the events that were lost: the file is damaged (lanewise health)");
}

}  // namespace lanewise::trace::analysis
