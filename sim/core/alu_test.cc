// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/alu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace lanewise::sim::core {
namespace {

using isa::AluOp;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

float apply(AluOp op, float a, float b) {
  float out;
  float_row(op)(&a, &b, &out, 1);
  return out;
}
int64_t apply(AluOp op, int64_t a, int64_t b) {
  int64_t out;
  integer_row(op)(&a, &b, &out, 1);
  return out;
}

TEST(Alu, DivisionByZero) {
  EXPECT_EQ(apply(AluOp::divide, 1.0f, 0.0f), kInf);
  EXPECT_EQ(apply(AluOp::divide, 1.0f, -0.0f), -kInf);
  EXPECT_TRUE(std::isnan(apply(AluOp::divide, 0.0f, 0.0f)));
  EXPECT_EQ(apply(AluOp::floor_divide, -1.0f, 0.0f), -kInf);
  EXPECT_TRUE(std::isnan(apply(AluOp::fmod, 1.0f, 0.0f)));
  EXPECT_TRUE(std::isnan(apply(AluOp::remainder, 1.0f, 0.0f)));
  for (AluOp op : {AluOp::divide, AluOp::floor_divide, AluOp::fmod, AluOp::remainder}) EXPECT_EQ(apply(op, int64_t{7}, 0), 0);
}

TEST(Alu, RemaindersTakeTheSignOfTheDivisor) {
  EXPECT_EQ(apply(AluOp::fmod, -7.0f, 3.0f), -1.0f);
  EXPECT_EQ(apply(AluOp::remainder, -7.0f, 3.0f), 2.0f);
  EXPECT_EQ(apply(AluOp::remainder, 7.0f, -3.0f), -2.0f);
  EXPECT_EQ(apply(AluOp::remainder, int64_t{-7}, 3), 2);
  EXPECT_EQ(apply(AluOp::floor_divide, int64_t{-7}, 3), -3);
  EXPECT_EQ(apply(AluOp::divide, int64_t{-7}, 3), -2);
  EXPECT_EQ(apply(AluOp::floor_divide, -7.0f, 3.0f), -3.0f);
  EXPECT_EQ(apply(AluOp::fmod, 5.0f, kInf), 5.0f);
  EXPECT_TRUE(std::isnan(apply(AluOp::fmod, kInf, 5.0f)));
}

TEST(Alu, FmodIsExactAtEveryQuotient) {
  std::mt19937 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const float a = std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random), static_cast<int>(random() % 120) - 60);
    const float b = std::ldexp(std::uniform_real_distribution<float>(-1, 1)(random), static_cast<int>(random() % 120) - 60);
    ASSERT_EQ(std::bit_cast<uint32_t>(scalar_op::fmod(a, b)), std::bit_cast<uint32_t>(std::fmod(a, b))) << a << " " << b;
  }
  // Quotients next to an integer, where a rounded division would be one off.
  for (int i = 0; i < 200'000; ++i) {
    const float b = std::uniform_real_distribution<float>(0.1f, 10)(random);
    float a = b * static_cast<float>(random() % 100000);
    if (i % 3 == 1) a = std::nextafter(a, kInf);
    if (i % 3 == 2) a = std::nextafter(a, -kInf);
    ASSERT_EQ(scalar_op::fmod(a, b), std::fmod(a, b)) << a << " " << b;
  }
}

TEST(Alu, MaximumAndMinimumPropagateNan) {
  for (AluOp op : {AluOp::maximum, AluOp::minimum}) {
    EXPECT_TRUE(std::isnan(apply(op, kNan, 1.0f)));
    EXPECT_TRUE(std::isnan(apply(op, 1.0f, kNan)));
  }
  EXPECT_EQ(apply(AluOp::maximum, -kInf, 2.0f), 2.0f);
}

TEST(Alu, ComparisonsWithNan) {
  EXPECT_EQ(apply(AluOp::equal, kNan, kNan), 0.0f);
  EXPECT_EQ(apply(AluOp::not_equal, kNan, kNan), 1.0f);
  EXPECT_EQ(apply(AluOp::less, kNan, 1.0f), 0.0f);
  EXPECT_EQ(apply(AluOp::greater_equal, kNan, 1.0f), 0.0f);
  EXPECT_EQ(apply(AluOp::logical_and, kNan, 1.0f), 1.0f);
}

TEST(Alu, DenormalsAreKept) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(apply(AluOp::add, tiny, tiny), 2 * tiny);
  EXPECT_EQ(apply(AluOp::multiply, 0x1p-100f, 0x1p-49f), tiny);
  EXPECT_EQ(apply(AluOp::multiply, 0x1p-100f, 0x1p-50f), 0.0f);   // a tie goes to even
}

TEST(Alu, PowerAsC) {
  for (float a : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, kInf, -kInf, kNan, 3.5f, -3.0f, 1e-40f, 3e38f})
    for (float b : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 3.0f, -3.0f, 0.5f, kInf, -kInf, kNan, 1e30f, -1e30f, 16777217.0f, 7.25f}) {
      const float r = apply(AluOp::power, a, b), want = static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
      if (std::isnan(want)) EXPECT_TRUE(std::isnan(r)) << a << "^" << b;
      else EXPECT_EQ(std::bit_cast<uint32_t>(r), std::bit_cast<uint32_t>(want)) << a << "^" << b;
    }
  std::mt19937 random(4);
  for (int i = 0; i < 100'000; ++i) {
    const float a = std::ldexp(std::uniform_real_distribution<float>(0.5f, 1)(random), static_cast<int>(random() % 40) - 20);
    const float b = std::uniform_real_distribution<float>(-8, 8)(random);
    const float want = static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
    const float r = apply(AluOp::power, a, b);
    ASSERT_TRUE(r == want || std::nextafter(r, want) == want) << a << "^" << b;
  }
  EXPECT_EQ(apply(AluOp::power, int64_t{3}, 4), 81);
  EXPECT_EQ(apply(AluOp::power, int64_t{2}, -1), 0);
  EXPECT_EQ(apply(AluOp::power, int64_t{-1}, -3), -1);
}

TEST(Alu, IntegersWrapAndShiftsAreTotal) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(apply(AluOp::subtract, kMin, 1), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(apply(AluOp::divide, kMin, -1), kMin);
  EXPECT_EQ(apply(AluOp::remainder, kMin, -1), 0);
  EXPECT_EQ(apply(AluOp::shift_left, int64_t{1}, 63), kMin);
  EXPECT_EQ(apply(AluOp::shift_left, int64_t{1}, 64), 0);
  EXPECT_EQ(apply(AluOp::shift_left, int64_t{1}, -1), 0);
  EXPECT_EQ(apply(AluOp::shift_right, int64_t{-8}, 1), -4);
  EXPECT_EQ(apply(AluOp::shift_right, int64_t{-8}, 100), -1);
}

TEST(Alu, FloatsHaveNoBitwiseOperations) {
  for (AluOp op : {AluOp::none, AluOp::bitwise_and, AluOp::shift_left}) EXPECT_EQ(float_row(op), nullptr);
  EXPECT_NE(integer_row(AluOp::bitwise_and), nullptr);
}

}  // namespace
}  // namespace lanewise::sim::core
