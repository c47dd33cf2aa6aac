// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From a launch in a system trace to the device profile of its program; what lies over the lanes of a profile.
#include <algorithm>
#include <array>

#include "server/http/app.h"
#include "server/library/device_link.h"
#include "server/timeline/twins.h"
#include "trace/device_analysis/dma.h"

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

// A band narrower than a pixel is none; of more stretches than this the longest are shown.
constexpr size_t kMostRegions = 20'000;

Result<std::string> small_dmas_of(const library::View& view) {
  const auto& program = view.device->program();
  auto regions = trace::device_analysis::small_regions({program, view.device->machine()});
  const size_t total = regions.size();
  if (regions.size() > kMostRegions) {
    std::nth_element(regions.begin(), regions.begin() + kMostRegions, regions.end(), [](const auto& a, const auto& b) { return a.end - a.begin > b.end - b.begin; });
    regions.resize(kMostRegions);
  }
  std::sort(regions.begin(), regions.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  JsonWriter w;
  w.begin_object().member("below_bytes", trace::device_analysis::kFairDescriptorBytes).member("total", static_cast<int64_t>(total)).key("regions").begin_array();
  for (const auto& region : regions) {
    w.begin_object().member("device", "nc" + std::to_string(program.first_core + region.core)).member("from", region.begin.value).member("to", region.end.value);
    w.member("transfers", region.transfers).member("descriptors", region.descriptors).member("bytes", region.bytes);
    w.member("average_bytes", trace::device_analysis::average_bytes(region)).member("text", trace::device_analysis::region_sentence(region)).end_object();
  }
  w.end_array().end_object();
  return w.text();
}

Response small_dmas(Call& call) {
  const auto found = trace_of(call, true);
  if (!found.ok()) return error_response(found.status());
  if (!found->view->device) return error_response(400, "only a device profile has DMAs");
  Status failure;
  auto answer = found->trace->answer("small-dmas", [&] { return small_dmas_of(*found->view); }, &failure);
  if (answer == nullptr) return error_response(failure);
  Response response = json_response({});
  response.shared = std::move(answer);
  return response;
}

constexpr auto kRoutes = std::to_array<Route>({
    {"GET", "/api/trace/{}/small-dmas", small_dmas},
    {"POST", "/api/device", open_device},
});

}  // namespace

std::span<const Route> device_routes() { return kRoutes; }

}  // namespace lanewise::server::http
