// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/twins.h"

namespace lanewise::server::timeline {

using trace::schema::EventId;
using trace::schema::Role;

std::optional<EventId> twin_of(const Timeline& timeline, EventId event) {
  const PartTables& own = timeline.parts()[event.part];
  if (!own.system_trace && !own.beside_system_trace) return std::nullopt;
  const Role role = own.events.role_of(event.ordinal);
  const bool device = is_device(role);
  if (!device && role != Role::runtime) return std::nullopt;
  const auto place = timeline.place_of(event);
  if (!place) return std::nullopt;
  const Slices& own_slices = timeline.lanes()[place->lane].slices;
  const int64_t start = own_slices.start[place->index], dur = own_slices.dur(place->index);
  for (const Lane& lane : timeline.lanes()) {
    const PartTables& other = timeline.parts()[lane.part];
    if (lane.part == event.part || other.unit != own.unit || lane.has_own()) continue;
    for (uint32_t row = 0; row < lane.slices.rows(); ++row) {
      for (uint32_t i = lane.slices.first_starting(row, start); i < lane.slices.row_begin[row + 1] && lane.slices.start[i] == start; ++i) {
        const Role role_there = other.events.role_of(lane.slices.ordinal[i]);
        if (lane.slices.dur(i) == dur && (device ? is_device(role_there) : role_there == Role::runtime)) return EventId{lane.part, lane.slices.ordinal[i]};
      }
    }
  }
  return std::nullopt;
}

}  // namespace lanewise::server::timeline
