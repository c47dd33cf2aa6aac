// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles: what each pixel column of a lane holds, at any zoom. Level k has columns of 2^k ns. Nothing vanishes: the busy time of all
// cells of a row adds up to the sum of its durations at every level, and every slice is counted in a cell.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/timeline/masks.h"
#include "server/timeline/timeline.h"
#include "server/wire/frame.h"
#include "server/wire/json_value.h"

namespace lanewise::server::timeline {

inline constexpr int kTileColumns = 512;
inline constexpr int kMaxLevel = 52;
inline constexpr int64_t kMaxTiles = 64;

enum Channel : uint8_t { kPasses = 1, kHit = 2, kSelected = 4, kRepairedChannel = 8, kOverheadChannel = 16 };

struct TileWindow {
  int level = 0;
  int64_t first = 0, count = 1;  // tiles
  int64_t columns() const { return count * kTileColumns; }
  int64_t width() const { return int64_t{1} << level; }
  int64_t begin() const { return first * kTileColumns * width(); }
  int64_t edge(int64_t column) const { return begin() + column * width(); }
};

// invalid_argument: a level, tile or number of tiles that is none.
Result<TileWindow> tile_window(const wire::JsonValue& request);

// One cell: `span` columns that look the same.
struct Cell {
  uint16_t row = 0;
  uint32_t column = 0, span = 1, count = 0;
  float busy = 0;          // ns of slices inside, of all its columns together
  uint32_t longest = 0;    // place of the longest slice there
  uint32_t first = 0, after = 0;  // places of the slices there
};
// Cells of a lane by row and column, and the places of slices that are at least `wide` columns wide.
struct CellList {
  std::vector<Cell> cells;
  std::vector<std::pair<uint16_t, uint32_t>> wide;  // row, place
};
CellList find_cells(const Slices& slices, const TileWindow& window);

struct TileChannels {
  std::shared_ptr<const Masks> passes, hits, selected;  // null: everything passes; nothing is hit or selected
};

// Adds the tables of one lane to the answer.
void add_lane_tiles(const Timeline& timeline, const Lane& lane, const TileWindow& window, const TileChannels& channels, wire::FrameWriter* frame);

}  // namespace lanewise::server::timeline
