// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/pattern.h"

#include <limits>

namespace lanewise::isa {
namespace {

// Strides and counts are the user's: six products of two 63-bit numbers need more than 64 bits. Products are formed in
// 128 bits and clamped to what leaves room for the sums.
using Wide = __int128;
constexpr Wide kBound = Wide{1} << 120;

Wide clamp(Wide v) { return v < -kBound ? -kBound : v > kBound ? kBound : v; }

int64_t narrow(Wide v) {
  constexpr int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  return v < low ? low : v > high ? high : static_cast<int64_t>(v);
}

void extend(Wide& low, Wide& high, Wide distance) {
  if (distance < 0) low = clamp(low + distance);
  else high = clamp(high + distance);
}

template <typename Pattern>
ByteRange range_of(const Pattern& p, int64_t last_register_value) {
  const Wide size = dtype_bytes(p.dtype);
  Wide low = p.offset, high = p.offset;
  for (int i = 0; i < p.rank; ++i)
    extend(low, high, clamp(Wide{p.dims[i].stride} * (Wide{p.dims[i].count} - 1)) * size);
  if (p.loop_register >= 0) extend(low, high, clamp(Wide{p.register_stride} * last_register_value));
  return {narrow(low), narrow(high + size)};
}

template <typename Pattern>
int64_t count_of(const Pattern& p) {
  Wide n = 1;
  for (int i = 0; i < p.rank; ++i) n = Wide{narrow(n)} * p.dims[i].count;
  return narrow(n);
}

}  // namespace

ByteRange byte_range(const Tile& tile, int64_t last_register_value) { return range_of(tile, last_register_value); }
ByteRange byte_range(const Hbm& hbm, int64_t last_register_value) { return range_of(hbm, last_register_value); }
int64_t element_count(const Tile& tile) { return count_of(tile); }
int64_t element_count(const Hbm& hbm) { return count_of(hbm); }

}  // namespace lanewise::isa
