// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Exhaustive over the narrow formats: every value survives the round trip, and between every two neighbours the
// midpoint goes to the even one while the f32 values just below and above it go to the nearer one.
#include "isa/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lanewise::isa {
namespace {

struct Narrow {
  const char* name;
  uint32_t (*narrow)(float);
  float (*widen)(uint32_t);
  uint32_t sign;         // sign bit
  uint32_t last_finite;  // largest finite magnitude
  uint32_t overflow;     // what a larger value becomes
};

const Narrow kFormats[] = {
    {"bf16", [](float f) -> uint32_t { return f32_to_bf16(f); },
     [](uint32_t b) { return bf16_to_f32(static_cast<uint16_t>(b)); }, 0x8000, 0x7f7f, 0x7f80},
    {"f16", [](float f) -> uint32_t { return f32_to_f16(f); },
     [](uint32_t b) { return f16_to_f32(static_cast<uint16_t>(b)); }, 0x8000, 0x7bff, 0x7c00},
    {"f8e4m3", [](float f) -> uint32_t { return f32_to_f8e4m3(f); },
     [](uint32_t b) { return f8e4m3_to_f32(static_cast<uint8_t>(b)); }, 0x80, 0x7e, 0x7f},
    {"f8e5m2", [](float f) -> uint32_t { return f32_to_f8e5m2(f); },
     [](uint32_t b) { return f8e5m2_to_f32(static_cast<uint8_t>(b)); }, 0x80, 0x7b, 0x7c},
};

class ConvertTest : public testing::TestWithParam<Narrow> {};

TEST_P(ConvertTest, EveryFiniteValueSurvivesAndIsOrdered) {
  const Narrow& n = GetParam();
  for (uint32_t b = 0; b <= n.last_finite; ++b) {
    EXPECT_EQ(n.narrow(n.widen(b)), b);
    EXPECT_EQ(n.narrow(n.widen(b | n.sign)), b | n.sign);
    EXPECT_EQ(n.widen(b | n.sign), -n.widen(b));
    EXPECT_TRUE(std::signbit(n.widen(b | n.sign)));
    if (b > 0) { EXPECT_GT(n.widen(b), n.widen(b - 1)); }
  }
}

TEST_P(ConvertTest, BetweenEveryTwoNeighboursTiesGoToEven) {
  const Narrow& n = GetParam();
  for (uint32_t b = 0; b < n.last_finite; ++b) {
    const double low = n.widen(b), high = n.widen(b + 1);
    const float middle = static_cast<float>((low + high) / 2);
    if (static_cast<double>(middle) == (low + high) / 2) {  // bf16's smallest denormals have midpoints in f32 as well
      const uint32_t even = (b & 1) == 0 ? b : b + 1;
      EXPECT_EQ(n.narrow(middle), even) << n.name << " " << b;
      EXPECT_EQ(n.narrow(-middle), even | n.sign);
    }
    EXPECT_EQ(n.narrow(std::nextafterf(middle, static_cast<float>(low))), b);
    EXPECT_EQ(n.narrow(std::nextafterf(middle, static_cast<float>(high))), b + 1);
    EXPECT_EQ(n.narrow(std::nextafterf(static_cast<float>(low), static_cast<float>(high))), b);
    EXPECT_EQ(n.narrow(std::nextafterf(static_cast<float>(high), static_cast<float>(low))), b + 1);
  }
}

TEST_P(ConvertTest, OverflowInfinityAndNan) {
  const Narrow& n = GetParam();
  const double step = static_cast<double>(n.widen(n.last_finite)) - n.widen(n.last_finite - 1);
  const float tie = static_cast<float>(n.widen(n.last_finite) + step / 2);
  // The tie above the largest value: its mantissa decides, as if the format went on.
  EXPECT_EQ(n.narrow(tie), (n.last_finite & 1) == 0 ? n.last_finite : n.overflow);
  EXPECT_EQ(n.narrow(std::nextafterf(tie, 0)), n.last_finite);
  EXPECT_EQ(n.narrow(std::nextafterf(tie, std::numeric_limits<float>::infinity())), n.overflow);
  EXPECT_EQ(n.narrow(-std::numeric_limits<float>::max()), n.overflow | n.sign);
  EXPECT_EQ(n.narrow(std::numeric_limits<float>::infinity()), n.overflow);
  EXPECT_EQ(n.narrow(-std::numeric_limits<float>::infinity()), n.overflow | n.sign);
  for (uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffffffffu, 0x7fffffffu}) {
    const uint32_t narrow = n.narrow(std::bit_cast<float>(bits));
    EXPECT_TRUE(std::isnan(n.widen(narrow)));
    EXPECT_EQ((narrow & n.sign) != 0, (bits >> 31) != 0);
  }
}

TEST_P(ConvertTest, EveryEncodingAboveTheLastFiniteValueIsInfinityOrNan) {
  const Narrow& n = GetParam();
  for (uint32_t b = n.last_finite + 1; b < n.sign; ++b) {
    const float wide = n.widen(b);
    const bool infinite = b == n.overflow && n.overflow != n.sign - 1;
    EXPECT_EQ(std::isinf(wide), infinite) << n.name << " " << b;
    EXPECT_EQ(std::isnan(wide), !infinite);
  }
}

TEST_P(ConvertTest, DenormalsBelowTheSmallestValue) {
  const Narrow& n = GetParam();
  const float smallest = n.widen(1);
  EXPECT_EQ(n.narrow(smallest / 2), 0u);  // tie to even: zero
  EXPECT_EQ(n.narrow(std::nextafterf(smallest / 2, 1)), 1u);
  EXPECT_EQ(n.narrow(-std::numeric_limits<float>::denorm_min()), n.sign);
  EXPECT_EQ(n.narrow(0.0f), 0u);
  EXPECT_EQ(n.narrow(-0.0f), n.sign);
}

INSTANTIATE_TEST_SUITE_P(Formats, ConvertTest, testing::ValuesIn(kFormats),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ConvertTest, KnownValues) {
  EXPECT_EQ(f32_to_bf16(1.0f), 0x3f80);
  EXPECT_EQ(f32_to_f16(65504.0f), 0x7bff);
  EXPECT_EQ(f32_to_f16(5.9604645e-8f), 0x0001);
  EXPECT_EQ(f8e4m3_to_f32(0x7e), 448.0f);
  EXPECT_EQ(f8e4m3_to_f32(0x01), 0.001953125f);
  EXPECT_EQ(f8e5m2_to_f32(0x7b), 57344.0f);
  EXPECT_EQ(f32_to_f8e4m3(464.0f), 0x7e);
  EXPECT_EQ(f32_to_f8e4m3(465.0f), 0x7f);
  static_assert(f32_to_f8e5m2(1.0f) == 0x3c);
}

}  // namespace
}  // namespace lanewise::isa
