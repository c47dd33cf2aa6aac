// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/convert_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "isa/convert.h"

namespace lanewise::sim::core {
namespace {

using isa::DType;

// Every 16- and 8-bit pattern widens as isa/convert.h says.
template <typename Bits, typename Widen>
void expect_widening(DType dtype, Widen widen) {
  std::vector<Bits> all(size_t{1} << (8 * sizeof(Bits)));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Bits>(i);
  std::vector<float> out(all.size());
  load_row(dtype, reinterpret_cast<const std::byte*>(all.data()), sizeof(Bits), out.data(), static_cast<int64_t>(all.size()));
  for (size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(out[i]), std::bit_cast<uint32_t>(widen(all[i]))) << i;
}

TEST(ConvertRows, WideningIsExact) {
  expect_widening<uint16_t>(DType::bf16, isa::bf16_to_f32);
  expect_widening<uint16_t>(DType::f16, isa::f16_to_f32);
  expect_widening<uint8_t>(DType::f8e4m3, isa::f8e4m3_to_f32);
  expect_widening<uint8_t>(DType::f8e5m2, isa::f8e5m2_to_f32);
}

template <typename Bits, typename Narrow>
void expect_narrowing(DType dtype, Narrow narrow) {
  // All exponents and signs with mantissas that hit ties, their neighbours and random bits.
  std::mt19937 random(1);
  std::vector<float> in;
  for (uint32_t high = 0; high < 512; ++high)
    for (uint32_t low = 0; low < 64; ++low) {
      const uint32_t top = (low & 31) << 18 | (low & 32 ? random() & 0x3ffff : 0);
      for (uint32_t tail : {0u, 1u, 0x3ffffu, 0x20000u, 0x1fffu, 0x1000u, 0xfffu})
        in.push_back(std::bit_cast<float>(high << 23 | (top ^ tail)));
    }
  std::vector<Bits> out(in.size());
  store_row(dtype, in.data(), reinterpret_cast<std::byte*>(out.data()), sizeof(Bits), static_cast<int64_t>(in.size()));
  for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], narrow(in[i])) << in[i];
}

TEST(ConvertRows, NarrowingRoundsToNearestEven) {
  expect_narrowing<uint16_t>(DType::bf16, isa::f32_to_bf16);
  expect_narrowing<uint16_t>(DType::f16, isa::f32_to_f16);
  expect_narrowing<uint8_t>(DType::f8e4m3, isa::f32_to_f8e4m3);
  expect_narrowing<uint8_t>(DType::f8e5m2, isa::f32_to_f8e5m2);
}

template <typename T>
T stored(DType dtype, float value) {
  T out;
  store_row(dtype, &value, reinterpret_cast<std::byte*>(&out), sizeof(T), 1);
  return out;
}

TEST(ConvertRows, FloatToIntegerTruncatesTowardsZero) {
  EXPECT_EQ(stored<int32_t>(DType::i32, 2.9f), 2);
  EXPECT_EQ(stored<int32_t>(DType::i32, -2.9f), -2);
  EXPECT_EQ(stored<int32_t>(DType::i32, 2147483520.0f), 2147483520);
  EXPECT_EQ(stored<int64_t>(DType::i64, -9.2e18f), static_cast<int64_t>(-9.2e18f));
  EXPECT_EQ(stored<uint8_t>(DType::u8, 255.9f), 255);
  EXPECT_EQ(stored<uint8_t>(DType::u8, -1.5f), 255);   // low bits of -1, as PyTorch on x86
  EXPECT_EQ(stored<int8_t>(DType::i8, 130.0f), -126);
  EXPECT_EQ(stored<uint8_t>(DType::b8, std::nanf("")), 1);
  EXPECT_EQ(stored<uint8_t>(DType::b8, -0.0f), 0);
}

TEST(ConvertRows, OutOfRangeAndNanGiveTheSmallestInteger) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  for (float f : {nan, inf, -inf, 2147483648.0f, -2147483904.0f}) {
    EXPECT_EQ(stored<int32_t>(DType::i32, f), std::numeric_limits<int32_t>::min()) << f;
    EXPECT_EQ(stored<int16_t>(DType::i16, f), 0) << f;
  }
  for (float f : {nan, inf, -inf, 0x1p63f}) EXPECT_EQ(stored<int64_t>(DType::i64, f), std::numeric_limits<int64_t>::min());
}

TEST(ConvertRows, IntegersStayExactAndRoundOnceToFloat) {
  const int64_t in[] = {std::numeric_limits<int64_t>::min(), -1, 0, (int64_t{1} << 53) + 1, 300, 16777217};
  int64_t out[6];
  store_row(DType::i64, in, reinterpret_cast<std::byte*>(out), 8, 6);
  EXPECT_EQ(std::memcmp(in, out, sizeof in), 0);
  int8_t narrow[6];
  store_row(DType::i8, in, reinterpret_cast<std::byte*>(narrow), 1, 6);
  EXPECT_EQ(narrow[4], 44);   // low bits of 300
  float f[6];
  store_row(DType::f32, in, reinterpret_cast<std::byte*>(f), 4, 6);
  EXPECT_EQ(f[5], 16777216.0f);
}

TEST(ConvertRows, StridesOfEverySign) {
  const float in[] = {1, 2, 3, 4};
  float out[4];
  load_row(DType::f32, reinterpret_cast<const std::byte*>(in + 3), -4, out, 4);
  EXPECT_EQ(out[0], 4);
  EXPECT_EQ(out[3], 1);
  load_row(DType::f32, reinterpret_cast<const std::byte*>(in + 1), 0, out, 4);
  EXPECT_EQ(out[3], 2);
  load_row(DType::f32, reinterpret_cast<const std::byte*>(in), 8, out, 2);
  EXPECT_EQ(out[1], 3);
}

}  // namespace
}  // namespace lanewise::sim::core
