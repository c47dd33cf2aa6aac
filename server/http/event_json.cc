// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/http/event_json.h"

#include "trace/schema/role.h"

namespace lanewise::server::http {

using timeline::Lane;
using timeline::Timeline;
using trace::schema::EventId;

void write_event_members(JsonWriter& w, const Timeline& timeline, EventId event) {
  const auto& events = timeline.events(event.part);
  const auto name = events.name[event.ordinal];
  const uint32_t index = timeline.names().index_of(name);
  w.member("id", event.to_string());
  w.member("name", index != timeline::kNoName ? timeline.names().text(index) : timeline.text_of(name));
  w.member("category", timeline.text_of(events.category[event.ordinal]));
  w.member("role", trace::schema::role_name(events.role_of(event.ordinal)));
  const auto place = timeline.place_of(event);
  // Marks and counters are on no lane of slices.
  w.member("lane", place ? static_cast<int64_t>(timeline.lanes()[place->lane].id) : int64_t{-1});
  w.member("row", place ? static_cast<int64_t>(place->row) : int64_t{-1});
  w.member("start_ns", timeline.start_of(event));
  w.member("dur_ns", place ? timeline.lanes()[place->lane].slices.dur(place->index) : events.dur_ns[event.ordinal]);
  w.member("part", event.part);
}

void write_event(JsonWriter& w, const Timeline& timeline, EventId event) {
  w.begin_object();
  write_event_members(w, timeline, event);
  w.end_object();
}

void write_gap(JsonWriter& w, const Timeline& timeline, const Lane& lane, uint32_t index) {
  w.begin_object().member("from", lane.slices.start[index]).member("to", lane.slices.end(index));
  w.member("cause", timeline.names().text(lane.names[index])).member("device", lane.device).key("event");
  const auto event = timeline.event_at(lane, index);
  event ? w.value(event->to_string()) : w.null();
  w.end_object();
}

}  // namespace lanewise::server::http
