// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From a launch in a system trace to the device profile of its program.
#include <algorithm>
#include <array>

#include "server/http/app.h"
#include "server/library/device_link.h"
#include "server/timeline/twins.h"

namespace lanewise::server::http {
namespace {

constexpr int64_t kTicksPerNs = 1000;   // a device trace counts ps

Response open_device(Call& call) {
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  call.pieces = {json->text_of("trace")};
  const auto found = session_of(call);
  if (!found.ok()) return error_response(found.status());
  const auto id = trace::schema::EventId::parse(json->text_of("event"));
  const timeline::Timeline& timeline = *found->view->timeline;
  if (!id || id->part >= timeline.parts().size() || id->ordinal >= timeline.events(id->part).rows()) {
    return error_response(404, "there is no event " + json->text_of("event"));
  }
  const auto execution = library::execution_behind(*found->view, *id);
  if (!execution) return error_response(409, "this event asked for no program on a NeuronCore");
  const auto pair = library::pair_of(*found->trace, *execution);
  if (!pair.ok()) return error_response(409, pair.status().message());
  const auto opened = call.app.library().open_device(*pair, *execution);
  if (!opened.ok()) return error_response(opened.status());

  // The same moment in both: the program begins at 0 of its profile, after the overhead before it.
  const int64_t program_begin = execution->program_begin_ns() - timeline.origin_ns();
  const int64_t moment = json->time_of("at").value_or(program_begin);
  const int64_t program_ns = std::max<int64_t>(0, execution->end_ns - execution->overhead_after_ns - execution->program_begin_ns());
  // Both files of a capture show the execution; the way back leads to the one that was asked from.
  const bool own = timeline::twin_of(timeline, *id) == execution->event;
  JsonWriter w;
  w.begin_object().key("trace");
  write_trace(w, **opened);
  w.member("at", std::clamp<int64_t>(moment - program_begin, 0, program_ns) * kTicksPerNs);
  w.key("from").begin_object().member("trace", found->trace->id()).member("name", found->trace->name()).member("event", own ? id->to_string() : execution->event.to_string());
  w.member("execution", execution->event.to_string());
  w.member("program", execution->name).member("hash", execution->hash);
  w.member("start_ns", execution->begin_ns - timeline.origin_ns()).member("dur_ns", execution->end_ns - execution->begin_ns);
  w.member("overhead_before_ns", execution->overhead_before_ns).member("overhead_after_ns", execution->overhead_after_ns);
  w.member("program_start_ns", program_begin).end_object().end_object();
  return json_response(w.text());
}

constexpr auto kRoutes = std::to_array<Route>({
    {"POST", "/api/device", open_device},
});

}  // namespace

std::span<const Route> device_routes() { return kRoutes; }

}  // namespace lanewise::server::http
