// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace lanewise::isa {
namespace {

TEST(PatternTest, RangesMatchEnumeration) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Tile t;
    t.space = Space::sbuf;
    t.dtype = static_cast<DType>(random() % kDTypeCount);
    t.rank = static_cast<uint8_t>(random() % 5);
    t.offset = 5000;
    for (int i = 0; i < t.rank; ++i) t.dims[i] = {static_cast<int32_t>(random() % 11) - 5, 1 + static_cast<uint32_t>(random() % 4)};
    t.loop_register = static_cast<int8_t>(random() % 2) - 1;
    t.register_stride = t.loop_register >= 0 ? static_cast<int32_t>(random() % 21) - 10 : 0;
    const int64_t last = static_cast<int64_t>(random() % 6);
    ByteRange expected{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
    const int64_t size = dtype_bytes(t.dtype);
    std::array<uint32_t, 4> at{};
    for (int64_t r = 0; r <= last; ++r)
      for (at[0] = 0; at[0] < t.dims[0].count; ++at[0])
        for (at[1] = 0; at[1] < t.dims[1].count; ++at[1])
          for (at[2] = 0; at[2] < t.dims[2].count; ++at[2])
            for (at[3] = 0; at[3] < t.dims[3].count; ++at[3]) {
              int64_t byte = t.offset + r * t.register_stride;
              for (int i = 0; i < t.rank; ++i) byte += size * t.dims[i].stride * at[static_cast<size_t>(i)];
              expected.begin = std::min(expected.begin, byte);
              expected.end = std::max(expected.end, byte + size);
            }
    EXPECT_EQ(byte_range(t, last), expected);
  }
}

TEST(PatternTest, HugePatternsAreClampedNotWrapped) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  Hbm h;
  h.buffer = 0;
  h.dtype = DType::i64;
  h.rank = 6;
  h.dims.fill({kHuge, kHuge});
  EXPECT_EQ(byte_range(h).end, kHuge);
  EXPECT_EQ(element_count(h), kHuge);
  h.dims.fill({-kHuge, kHuge});
  EXPECT_EQ(byte_range(h).begin, std::numeric_limits<int64_t>::min());
}

}  // namespace
}  // namespace lanewise::isa
