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
// Several frames run in step, as lanes: every op is emitted for all of them before the next op, so that an engine has
// another lane's work while it would wait for its own lane's result from another engine.
//
// SBUF of a stage:   [invariants][loads in turn][stored in turn][row values x lanes][tile values x lanes]
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
  int lanes = 1;
  int64_t lane_stride = 0;               // bytes between the tile values of two lanes (for `partial`)
  int64_t bytes = 0;                     // of SBUF a partition
  int64_t transpose_offset = 0, transpose_bytes = 0;   // four natural tiles, when some load is transposed
};

// `budget`: bytes a partition. `fixed_free` (matmul): free chunks are given and stay.
TilePlan make_tile_plan(const stage::Stage& stage, const TileCode& code, const machine::Machine& machine, int64_t budget,
                        const Frame* fixed = nullptr);

}  // namespace lanewise::compiler::emit
