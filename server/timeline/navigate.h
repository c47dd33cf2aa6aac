// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps from slice to slice, by key: along a row, to what holds a slice and what it holds.
#pragma once

#include <cstdint>
#include <optional>

#include "server/timeline/timeline.h"

namespace lanewise::server::timeline {

enum class Direction : uint8_t { next, previous, up, down, first, last };
std::optional<Direction> direction_of(std::string_view name);

struct Spot {
  const Lane* lane = nullptr;
  uint32_t row = 0, index = 0;
};

// From a slice. next, previous: in its row. up: the slice in a row above that holds its start, the nearest. down: the first slice in the
// next row that starts inside it. first, last: of its row.
std::optional<Spot> step_from(const Lane& lane, uint32_t row, uint32_t index, Direction direction);
// From a moment in a row: next starts after it, previous before it (the slice that holds it counts); up, down: the slice at that moment in
// the row above or below.
std::optional<Spot> step_at(const Lane& lane, uint32_t row, int64_t at, Direction direction);

// The lane of gaps of the device of a lane, else the first one of its unit.
const Lane* gaps_lane(const Timeline& timeline, const Lane& lane);

}  // namespace lanewise::server::timeline
