// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the timeline draws: the trace, its lanes, tiles.
#include <array>

#include "server/http/app.h"
#include "server/http/search.h"
#include "server/timeline/tiles.h"

namespace lanewise::server::http {
namespace {

using timeline::Lane;
using timeline::Timeline;

constexpr size_t kMostRequest = 4 << 20;

void write_optional(JsonWriter& w, std::string_view key, const std::string& text) {
  text.empty() ? w.key(key).null() : w.member(key, text);
}

// The machine of a simulated trace, as the capture wrote it.
void write_machine(JsonWriter& w, const library::View& view) {
  w.key("machine");
  if (view.model != nullptr) {
    for (const auto& entry : view.session->files()) {
      const std::string_view json = entry.file.metadata_json("deviceProperties");
      const auto devices = wire::JsonValue::parse(json);
      if (!devices.ok() || devices->items().empty() || !devices->items()[0].boolean_of("simulated")) continue;
      w.begin_object().member("simulated", true);
      for (const auto& [key, value] : devices->items()[0].members()) {
        if (key == "simulated") continue;
        if (value.is(wire::JsonValue::Kind::text)) w.member(key, value.text());
        else if (value.is(wire::JsonValue::Kind::number)) w.key(key).raw(value.text());
        else if (value.is(wire::JsonValue::Kind::boolean)) w.member(key, value.boolean());
      }
      w.end_object();
      return;
    }
  }
  w.null();
}

// What a device profile is of.
void write_device(JsonWriter& w, const library::View& view) {
  if (view.device == nullptr) return void(w.key("device").null());
  const auto& profile = view.device->program();
  w.key("device").begin_object().member("program", profile.program.name).member("hash", profile.program.hash).member("compiler", profile.program.compiler);
  w.member("target", profile.program.target).member("producer", profile.producer).member("machine", profile.machine).member("simulated", profile.simulated);
  w.member("cores", profile.program.cores).member("first_core", profile.first_core).member("instructions", profile.instructions.size());
  w.member("dmas", profile.dmas.size()).member("exec_overhead_ns", profile.exec_overhead_ns);
  w.member("device_capture_overhead_ns", profile.device_capture_overhead_ns);
  w.member("first_ps", profile.first.value).member("last_ps", profile.last.value).member("duration_ps", profile.duration.value);
  w.key("notes").begin_array();
  for (const std::string& sentence : view.device->profile().ledger.sentences) w.value(sentence);
  w.end_array().end_object();
}

Response trace_info(Call& call) {
  const auto found = trace_of(call, false);
  if (!found.ok()) return error_response(found.status());
  const library::View& view = *found->view;
  const Timeline& timeline = *view.timeline;
  JsonWriter w;
  w.begin_object().key("trace");
  write_trace(w, *found->trace);
  const int64_t epoch = view.session != nullptr ? view.session->origin_ns() : 0;
  w.member("origin", std::to_string(epoch + timeline.origin_ns()));
  w.member("begin", timeline.begin()).member("end", timeline.end());
  const auto from = call.request.parameter("names_from");
  const size_t first = from ? std::min<size_t>(std::strtoull(from->c_str(), nullptr, 10), timeline.names().size()) : 0;
  w.key("names").begin_array();
  for (size_t i = first; i < timeline.names().size(); ++i) w.value(timeline.names().text(static_cast<uint32_t>(i)));
  w.end_array().member("names_version", timeline.names().size());
  w.key("devices").begin_array();
  if (view.model != nullptr) {
    for (const auto& device : view.model->devices()) {
      w.begin_object().member("name", device.name).member("type", device.type).member("part", device.part).end_object();
    }
  }
  w.end_array().key("ranks").begin_array();
  std::vector<int64_t> ranks;
  for (const auto& part : timeline.parts()) {
    if (part.rank && std::find(ranks.begin(), ranks.end(), *part.rank) == ranks.end()) ranks.push_back(*part.rank);
  }
  for (const int64_t rank : ranks) w.value(rank);
  w.end_array().key("steps").begin_array();
  if (view.model != nullptr) {
    for (const auto& step : view.model->steps()) {
      w.begin_object().member("number", step.number).member("from", timeline::from_origin(step.start_ns, 0, timeline.origin_ns()));
      w.member("to", timeline::from_origin(step.end_ns, 0, timeline.origin_ns())).member("part", step.part).end_object();
    }
  }
  w.end_array();
  write_machine(w, view);
  write_device(w, view);
  w.key("parts").begin_array();
  if (view.session != nullptr) {
    for (const auto& entry : view.session->files()) {
      w.begin_object().member("path", entry.file.path);
      entry.file.rank ? w.member("rank", *entry.file.rank) : w.key("rank").null();
      w.member("format", entry.file.format).end_object();
    }
  } else {
    for (const std::string& path : found->trace->files()) {
      w.begin_object().member("path", path).key("rank").null().member("format", "").end_object();
    }
  }
  w.end_array().end_object();
  return json_response(w.text());
}

Response lanes(Call& call) {
  const auto found = trace_of(call, false);
  if (!found.ok()) return error_response(found.status());
  JsonWriter w;
  w.begin_object().key("lanes").begin_array();
  for (const Lane& lane : found->view->timeline->lanes()) {
    w.begin_object().member("id", lane.id).member("group", group_name(lane.group));
    lane.rank ? w.member("rank", *lane.rank) : w.key("rank").null();
    w.member("part", lane.part).member("pid", lane.pid).member("tid", lane.tid);
    write_optional(w, "device", lane.device);
    write_optional(w, "stream", lane.stream);
    w.member("title", lane.title).member("subtitle", lane.subtitle).member("kind", lane_kind_name(lane.kind));
    w.member("rows", std::max(1u, lane.slices.rows())).member("events", lane.events()).member("overlap_rows", lane.slices.overlap_rows);
    w.member("sum_ns", lane.slices.total());
    if (lane.hidden) w.member("hidden", true);
    if (lane.slices.left_out > 0) w.member("left_out", lane.slices.left_out);
    w.end_object();
  }
  w.end_array().member("ready", found->view->ready()).end_object();
  return json_response(w.text());
}

// What the filter lets pass, the search hits, the selection holds. Each is made once and kept by its text.
Result<timeline::TileChannels> channels_of(const library::View& view, const wire::JsonValue& json) {
  timeline::TileChannels channels;
  timeline::MaskStore& store = *view.masks;
  if (const wire::JsonValue* asked = json.find("filter")) {
    timeline::TileFilter filter;
    filter.name = asked->text_of("name");
    filter.min_ns = asked->time_of("min_ns").value_or(0);
    std::string key = "filter/" + std::to_string(filter.min_ns) + "/" + filter.name;
    if (const wire::JsonValue* hide = asked->find("hide")) {
      for (const auto& name : hide->items()) {
        filter.hide.push_back(name.text());
        key += '\0' + name.text();
      }
    }
    if (!filter.everything()) {
      channels.passes = store.find(key);
      if (channels.passes == nullptr) {
        LW_ASSIGN_OR_RETURN(timeline::Masks made, timeline::mask_of_filter(*view.timeline, filter));
        channels.passes = store.keep(key, std::move(made));
      }
    }
  }
  if (const std::string text = json.text_of("search"); !text.empty()) {
    LW_ASSIGN_OR_RETURN(channels.hits, search_masks(view, text, json.boolean_of("regex")));
  }
  if (const auto number = json.integer_of("selection"); number && *number > 0 && *number <= 0xffffffff) {
    // One that is forgotten draws nothing: the page makes it anew when it needs it.
    channels.selected = store.selection(static_cast<uint32_t>(*number));
  }
  return channels;
}

Response tiles(Call& call) {
  const auto found = trace_of(call, false);
  if (!found.ok()) return error_response(found.status());
  const auto body = call.request.read_body(kMostRequest);
  if (!body.ok()) return error_response(body.status());
  const auto json = wire::JsonValue::parse(*body);
  if (!json.ok()) return error_response(json.status());
  // A selection can be forgotten, so what it draws is not the same for ever.
  const bool keep = json->find("selection") == nullptr;
  if (auto kept = keep ? found->view->frames->find(*body) : nullptr) {
    Response response = frame_response({});
    response.shared = std::move(kept);
    return response;
  }
  const auto window = timeline::tile_window(*json);
  if (!window.ok()) return error_response(window.status());
  const Timeline& timeline = *found->view->timeline;
  std::vector<const Lane*> wanted;
  const wire::JsonValue* ids = json->find("lanes");
  if (ids == nullptr) {
    for (const Lane& lane : timeline.lanes()) wanted.push_back(&lane);
  } else {
    // Each once, however often it is named: so no answer is larger than that about all lanes.
    std::vector<bool> named(timeline.lanes().size());
    for (const auto& id : ids->items()) {
      const auto number = id.integer();
      const Lane* lane = number && *number >= 0 && *number <= 0x7fffffff ? timeline.lane(static_cast<uint32_t>(*number)) : nullptr;
      // As an import ends, a lane of before may be gone: the others are answered.
      if (lane == nullptr || named[timeline.index_of(*lane)]) continue;
      named[timeline.index_of(*lane)] = true;
      wanted.push_back(lane);
    }
    if (wanted.empty() && !ids->items().empty()) return error_response(404, "this trace has no lane " + ids->items()[0].text());
  }
  const auto channels = channels_of(*found->view, *json);
  if (!channels.ok()) return error_response(channels.status());
  wire::FrameWriter frame;
  for (const Lane* lane : wanted) add_lane_tiles(timeline, *lane, *window, *channels, &frame);
  Response response = frame_response({});
  response.shared = std::make_shared<const std::string>(std::move(frame).finish());
  if (keep) found->view->frames->keep(*body, response.shared);
  return response;
}

constexpr auto kRoutes = std::to_array<Route>({
    {"GET", "/api/trace/{}", trace_info},
    {"GET", "/api/trace/{}/lanes", lanes},
    {"POST", "/api/trace/{}/tiles", tiles},
});

}  // namespace

std::span<const Route> timeline_routes() { return kRoutes; }

}  // namespace lanewise::server::http
