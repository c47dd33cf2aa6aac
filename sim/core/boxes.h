// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Bounding boxes of tiles, for the question whether an instruction needs a result that is still in its engine's
// pipeline.
#pragma once

#include <array>

#include "base/units.h"
#include "isa/instruction.h"
#include "sim/core/memory.h"

namespace lanewise::sim::core {

struct Box {
  isa::Space space = isa::Space::none;
  int32_t first = 0, last = 0;     // partitions, last excluded
  int64_t begin = 0, end = 0;      // bytes of a partition

  bool meets(const Box& o) const {
    return space == o.space && first < o.last && o.first < last && begin < o.end && o.begin < end;
  }
};

inline Box box_of(const isa::Tile& t, const Registers& registers) {
  const ByteRange r = free_range(t);
  const int64_t moved = t.loop_register >= 0 ? registers[t.loop_register] * int64_t{t.register_stride} : 0;
  return {t.space, t.partition, t.partition + t.partitions, r.begin + moved, r.end + moved};
}

// The writes of one engine that have not reached memory yet. An engine is in order and its pipeline short, so a handful
// is enough; an older write than the last eight is taken as done.
class InFlight {
 public:
  // When the youngest write that `in` reads or overwrites in part is done; Picos(0) when none is in flight at `now`.
  Picos done(const isa::Instruction& in, const Registers& registers, Picos now) const {
    Picos t;
    bool any = false;
    for (const Write& w : writes_) any |= w.done > now;
    if (!any) return t;
    for (const isa::Tile* tile : {&in.src0, &in.src1, &in.src2, &in.scalar0.tile, &in.scalar1.tile,
                                  &in.hbm_src.row_index, &in.hbm_dst.row_index}) {
      if (!tile->present()) continue;
      const Box read = box_of(*tile, registers);
      for (const Write& w : writes_)
        if (w.done > now && w.box.meets(read)) t = std::max(t, w.done);
    }
    return t;
  }
  void add(const isa::Tile& tile, const Registers& registers, Picos done) {
    writes_[next_] = {box_of(tile, registers), done};
    next_ = (next_ + 1) % writes_.size();
  }

 private:
  struct Write {
    Box box;
    Picos done;
  };
  std::array<Write, 8> writes_{};
  size_t next_ = 0;
};

}  // namespace lanewise::sim::core
