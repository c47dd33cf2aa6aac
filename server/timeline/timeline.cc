// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/timeline.h"

#include <algorithm>
#include <limits>

namespace lanewise::server::timeline {

using trace::schema::EventId;

namespace {
constexpr uint32_t kNowhere = ~uint32_t{0};
}

std::string_view group_name(Group group) {
  switch (group) {
    case Group::annotations: return "annotations";
    case Group::framework: return "framework";
    case Group::runtime: return "runtime";
    case Group::hardware: return "hardware";
    case Group::counters: return "counters";
    case Group::engines: return "engines";
    case Group::dma: return "dma";
    case Group::semaphores: return "semaphores";
  }
  return "";
}

std::string_view lane_kind_name(LaneKind kind) {
  switch (kind) {
    case LaneKind::slices: return "slices";
    case LaneKind::counter: return "counter";
    case LaneKind::steps: return "steps";
    case LaneKind::gaps: return "gaps";
  }
  return "";
}

int64_t from_origin(int64_t time_ns, int64_t offset_ns, int64_t origin_ns) {
  constexpr int64_t kFar = int64_t{1} << 61;  // so that the difference of any two fits
  int64_t moved = 0;
  if (__builtin_sub_overflow(offset_ns, origin_ns, &moved) || __builtin_add_overflow(time_ns, moved, &moved)) {
    return time_ns < 0 ? -kFar : kFar;
  }
  return std::clamp(moved, -kFar, kFar);
}

const Lane* Timeline::lane(uint32_t id) const {
  const auto at = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair(id, uint32_t{0}));
  return at != by_id_.end() && at->first == id ? &lanes_[at->second] : nullptr;
}

std::optional<uint32_t> Timeline::lane_index(EventId event) const {
  if (event.part >= parts_.size() || event.ordinal >= lane_of_[event.part].size()) return std::nullopt;
  const uint32_t lane = lane_of_[event.part][event.ordinal];
  return lane == kNowhere ? std::nullopt : std::optional(lane);
}

std::optional<Place> Timeline::place_of(EventId event) const {
  const auto lane = lane_index(event);
  if (!lane) return std::nullopt;
  const uint32_t row = row_of_[event.part][event.ordinal];
  const Slices& slices = lanes_[*lane].slices;
  if (row >= slices.rows()) return std::nullopt;
  const uint32_t index = slices.find(row, start_of(event), event.ordinal);
  if (index == slices.size()) return std::nullopt;
  return Place{*lane, row, index};
}

std::optional<EventId> Timeline::event_at(const Lane& lane, uint32_t index) const {
  const uint32_t ordinal = lane.slices.ordinal[index];
  if (lane.has_own()) return lane.own[ordinal].event;
  return EventId{lane.part, ordinal};
}

int64_t Timeline::start_of(EventId event) const {
  const PartTables& part = parts_[event.part];
  return from_origin(part.events.ts_ns[event.ordinal], part.offset_ns, origin_ns_);
}

}  // namespace lanewise::server::timeline
