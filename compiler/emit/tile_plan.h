// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How a tile stage is cut into tiles, in which order its ops run, and where its values lie in SBUF.
//
// A row that fits SBUF is one tile: every op runs once a tile. A longer row is cut too, and the ops run in passes:
//
//   rows before | pass 0 over the row's tiles: partial results of the reductions that need nothing | rows | pass 1 ... |
//
// An op on whole rows that several passes need is computed again in each, from reloaded operands: no row length is too
// long.
//
// Copies let tiles overlap: list scheduling (reorder.h) gives an engine the next tile's work while it would wait for its
// own tile's result from another engine, if that tile has a place of its own.
//
// SBUF of a stage:   [invariants][loads in turn][stored in turn][row values x copies][tile values x copies]
//   invariants   depend on no loop: loaded or computed once
//   loads        in turn, so that the DMA of a tile overlaps the compute of the ones before
//   stored       in turn, so that the next tile can be computed while the DMA still reads
//   the rest     share memory by liveness
#pragma once

#include <vector>

#include "compiler/emit/tile_emitter.h"
#include "compiler/emit/tile_frame.h"
#include "compiler/emit/tile_ops.h"

namespace lanewise::compiler::emit {

struct Section {
  bool over_row_tiles = false;           // a pass; else once a frame
  std::vector<int32_t> loads;            // values
  std::vector<int32_t> ops;              // tile op numbers, in order
  std::vector<TileStore> stores;
};

struct ValuePlan {
  enum class Home : uint8_t { none, invariant, load, stored, row, tile };
  Home home = Home::none;
  LoadPath path = LoadPath::direct;
  int64_t offset = 0;                    // within the stage's region; copy 0
  int64_t stride = 0;                    // to the next copy
  int copies = 1;
  int64_t partial = 0;                   // reductions over several row tiles: where a tile's result goes
};

struct TilePlan {
  Frame chunk;                           // extents of a full tile
  AtomMask row_tiled = 0;                // reduced atoms with more than one tile
  Section before;                        // invariants, once a stage
  std::vector<Section> sections;         // once a frame of kept atoms
  std::vector<ValuePlan> values;
  int tile_copies = 1;
  int64_t tile_stride = 0;               // bytes between two copies of the tile values (for `partial`)
  int64_t bytes = 0;                     // of SBUF a partition
  int64_t transpose_offset = 0, transpose_bytes = 0;   // kNaturalTiles tiles, when some load is transposed
};

// Bytes a partition: `budget` for a stage of few frames, so that the next one can start beside it, else `most`.
// `fixed`: the extents are given and stay (the blocks of a matmul); the plan may then be larger than the budget.
TilePlan make_tile_plan(const stage::Stage& stage, const TileCode& code, const machine::Machine& machine, int64_t budget,
                        int64_t most, const Frame* fixed = nullptr);

}  // namespace lanewise::compiler::emit
