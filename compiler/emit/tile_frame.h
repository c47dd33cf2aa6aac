// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One tile of a stage: which part of every atom it covers, and the operands that follow from that.
#pragma once

#include <array>
#include <vector>

#include "compiler/emit/tile_ops.h"
#include "compiler/stage/stage.h"
#include "isa/instruction.h"

namespace lanewise::compiler::emit {

// The part [base, base + extent) of every atom.
struct Frame {
  std::array<int64_t, stage::kMaxAtoms> base{}, extent{};
};

// A walk over free atoms: one entry a loop, outermost first; strides of each operand in elements.
inline constexpr int kMaxWalkOperands = 4;
struct WalkDim {
  int64_t count = 1;
  std::array<int64_t, kMaxWalkOperands> stride{};
};
using Walk = std::vector<WalkDim>;

// Drops dimensions of one element and joins neighbours that every operand walks as one.
Walk merged(const Walk& walk, int operands);

class FrameTiles {
 public:
  explicit FrameTiles(const stage::Stage& stage) : stage_(stage) {}

  int64_t partitions(const Frame& frame) const;
  // Elements a partition of a value over `atoms`.
  int64_t elements(const Frame& frame, AtomMask atoms) const;
  // Stride of a free atom in a compact tile over `atoms` (free atoms in their placed order), 0 if it is not in it.
  int64_t stride(const Frame& frame, AtomMask atoms, int atom) const;
  // The device-memory pattern of the frame: partition atoms, then the free atoms of `atoms` in their placed order.
  isa::Hbm hbm(const Frame& frame, const stage::Access& access, AtomMask atoms) const;
  // The same elements as a compact tile.
  isa::Tile tile(const Frame& frame, AtomMask atoms, isa::DType dtype, uint32_t offset) const;

 private:
  const stage::Stage& stage_;
};

// Writes the dimensions of operand `which` of a merged walk into a tile.
void set_dims(isa::Tile& tile, const Walk& walk, int which);

}  // namespace lanewise::compiler::emit
