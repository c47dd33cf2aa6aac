// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sets of slices: what a search finds, what is selected; arrows between them, and the flame graph of a span.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>

#include "server/device/select.h"
#include "server/http/app.h"
#include "server/http/event_json.h"
#include "server/http/search.h"
#include "server/timeline/flame.h"
#include "server/timeline/navigate.h"
#include "server/wire/frame.h"

namespace lanewise::server::http {

using timeline::Lane;
using timeline::Timeline;
using trace::schema::EventId;
using wire::JsonValue;

Result<std::shared_ptr<const timeline::Masks>> search_masks(const library::View& view, const std::string& text, bool regex) {
  const std::string key = (regex ? "regex/" : "search/") + text;
  if (auto known = view.masks->find(key)) return known;
  LW_ASSIGN_OR_RETURN(const std::vector<bool> names, timeline::matching_names(view.timeline->names(), text, regex));
  return view.masks->keep(key, timeline::mask_of_names(*view.timeline, names));
}

namespace {

constexpr int64_t kMostMatches = 100'000, kUsualMatches = 1000, kMostPickedEvents = 100'000;
constexpr int64_t kMostArrows = 20'000, kUsualArrows = 2000;

const Lane* lane_of(const Timeline& timeline, const JsonValue& value) {
  const auto id = value.integer();
  return id && *id >= 0 && *id <= 0x7fffffff ? timeline.lane(static_cast<uint32_t>(*id)) : nullptr;
}

// The lanes that a list of ids names. not_found.
Result<std::vector<uint32_t>> lanes_of(const Timeline& timeline, const JsonValue* list) {
  std::vector<uint32_t> lanes;
  if (list == nullptr) return lanes;
  for (const JsonValue& id : list->items()) {
    const Lane* lane = lane_of(timeline, id);
    if (lane == nullptr) return not_found("this trace has no lane " + id.text());
    lanes.push_back(static_cast<uint32_t>(timeline.index_of(*lane)));
  }
  return lanes;
}

size_t limit_of(const JsonValue& json, int64_t usual, int64_t most) {
  return static_cast<size_t>(std::clamp<int64_t>(json.integer_of("limit").value_or(usual), 0, most));
}

void add_picked(const Timeline& timeline, const timeline::Picked& picked, std::string_view name, wire::FrameWriter* frame) {
  const size_t n = picked.items.size();
  std::vector<double> events(n), starts(n), durations(n);
  std::vector<uint32_t> names(n), lanes(n);
  std::vector<uint16_t> rows(n);
  for (size_t i = 0; i < n; ++i) {
    const auto& item = picked.items[i];
    const Lane& lane = timeline.lanes()[item.lane];
    events[i] = static_cast<double>(timeline.event_at(lane, item.index).value_or(EventId{}).packed());
    names[i] = lane.names[item.index];
    lanes[i] = lane.id;
    rows[i] = static_cast<uint16_t>(item.row);
    starts[i] = static_cast<double>(item.start);
    durations[i] = static_cast<double>(lane.slices.dur(item.index));
  }
  frame->begin_table(name, n);
  frame->column("event", "event", std::span<const double>(events)).column("name", "name", std::span<const uint32_t>(names));
  frame->column("lane", "integer", std::span<const uint32_t>(lanes)).column("row", "integer", std::span<const uint16_t>(rows));
  frame->column("start_ns", "ns", std::span<const double>(starts)).column("dur_ns", "ns", std::span<const double>(durations)).end_table();
}

Response search(Call& call) {
  const auto found = trace_of(call, false);
  if (!found.ok()) return error_response(found.status());
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  const auto masks = search_masks(*found->view, json->text_of("text"), json->boolean_of("regex"));
  if (!masks.ok()) return error_response(masks.status());
  const Timeline& timeline = *found->view->timeline;
  const auto picked = timeline::pick(timeline, **masks, limit_of(*json, kUsualMatches, kMostMatches), false);
  wire::FrameWriter frame;
  frame.member("total", picked.total);
  add_picked(timeline, picked, "matches", &frame);
  return frame_response(std::move(frame).finish());
}

Result<timeline::Masks> masks_of(const library::View& view, const JsonValue& json) {
  const Timeline& timeline = *view.timeline;
  if (const JsonValue* where = json.find("where")) {
    if (view.device == nullptr) return invalid_argument("only runs of a device profile are selected by `where`");
    const auto text = [&](std::string_view key) -> std::optional<std::string> {
      const JsonValue* value = where->find(key);
      return value && value->is(JsonValue::Kind::text) ? std::optional(value->text()) : std::nullopt;
    };
    device::Where asked{where->integer_of("core"), where->integer_of("index"), text("engine"), text("opcode"), text("ir_op"), text("aten_node"),
                        text("node"), text("module"), text("file"), where->integer_of("line"), text("queue"), text("tensor"), text("run"), where->boolean_of("with_dmas")};
    std::vector<EventId> events;
    for (const uint32_t event : device::find_events(*view.device, asked)) events.push_back({0, event});
    return timeline::mask_of_events(timeline, events);
  }
  if (const JsonValue* ids = json.find("events")) {
    if (static_cast<int64_t>(ids->items().size()) > kMostPickedEvents) return invalid_argument("too many events in one selection");
    std::vector<EventId> events;
    for (const JsonValue& id : ids->items()) {
      const auto event = EventId::parse(id.text());
      if (!event) return invalid_argument("an event id is ORDINAL or PART:ORDINAL");
      events.push_back(*event);
    }
    return timeline::mask_of_events(timeline, events);
  }
  if (const JsonValue* box = json.find("box")) {
    const auto from = box->time_of("from"), to = box->time_of("to");
    if (!from || !to || *from > *to) return invalid_argument("a box has lanes, from and to");
    LW_ASSIGN_OR_RETURN(const std::vector<uint32_t> lanes, lanes_of(timeline, box->find("lanes")));
    return timeline::mask_of_box(timeline, lanes, *from, *to);
  }
  if (const JsonValue* name = json.find("name"); name && name->is(JsonValue::Kind::text)) {
    std::vector<bool> names(timeline.names().size());
    if (const uint32_t index = timeline.names().find(name->text()); index < names.size()) names[index] = true;
    return timeline::mask_of_names(timeline, names);
  }
  return invalid_argument("a selection is made of events, a box or a name");
}

Response select(Call& call) {
  const auto found = trace_of(call, false);
  if (!found.ok()) return error_response(found.status());
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  const Timeline& timeline = *found->view->timeline;
  auto made = masks_of(*found->view, *json);
  if (!made.ok()) return error_response(made.status());
  const auto masks = std::make_shared<const timeline::Masks>(std::move(*made));
  const auto picked = timeline::pick(timeline, *masks, limit_of(*json, kUsualMatches * 2, kMostMatches), true);
  wire::FrameWriter frame;
  frame.member("total", picked.total).member("count", picked.items.size()).member("sum_ns", picked.sum_ns).member("union_ns", picked.union_ns);
  frame.member("first_ns", picked.first_ns).member("last_ns", picked.last_ns);
  JsonWriter names;
  names.begin_array();
  for (const auto& name : picked.by_name) {
    names.begin_object().member("name", timeline.names().text(name.name)).member("count", name.count).member("sum_ns", name.sum_ns).end_object();
  }
  names.end_array();
  frame.raw_member("by_name", names.text()).member("selection", found->view->masks->add_selection(masks));
  add_picked(timeline, picked, "selection", &frame);
  return frame_response(std::move(frame).finish());
}

Response arrows(Call& call) {
  const auto found = trace_of(call, true);
  if (!found.ok()) return error_response(found.status());
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  const Timeline& timeline = *found->view->timeline;
  timeline::ArrowIndex::Query query;
  query.from = json->time_of("from").value_or(timeline.begin());
  query.to = json->time_of("to").value_or(timeline.end() + 1);
  query.limit = limit_of(*json, kUsualArrows, kMostArrows);
  const JsonValue* kinds = json->find("kinds");
  query.kinds.assign(static_cast<size_t>(timeline::ArrowKind::count), kinds == nullptr);
  for (size_t k = 0; kinds && k < query.kinds.size(); ++k) {
    for (const JsonValue& kind : kinds->items()) {
      if (kind.text() == arrow_kind_name(static_cast<timeline::ArrowKind>(k))) query.kinds[k] = true;
    }
  }
  if (const JsonValue* lanes = json->find("lanes")) {
    const auto indices = lanes_of(timeline, lanes);
    if (!indices.ok()) return error_response(indices.status());
    query.lanes.assign(timeline.lanes().size(), false);
    for (const uint32_t k : *indices) query.lanes[k] = true;
  }
  uint64_t total = 0;
  const auto arrows = found->view->arrows().find(query, &total);
  const size_t n = arrows.size();
  std::vector<double> ends[4] = {std::vector<double>(n), std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  std::vector<int32_t> lanes[2] = {std::vector<int32_t>(n), std::vector<int32_t>(n)}, rows[2] = {std::vector<int32_t>(n), std::vector<int32_t>(n)};
  std::vector<uint32_t> kind_codes(n), method_codes(n);
  std::vector<float> confidence(n);
  std::vector<std::string_view> kind_texts, method_texts;
  const auto code = [](std::vector<std::string_view>* texts, std::string_view text) {
    const auto at = std::find(texts->begin(), texts->end(), text);
    const auto index = static_cast<uint32_t>(at - texts->begin());
    if (at == texts->end()) texts->push_back(text);
    return index;
  };
  for (size_t i = 0; i < n; ++i) {
    const EventId of[2] = {arrows[i].from, arrows[i].to};
    for (int side = 0; side < 2; ++side) {
      const auto place = timeline.place_of(of[side]);
      lanes[side][i] = place ? static_cast<int32_t>(timeline.lanes()[place->lane].id) : -1;
      rows[side][i] = place ? static_cast<int32_t>(place->row) : -1;
      ends[side][i] = static_cast<double>((side == 0 ? arrows[i].from_at : arrows[i].to_at).value_or(timeline.start_of(of[side])));
      ends[2 + side][i] = static_cast<double>(of[side].packed());
    }
    kind_codes[i] = code(&kind_texts, arrow_kind_name(arrows[i].kind));
    method_codes[i] = code(&method_texts, arrows[i].method);
    confidence[i] = arrows[i].confidence;
  }
  wire::FrameWriter frame;
  frame.member("total", total).begin_table("arrows", n);
  constexpr std::string_view kSides[] = {"from_", "to_"};
  for (size_t side = 0; side < 2; ++side) {
    const std::string prefix(kSides[side]);
    frame.column(prefix + "lane", "integer", std::span<const int32_t>(lanes[side])).column(prefix + "row", "integer", std::span<const int32_t>(rows[side]));
    frame.column(prefix + "ns", "ns", std::span<const double>(ends[side])).column(prefix + "event", "event", std::span<const double>(ends[2 + side]));
  }
  frame.dictionary("kind", "text", kind_codes, kind_texts).dictionary("method", "text", method_codes, method_texts);
  frame.column("confidence", "real", std::span<const float>(confidence)).end_table();
  return frame_response(std::move(frame).finish());
}

Result<std::vector<uint32_t>> lanes_of_flame(const Timeline& timeline, const JsonValue& json) {
  std::vector<uint32_t> lanes;
  const JsonValue* id = json.find("lane");
  const Lane* asked = nullptr;
  if (id != nullptr && !id->is(JsonValue::Kind::null)) {
    asked = lane_of(timeline, *id);
    if (asked == nullptr) return not_found("this trace has no lane " + id->text());
  }
  const std::string thread = json.text_of("thread");
  for (uint32_t k = 0; k < timeline.lanes().size(); ++k) {
    const Lane& lane = timeline.lanes()[k];
    const bool host = !lane.has_own() && (lane.group == timeline::Group::framework || lane.group == timeline::Group::runtime);
    // The runtime calls of a thread stand below the operators that made them.
    if (asked != nullptr && asked != &lane) {
      const bool same_thread = host && asked->group == timeline::Group::framework && lane.part == asked->part && lane.pid == asked->pid && lane.tid == asked->tid;
      if (!same_thread) continue;
    } else if (asked == nullptr && (!host || (!thread.empty() && lane.tid != thread) || lane.pid == "Spans" || lane.pid == "Traces")) {
      continue;
    }
    lanes.push_back(k);
  }
  if (lanes.empty() && !thread.empty()) return not_found("no thread of this trace has the tid " + thread);
  return lanes;
}

Response flame(Call& call) {
  const auto found = trace_of(call, false);
  if (!found.ok()) return error_response(found.status());
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  const Timeline& timeline = *found->view->timeline;
  auto lanes = lanes_of_flame(timeline, *json);
  if (!lanes.ok()) return error_response(lanes.status());
  timeline::FlameQuery query;
  query.lanes = std::move(*lanes);
  query.from = json->time_of("from").value_or(timeline.begin());
  query.to = json->time_of("to").value_or(timeline.end() + 1);
  query.bottom_up = json->boolean_of("bottom_up");
  if (query.from >= query.to) return error_response(400, "the range is empty");
  uint64_t left_out = 0;
  // It holds about 100 bytes a slice while it is made, so clients take turns.
  static std::mutex turn;
  std::unique_lock lock(turn);
  const auto nodes = timeline::make_flame(timeline, query, &left_out);
  lock.unlock();
  const size_t n = nodes.size();
  std::vector<uint32_t> names(n), depths(n), calls(n);
  std::vector<int32_t> parents(n);
  std::vector<double> starts(n), totals(n), selfs(n), events(n);
  for (size_t i = 0; i < n; ++i) {
    names[i] = nodes[i].name;
    depths[i] = nodes[i].depth;
    calls[i] = static_cast<uint32_t>(nodes[i].calls);
    parents[i] = nodes[i].parent < 0 ? std::numeric_limits<int32_t>::min() : nodes[i].parent;
    starts[i] = static_cast<double>(nodes[i].start_ns);
    totals[i] = static_cast<double>(nodes[i].total_ns);
    selfs[i] = static_cast<double>(nodes[i].self_ns);
    events[i] = nodes[i].event ? static_cast<double>(nodes[i].event->packed()) : std::nan("");
  }
  wire::FrameWriter frame;
  frame.member("left_out", left_out).begin_table("nodes", n);
  frame.column("name", "name", std::span<const uint32_t>(names)).column("depth", "integer", std::span<const uint32_t>(depths));
  frame.column("parent", "integer", std::span<const int32_t>(parents)).column("start_ns", "ns", std::span<const double>(starts));
  frame.column("total_ns", "ns", std::span<const double>(totals)).column("self_ns", "ns", std::span<const double>(selfs));
  frame.column("calls", "count", std::span<const uint32_t>(calls)).column("event", "event", std::span<const double>(events)).end_table();
  return frame_response(std::move(frame).finish());
}

Response step(Call& call) {
  const auto found = trace_of(call, false);
  if (!found.ok()) return error_response(found.status());
  const auto json = call.json();
  if (!json.ok()) return error_response(json.status());
  const Timeline& timeline = *found->view->timeline;
  const auto direction = timeline::direction_of(json->text_of("dir"));
  if (!direction) return error_response(400, "dir is next, previous, up, down, first or last");
  const bool to_gap = json->text_of("what") == "gap";
  const Lane* lane = nullptr;
  uint32_t row = 0;
  int64_t at = 0;
  std::optional<timeline::Place> place;
  if (const std::string id = json->text_of("event"); !id.empty()) {
    const auto event = EventId::parse(id);
    place = event ? timeline.place_of(*event) : std::nullopt;
    if (!place) return error_response(404, "no lane shows the event " + id);
    lane = &timeline.lanes()[place->lane];
    row = place->row;
    at = lane->slices.start[place->index];
  } else {
    const JsonValue* id_value = json->find("lane");
    lane = id_value ? lane_of(timeline, *id_value) : nullptr;
    if (lane == nullptr) return error_response(404, "this trace has no such lane");
    const auto asked_row = json->integer_of("row"), asked_at = json->time_of("at");
    if (!asked_row || *asked_row < 0 || *asked_row > timeline::kMaxRows || !asked_at) return error_response(400, "step takes an event, or lane, row and at");
    row = static_cast<uint32_t>(*asked_row);
    at = *asked_at;
  }
  std::optional<timeline::Spot> spot;
  if (to_gap) {
    const Lane* gaps = timeline::gaps_lane(timeline, *lane);
    if (gaps != nullptr) spot = timeline::step_at(*gaps, 0, at, *direction);
  } else if (place) {
    spot = timeline::step_from(*lane, row, place->index, *direction);
  } else {
    spot = timeline::step_at(*lane, row, at, *direction);
  }
  JsonWriter w;
  w.begin_object();
  const bool gap = spot && spot->lane->kind == timeline::LaneKind::gaps;
  if (to_gap || gap) gap ? write_gap(w.key("gap"), timeline, *spot->lane, spot->index) : void(w.key("gap").null());
  const auto event = spot && !gap ? timeline.event_at(*spot->lane, spot->index) : std::nullopt;
  event ? write_event(w.key("event"), timeline, *event) : void(w.key("event").null());
  w.end_object();
  return json_response(w.text());
}

constexpr auto kRoutes = std::to_array<Route>({
    {"POST", "/api/trace/{}/step", step},
    {"POST", "/api/trace/{}/search", search},
    {"POST", "/api/trace/{}/select", select},
    {"POST", "/api/trace/{}/arrows", arrows},
    {"POST", "/api/trace/{}/flame", flame},
});

}  // namespace

std::span<const Route> selection_routes() { return kRoutes; }

}  // namespace lanewise::server::http
