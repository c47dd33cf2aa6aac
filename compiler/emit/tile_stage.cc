// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/tile_stage.h"

#include <algorithm>

#include "compiler/emit/balance.h"
#include "compiler/emit/frame_loop.h"
#include "compiler/emit/tile_plan.h"

namespace lanewise::compiler::emit {

using stage::Stage;

namespace {

class TileStageEmitter {
 public:
  TileStageEmitter(const Stage& stage, Writer& writer)
      : stage_(stage),
        code_(select_tile_ops(stage)),
        plan_(make_tile_plan(stage, code_, writer.machine(), writer.sbuf_bytes() / 2, writer.sbuf_bytes() - 1024)),
        region_(writer.reserve_sbuf(plan_.bytes)),
        emitter_(stage, code_, writer),
        places_(code_.values.size()),
        turn_(code_.values.size(), 0),
        moved_(code_.ops.size(), 0) {
    balance_engines(stage, plan_, writer.machine(), code_);
    writer.begin_stage(stage.order, store_engine());
  }

  void run() {
    emitter_.set_transpose_buffers(region_ + static_cast<uint32_t>(plan_.transpose_offset), plan_.transpose_bytes);
    emitter_.use(places_);
    for (size_t v = 0; v < code_.values.size(); ++v) put(static_cast<int32_t>(v), 0);
    section(plan_.before, plan_.chunk, true);
    const auto [outer, rows] = loop_order();
    for_each_tile(stage_, plan_.chunk, outer, plan_.chunk, [&](const Frame& frame) {
      turn_homes(ValuePlan::Home::row, frames_++);
      for (const Section& s : plan_.sections) {
        if (!s.over_row_tiles) {
          section(s, frame, true);
          continue;
        }
        bool first = true;
        for_each_tile(stage_, plan_.chunk, rows, frame, [&](const Frame& tile) {
          turn_homes(ValuePlan::Home::tile, tiles_++);
          section(s, tile, first);
          first = false;
        });
      }
    });
  }

 private:
  // A store waits for its tile, and everything behind it in the engine's stream with it: so an engine that computes
  // little here. The PE has nothing to do but transposes.
  isa::Engine store_engine() const {
    for (const ValuePlan& p : plan_.values)
      if (p.path == LoadPath::transposed) return isa::Engine::gpsimd;
    for (const TileOp& op : code_.ops)
      if (op.engine == isa::Engine::gpsimd || (op.share > 0 && op.other == isa::Engine::gpsimd)) return isa::Engine::pe;
    return isa::Engine::gpsimd;
  }

  // The op on the engine whose turn it is.
  TileOp in_turn(int32_t number) {
    TileOp op = code_.ops[number];
    moved_[number] += op.share;
    if (moved_[number] >= 256) {
      moved_[number] -= 256;
      op.engine = op.other;
    }
    return op;
  }

  void put(int32_t value, int copy) {
    const ValuePlan& p = plan_.values[value];
    emitter_.place(value, region_ + static_cast<uint32_t>(p.offset + p.stride * copy));
  }

  void turn_homes(ValuePlan::Home home, int64_t turn) {
    for (size_t v = 0; v < code_.values.size(); ++v)
      if (plan_.values[v].home == home) put(static_cast<int32_t>(v), static_cast<int>(turn % plan_.values[v].copies));
  }

  void next_copy(int32_t value) {
    const ValuePlan& p = plan_.values[value];
    if (p.home != ValuePlan::Home::load && p.home != ValuePlan::Home::stored) return;
    put(value, turn_[value]);
    turn_[value] = (turn_[value] + 1) % p.copies;
  }

  void section(const Section& s, const Frame& frame, bool first) {
    for (int32_t value : s.loads) {
      next_copy(value);
      emitter_.load(value, frame, plan_.values[value].path);
    }
    for (int32_t number : s.ops) run_op(number, frame, s.over_row_tiles && !first);
    for (const TileStore& store : s.stores) emitter_.store(store, frame);
  }

  // With `adds`, a reduction adds to what the row's earlier tiles gave.
  void run_op(int32_t number, const Frame& frame, bool adds) {
    const TileOp op = in_turn(number);
    const int32_t result = op.dst2 >= 0 ? op.dst2 : op.dst;
    if (!adds || op.reduced == 0) {
      next_copy(op.dst);
      if (op.dst2 >= 0) next_copy(op.dst2);
      emitter_.run(op, frame);
      return;
    }
    // An activation_reduce still writes its whole-row result to the next copy.
    if (op.dst2 >= 0) next_copy(op.dst);
    if (emitter_.accumulate_row(op, frame)) return;
    const uint32_t partial = region_ + static_cast<uint32_t>(plan_.values[result].partial + plan_.tile_stride * ((tiles_ - 1) % plan_.tile_copies));
    emitter_.run(op, frame, partial);
    emitter_.accumulate(op, frame, partial);
  }

  // Loops from the outside: loop atoms and tiles of kept atoms; and the reduced atoms of a long row.
  std::pair<std::vector<int>, std::vector<int>> loop_order() const {
    std::vector<int> outer, rows;
    for (size_t a = 0; a < stage_.atoms.size(); ++a) {
      const int atom = static_cast<int>(a);
      if (plan_.chunk.extent[a] >= stage_.atoms[a].size) continue;
      (stage_.atoms[a].role == stage::Atom::Role::reduced ? rows : outer).push_back(atom);
    }
    // Tiles of the partition and free atoms vary fastest: neighbours in memory.
    const auto rank = [&](int atom) {
      for (size_t i = 0; i < stage_.place.free.size(); ++i)
        if (stage_.place.free[i] == atom) return 10 + static_cast<int>(i);
      for (int32_t p : stage_.place.partition)
        if (p == atom) return 5;
      return 0;
    };
    const auto by_rank = [&](int a, int b) { return rank(a) < rank(b); };
    std::stable_sort(outer.begin(), outer.end(), by_rank);
    std::stable_sort(rows.begin(), rows.end(), by_rank);
    return {outer, rows};
  }

  const Stage& stage_;
  TileCode code_;
  TilePlan plan_;
  uint32_t region_;
  TileEmitter emitter_;
  TileEmitter::Places places_;
  std::vector<int> turn_;
  int64_t frames_ = 0, tiles_ = 0;
  std::vector<int> moved_;     // by op: how far its turn on the other engine has come, of 256
};

}  // namespace

void emit_tile_stage(const Stage& stage, Writer& writer) { TileStageEmitter(stage, writer).run(); }

}  // namespace lanewise::compiler::emit
