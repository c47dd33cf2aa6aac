// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What an instruction reads and writes.
//
//   Tile   an access pattern on SBUF or PSUM: partitions x up to four free dimensions (nki.isa rules)
//   Hbm    an access pattern on a buffer in device memory, for DMA only
//   Scalar an immediate, a run-time parameter of the launch, or one value per partition ([P,1] tile)
#pragma once

#include <array>
#include <cstdint>

#include "isa/dtype.h"

namespace lanewise::isa {

enum class Space : uint8_t { none, sbuf, psum };

// One dimension of a pattern: stride in elements (may be 0 or negative), count of elements.
struct FreeDim {
  int32_t stride = 1;
  uint32_t count = 1;
  bool operator==(const FreeDim&) const = default;
};

// Address = offset + register (when `loop_register` >= 0) * register_stride, both in bytes within a partition.
// `dims` are outermost first; with `rank` 0 the tile is one element a partition.
// Quadrant rule: more than 64 partitions start at 0; 33..64 at 0 or 64; up to 32 at 0, 32, 64 or 96.
struct Tile {
  Space space = Space::none;
  DType dtype = DType::f32;
  uint8_t rank = 0;
  int8_t loop_register = -1;
  uint16_t partition = 0;
  uint16_t partitions = 0;
  uint32_t offset = 0;
  int32_t register_stride = 0;
  std::array<FreeDim, 4> dims{};

  bool present() const { return space != Space::none; }
  int64_t elements_per_partition() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[i].count;
    return n;
  }
  bool operator==(const Tile&) const = default;
};

struct HbmDim {
  int64_t stride = 1;  // elements, may be 0 (broadcast on read) or negative
  int64_t count = 1;
  bool operator==(const HbmDim&) const = default;
};

// A pattern on buffer number `buffer` of the program's buffer table. `dims` outermost first.
// When `row_index` is present it is an SBUF tile [P,1] of i32 or i64: partition p of the other side reads (or writes)
// at offset + index[p] * row_stride elements, and `dims` describe one row (indirect DMA, software descriptors).
struct Hbm {
  int32_t buffer = -1;
  DType dtype = DType::f32;
  uint8_t rank = 0;
  int8_t loop_register = -1;
  int64_t offset = 0;            // bytes
  int64_t register_stride = 0;   // bytes per unit of the register
  std::array<HbmDim, 6> dims{};
  Tile row_index{};
  int64_t row_stride = 0;        // elements

  bool present() const { return buffer >= 0; }
  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[i].count;
    return n;
  }
  bool operator==(const Hbm&) const = default;
};

struct Scalar {
  enum class Kind : uint8_t { none, f32, i64, parameter, tile };
  Kind kind = Kind::none;
  float f = 0;
  int64_t i = 0;        // the integer, or the index of the run-time parameter
  Tile tile{};          // kind tile: [P,1], broadcast along the free axis

  bool present() const { return kind != Kind::none; }
  static Scalar of(float v) { Scalar s; s.kind = Kind::f32; s.f = v; return s; }
  static Scalar of_int(int64_t v) { Scalar s; s.kind = Kind::i64; s.i = v; return s; }
  static Scalar of_parameter(int64_t index) { Scalar s; s.kind = Kind::parameter; s.i = index; return s; }
  static Scalar of_tile(const Tile& t) { Scalar s; s.kind = Kind::tile; s.tile = t; return s; }
  bool operator==(const Scalar&) const = default;
};

}  // namespace lanewise::isa
