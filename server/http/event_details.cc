// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/event_details.h"

#include <charconv>

#include "server/http/event_json.h"
#include "server/library/device_link.h"
#include "server/wire/json_value.h"
#include "trace/analysis/asked.h"
#include "trace/schema/encoded_id.h"
#include "trace/session/args_reader.h"

namespace lanewise::server::http {
namespace {

using trace::analysis::kNoRow;
using trace::analysis::Model;
using trace::schema::EventId;
using trace::schema::Role;
using trace::schema::Row;
using wire::JsonValue;

constexpr size_t kMostFrames = 200;

// Whole numbers that no double holds go as text, so that the page shows all digits.
void write_value(JsonWriter& w, const JsonValue& value) {
  switch (value.kind()) {
    case JsonValue::Kind::null: w.null(); return;
    case JsonValue::Kind::boolean: w.value(value.boolean()); return;
    case JsonValue::Kind::text: w.value(value.text()); return;
    case JsonValue::Kind::number: {
      constexpr double kExact = 9007199254740992.0;  // itself too: the next one rounds to it
      const bool whole = value.text().find_first_not_of("-0123456789") == std::string::npos;
      whole && (value.number() >= kExact || value.number() <= -kExact) ? w.value(value.text()) : w.raw(value.text());
      return;
    }
    case JsonValue::Kind::array:
      w.begin_array();
      for (const JsonValue& item : value.items()) write_value(w, item);
      w.end_array();
      return;
    case JsonValue::Kind::object:
      w.begin_object();
      for (const auto& [key, member] : value.members()) write_value(w.key(key), member);
      w.end_object();
  }
}

// The operator or call that asked for a device event; else the row itself.
Row asker_of(const Model& model, EventId event) {
  const auto* device = model.file(event.part).links.device_event(event.ordinal);
  if (device == nullptr) return event.ordinal;
  return device->op ? device->op.row : device->call ? device->call.row : event.ordinal;
}

void write_stack(JsonWriter& w, const Model& model, EventId event) {
  const auto& nesting = model.file(event.part).nesting;
  const auto& events = model.events(event.part);
  w.key("stack").begin_array();
  size_t frames = 0;
  for (Row row = asker_of(model, event); row != kNoRow && frames < kMostFrames; row = nesting.parent[row]) {
    if (events.role_of(row) != Role::python) continue;
    ++frames;
    const std::string_view name = model.name(event.part, row);
    const auto line = trace::analysis::parse_frame(name);
    w.begin_object().member("name", line ? line->function : name);
    line ? w.member("file", line->file).member("line", line->line) : w.key("file").null().key("line").null();
    w.member("event", EventId{event.part, row}.to_string()).end_object();
  }
  w.end_array();
}

void write_flags(JsonWriter& w, uint8_t flags) {
  struct Flag {
    uint8_t bit;
    std::string_view name;
  };
  constexpr Flag kFlags[] = {{trace::schema::kRepaired, "repaired"},     {trace::schema::kStartCut, "start_cut"},
                             {trace::schema::kDurationCut, "duration_cut"}, {trace::schema::kNoTime, "no_time"},
                             {trace::schema::kNoDuration, "no_duration"}, {trace::schema::kUnpaired, "unpaired"},
                             {trace::schema::kClipped, "clipped"}};
  w.key("flags").begin_array();
  for (const Flag& flag : kFlags) {
    if ((flags & flag.bit) != 0) w.value(flag.name);
  }
  w.end_array();
}

}  // namespace

Response event_details(const library::View& view, EventId event) {
  const Model& model = *view.model;
  const auto& session = *view.session;
  const auto& file = session.files()[event.part].file;
  const auto& events = file.events;
  const Row row = event.ordinal;

  trace::session::ArgsReader reader(file);
  const auto args = reader.args(row);
  if (!args.ok()) return error_response(410, args.status().message());
  std::string json;
  if (file.args == nullptr) {
    auto text = reader.event_text(row);
    if (!text.ok()) return error_response(410, text.status().message());
    json = std::move(*text);
  }

  JsonWriter w;
  w.begin_object();
  write_event_members(w, *view.timeline, event);
  JsonWriter all;
  all.begin_object();
  for (const auto& [key, value] : *args) {
    const auto parsed = JsonValue::parse(value);
    // A damaged event may hold anything: it is shown as it stands.
    parsed.ok() ? write_value(all.key(key), *parsed) : void(all.member(key, std::string_view(value)));
  }
  all.end_object();
  w.key("args").raw(all.text());
  write_stack(w, model, event);
  const Row asker = asker_of(model, event);
  const auto step = model.step_at(event.part, model.start_ns(event.part, asker));
  step ? w.member("step", *step) : w.key("step").null();
  const auto device = model.device_of_row(event.part, row);
  const bool names_device = device && (events.device[row] != trace::schema::kNoId || is_device(events.role_of(row)));
  names_device ? w.member("device", model.devices()[*device].name) : w.key("device").null();
  const auto id = [&](std::string_view key, int64_t value) {
    value == trace::schema::kNoId ? w.key(key).null() : w.member(key, session.id_text(value));
  };
  id("stream", events.stream[row]);
  id("correlation", events.correlation[row]);
  id("external_id", events.external_id[row]);
  const auto execution = library::execution_behind(view, event);
  execution ? w.member("execution", execution->event.to_string()) : w.key("execution").null();
  write_flags(w, events.flags[row]);
  w.member("file_offset", events.offset[row]).member("file_length", events.length[row]);
  if (json.empty()) {
    // The file holds no JSON: the same in the words of one.
    JsonWriter made;
    made.begin_object().member("name", model.name(event.part, row)).member("cat", session.text(events.category[row]));
    made.member("ts_ns", events.ts_ns[row]).member("dur_ns", events.dur_ns[row]).key("args").raw(all.text()).end_object();
    json = made.text();
  }
  w.member("json", json).end_object();
  return json_response(w.text());
}

}  // namespace lanewise::server::http
