// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tile ops -> instructions, for one frame at a time.
#pragma once

#include "compiler/emit/tile_frame.h"
#include "compiler/emit/tile_ops.h"
#include "compiler/emit/writer.h"

namespace lanewise::compiler::emit {

// How a load reaches its tile.
enum class LoadPath : uint8_t {
  direct,      // one DMA
  transposed,  // the memory runs along the partitions: DMA in memory order, transpose on PE, copy out of PSUM
};
// Small DMAs: many must be on their way at once.
inline constexpr int kNaturalTiles = 16;
LoadPath load_path(const stage::Stage& stage, const Frame& chunk, const stage::Access& access);

class TileEmitter {
 public:
  TileEmitter(const stage::Stage& stage, const TileCode& code, Writer& writer)
      : stage_(stage), code_(code), writer_(writer), tiles_(stage) {}

  // Where the values of a lane lie.
  struct Place {
    uint32_t offset = 0;
    isa::Space space = isa::Space::sbuf;
  };
  using Places = std::vector<Place>;
  // What follows is about these places, which must outlive it.
  void use(Places& places) { places_ = &places; }
  void place(int32_t value, uint32_t offset, isa::Space space = isa::Space::sbuf) { (*places_)[value] = {offset, space}; }
  // kNaturalTiles tiles for transposed loads, each `bytes` long.
  void set_transpose_buffers(uint32_t first, int64_t bytes) {
    transpose_ = first;
    transpose_bytes_ = bytes;
  }

  void load(int32_t value, const Frame& frame, LoadPath path);
  void store(const TileStore& store, const Frame& frame);
  // With `partial` the result of a reduction goes to that offset instead of the value's place.
  void run(const TileOp& op, const Frame& frame, int64_t partial = -1);
  // dst = dst op0 partial, for a reduction over several tiles.
  void accumulate(const TileOp& op, const Frame& frame, uint32_t partial);
  // A tile of one row: dst = dst op0 source, without a partial result. False when the tile has more rows.
  bool accumulate_row(const TileOp& op, const Frame& frame);

 private:
  const Place& place_of(int32_t value) const { return (*places_)[value]; }
  isa::Tile tile(int32_t value, const Frame& frame) const;
  isa::Scalar scalar(const Operand& operand, const Frame& frame) const;
  void load_transposed(int32_t value, const Frame& frame);
  void run_iota(const TileOp& op, const Frame& frame);
  void run_reduce(const TileOp& op, const Frame& frame, int64_t partial);
  void add_step(const TileOp& op, const Frame& frame, const isa::Tile& from, AtomMask atoms);
  int32_t reduce_result(const TileOp& op) const { return op.dst2 >= 0 ? op.dst2 : op.dst; }
  Walk walk_of(const Frame& frame, AtomMask over, const std::array<AtomMask, kMaxWalkOperands>& operands) const;

  const stage::Stage& stage_;
  const TileCode& code_;
  Writer& writer_;
  FrameTiles tiles_;
  Places* places_ = nullptr;
  uint32_t transpose_ = 0;
  int64_t transpose_bytes_ = 0;
  int turn_ = 0;
};

}  // namespace lanewise::compiler::emit
