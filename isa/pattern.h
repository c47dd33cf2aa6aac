// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes an access pattern covers.
#pragma once

#include <cstdint>

#include "isa/operand.h"

namespace lanewise::isa {

// Bytes [begin, end). Patterns too large for 64 bits are clamped, so that a comparison with a real size still fails.
struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const ByteRange&) const = default;
};

// Smallest range that holds every element of the pattern while its loop register takes values between 0 and
// `last_register_value`: within one partition for a tile, within the buffer for an Hbm pattern (of an indirect one: the
// row of index 0). Every count must be at least 1.
ByteRange byte_range(const Tile& tile, int64_t last_register_value = 0);
ByteRange byte_range(const Hbm& hbm, int64_t last_register_value = 0);

// Product of the counts, clamped to int64.
int64_t element_count(const Tile& tile);   // of one partition
int64_t element_count(const Hbm& hbm);     // of one row when indirect

}  // namespace lanewise::isa
