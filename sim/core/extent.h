// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The exact set of bytes that an access pattern touches.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/operand.h"
#include "sim/core/memory.h"

namespace lanewise::sim::core {

// Bytes of one partition (or of a buffer) in normal form: positive strides, smallest first, contiguous parts joined.
// An extent is a base run of `run` bytes at `begin`, repeated along each dimension.
struct Extent {
  int64_t begin = 0, end = 0;   // bounding range
  int64_t run = 0;              // bytes that lie together
  int rank = 0;
  struct Dim {
    int64_t count, stride;
  };
  std::array<Dim, kMaxRank> dims{};

  bool operator==(const Extent& o) const;
  int64_t pieces() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[i].count;
    return n;
  }
  // The pieces in order, touching ones joined.
  std::vector<ByteRange> ranges() const;
  // Whether both touch a common byte.
  bool meets(const Extent& other) const;
};

Extent extent_of(const isa::Tile& tile, const Registers& registers);
Extent extent_of(const isa::Hbm& pattern, const Registers& registers);   // row index not applied

}  // namespace lanewise::sim::core
