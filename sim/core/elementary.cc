// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/elementary.h"

namespace lanewise::sim::core::elementary {

// x = m * 2^e with a 24-bit integer m. Bits of 2/pi that weigh 4 or more after scaling by 2^e only add whole turns, so
// a window of 96 bits that starts at weight 2 gives quadrant and fraction; m times the window fits 128 bits.
Angle reduce_exactly(float x) {
  static constexpr uint32_t kTwoOverPi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                            0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a};
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const int e = static_cast<int>((bits >> 23) & 0xff) - 150;
  const uint64_t m = (bits & 0x7fffffu) | 0x800000u;
  if (e < 2) return reduce(x);
  unsigned __int128 window = 0;
  for (int i = 0; i < 96; ++i) {
    const int bit = e - 2 + i;   // bit b of the table weighs 2^-(b+1); after scaling bit e-2 weighs 2
    window = window << 1 | ((kTwoOverPi[bit / 32] >> (31 - bit % 32)) & 1u);
  }
  const unsigned __int128 mask = (static_cast<unsigned __int128>(1) << 96) - 1;
  const unsigned __int128 product = (window * m) & mask;       // in units of 2^-94 quadrants, whole turns gone
  uint64_t quadrant = static_cast<uint64_t>(product >> 94);
  __int128 fraction = static_cast<__int128>(product & ((static_cast<unsigned __int128>(1) << 94) - 1));
  if (fraction >> 93) {
    fraction -= static_cast<__int128>(1) << 94;
    ++quadrant;
  }
  const double r = static_cast<double>(static_cast<int64_t>(fraction >> 32)) * 0x1p-62 * 0x1.921fb54442d18p+0;
  const bool negative = bits >> 31;
  return {negative ? -r : r, (negative ? 4 - (quadrant & 3) : quadrant) & 3};
}

}  // namespace lanewise::sim::core::elementary
