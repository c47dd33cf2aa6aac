// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/navigate.h"

#include <algorithm>

namespace lanewise::server::timeline {
namespace {

// The slice of a row that holds the moment: the last that starts at or before it and has not ended.
std::optional<uint32_t> holding(const Slices& slices, uint32_t row, int64_t at) {
  const uint32_t after = slices.first_starting(row, at + 1);
  if (after == slices.row_begin[row]) return std::nullopt;
  const uint32_t i = after - 1;
  if (at < slices.end(i) || at == slices.start[i]) return i;
  return std::nullopt;
}

}  // namespace

std::optional<Direction> direction_of(std::string_view name) {
  constexpr std::string_view kNames[] = {"next", "previous", "up", "down", "first", "last"};
  const auto at = std::find(std::begin(kNames), std::end(kNames), name);
  if (at == std::end(kNames)) return std::nullopt;
  return static_cast<Direction>(at - std::begin(kNames));
}

std::optional<Spot> step_from(const Lane& lane, uint32_t row, uint32_t index, Direction direction) {
  const Slices& slices = lane.slices;
  const uint32_t begin = slices.row_begin[row], end = slices.row_begin[row + 1];
  switch (direction) {
    case Direction::next: return index + 1 < end ? std::optional(Spot{&lane, row, index + 1}) : std::nullopt;
    case Direction::previous: return index > begin ? std::optional(Spot{&lane, row, index - 1}) : std::nullopt;
    case Direction::first: return Spot{&lane, row, begin};
    case Direction::last: return Spot{&lane, row, end - 1};
    case Direction::up:
      for (uint32_t above = row; above-- > 0;) {
        if (const auto found = holding(slices, above, slices.start[index])) return Spot{&lane, above, *found};
      }
      return std::nullopt;
    case Direction::down:
      for (uint32_t below = row + 1; below < slices.rows(); ++below) {
        const uint32_t found = slices.first_starting(below, slices.start[index]);
        const bool inside = found < slices.row_begin[below + 1] &&
                            (slices.start[found] < slices.end(index) || slices.start[found] == slices.start[index]);
        if (inside) return Spot{&lane, below, found};
      }
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Spot> step_at(const Lane& lane, uint32_t row, int64_t at, Direction direction) {
  const Slices& slices = lane.slices;
  if (row >= slices.rows()) return std::nullopt;
  const uint32_t begin = slices.row_begin[row], end = slices.row_begin[row + 1];
  if (begin == end) return std::nullopt;
  switch (direction) {
    case Direction::next: {
      const uint32_t found = slices.first_starting(row, at + 1);
      return found < end ? std::optional(Spot{&lane, row, found}) : std::nullopt;
    }
    case Direction::previous: {
      const uint32_t found = slices.first_starting(row, at);
      return found > begin ? std::optional(Spot{&lane, row, found - 1}) : std::nullopt;
    }
    case Direction::first: return Spot{&lane, row, begin};
    case Direction::last: return Spot{&lane, row, end - 1};
    case Direction::up:
    case Direction::down: {
      if (direction == Direction::up && row == 0) return std::nullopt;
      const uint32_t other = direction == Direction::up ? row - 1 : row + 1;
      if (other >= slices.rows()) return std::nullopt;
      const auto found = holding(slices, other, at);
      return found ? std::optional(Spot{&lane, other, *found}) : std::nullopt;
    }
  }
  return std::nullopt;
}

const Lane* gaps_lane(const Timeline& timeline, const Lane& lane) {
  if (lane.kind == LaneKind::gaps) return &lane;
  const uint32_t unit = timeline.parts()[lane.part].unit;
  const Lane* best = nullptr;
  for (const Lane& other : timeline.lanes()) {
    if (other.kind != LaneKind::gaps || timeline.parts()[other.part].unit != unit) continue;
    if (!lane.device.empty() && other.device == lane.device) return &other;
    if (best == nullptr) best = &other;
  }
  return best;
}

}  // namespace lanewise::server::timeline
