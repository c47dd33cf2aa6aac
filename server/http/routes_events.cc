// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Single events: what was hit, what leads to what, all that the file tells.
#include <array>

#include "server/device/steps.h"
#include "server/http/app.h"
#include "server/http/device_details.h"
#include "server/http/event_details.h"
#include "server/http/event_json.h"
#include "server/timeline/arrows.h"

namespace lanewise::server::http {
namespace {

using timeline::Lane;
using timeline::LaneKind;
using timeline::Timeline;
using trace::schema::EventId;

Result<EventId> event_of(const library::View& view, std::string_view text) {
  const auto event = EventId::parse(text);
  if (!event) return invalid_argument("an event id is ORDINAL or PART:ORDINAL");
  if (event->part >= view.timeline->parts().size() || event->ordinal >= view.timeline->events(event->part).rows()) {
    return not_found("there is no event " + event->to_string());
  }
  return *event;
}

Response hit(Call& call) {
  const auto found = trace_of(call, false);
  if (!found.ok()) return error_response(found.status());
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  const Timeline& timeline = *found->view->timeline;
  const auto id = json->integer_of("lane"), row = json->integer_of("row"), from = json->time_of("from"), to = json->time_of("to");
  if (!id || !row || !from || !to) return error_response(400, "hit takes lane, row, from and to");
  const Lane* lane = *id >= 0 && *id <= 0x7fffffff ? timeline.lane(static_cast<uint32_t>(*id)) : nullptr;
  if (lane == nullptr) return error_response(404, "this trace has no lane " + std::to_string(*id));
  JsonWriter w;
  w.begin_object();
  const timeline::Slices& slices = lane->slices;
  uint32_t first = 0, after = 0;
  if (*row >= 0 && *row < slices.rows()) {
    first = slices.first_touching(static_cast<uint32_t>(*row), *from);
    after = std::max(first, slices.first_starting(static_cast<uint32_t>(*row), std::max(*to, *from + 1)));
  }
  std::optional<EventId> event;
  if (first < after) {
    const uint32_t longest = slices.longest.find(slices.sum, first, after);
    event = timeline.event_at(*lane, longest);
    if (lane->kind == LaneKind::gaps) {
      write_gap(w.key("gap"), timeline, *lane, longest);
      event.reset();
    }
  }
  event ? write_event(w.key("event"), timeline, *event) : void(w.key("event").null());
  w.end_object();
  return json_response(w.text());
}

Response details(Call& call) {
  const auto found = trace_of(call, true);
  if (!found.ok()) return error_response(found.status());
  const auto event = event_of(*found->view, call.pieces[1]);
  if (!event.ok()) return error_response(event.status());
  return found->view->device ? device_event_details(*found->view, *event) : event_details(*found->view, *event);
}

void write_arrow_end(JsonWriter& w, const Timeline& timeline, EventId event, std::optional<int64_t> at) {
  const auto place = timeline.place_of(event);
  w.begin_object().member("lane", place ? static_cast<int64_t>(timeline.lanes()[place->lane].id) : int64_t{-1});
  w.member("row", place ? static_cast<int64_t>(place->row) : int64_t{-1}).member("at", at.value_or(timeline.start_of(event)));
  w.member("event", event.to_string()).end_object();
}

Response chain(Call& call) {
  const auto found = trace_of(call, true);
  if (!found.ok()) return error_response(found.status());
  const auto event = event_of(*found->view, call.pieces[1]);
  if (!event.ok()) return error_response(event.status());
  const Timeline& timeline = *found->view->timeline;
  const auto chain = found->view->device ? Result<timeline::Chain>(device::find_steps(*found->view->device, event->ordinal))
                                         : timeline::find_chain(*found->view->model, timeline, *event);
  if (!chain.ok()) return error_response(chain.status());
  JsonWriter w;
  w.begin_object().key("steps").begin_array();
  for (size_t i = 0; i < chain->steps.size(); ++i) {
    const auto& step = chain->steps[i];
    const auto& events = timeline.events(step.event.part);
    w.begin_object().member("role", step.role);
    write_event(w.key("event"), timeline, step.event);
    w.member("name", timeline.text_of(events.name[step.event.ordinal]));
    w.member("start_ns", timeline.start_of(step.event)).member("dur_ns", events.dur_ns[step.event.ordinal]);
    if (step.method.empty()) w.key("method").null().key("confidence").null();
    else w.member("method", step.method).member("confidence", step.confidence);
    if (!step.text.empty()) w.member("text", step.text);
    if (step.after) w.member("after_ns", *step.after);
    else if (i == 0 || found->view->device) w.key("after_ns").null();
    else w.member("after_ns", timeline.start_of(step.event) - timeline.start_of(chain->steps[i - 1].event));
    w.end_object();
  }
  w.end_array().key("arrows").begin_array();
  for (const auto& arrow : chain->arrows) {
    w.begin_object().member("kind", arrow_kind_name(arrow.kind));
    write_arrow_end(w.key("from"), timeline, arrow.from, arrow.from_at);
    write_arrow_end(w.key("to"), timeline, arrow.to, arrow.to_at);
    w.member("method", arrow.method).member("confidence", static_cast<double>(arrow.confidence)).end_object();
  }
  w.end_array().member("arrows_total", chain->arrows_total).end_object();
  return json_response(w.text());
}

constexpr auto kRoutes = std::to_array<Route>({
    {"POST", "/api/trace/{}/hit", hit},
    {"GET", "/api/trace/{}/event/{}", details},
    {"GET", "/api/trace/{}/chain/{}", chain},
});

}  // namespace

std::span<const Route> event_routes() { return kRoutes; }

}  // namespace lanewise::server::http
