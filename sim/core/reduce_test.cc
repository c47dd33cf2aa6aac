// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace lanewise::sim::core {
namespace {

using isa::AluOp;

template <typename T>
T reduced(AluOp op, const std::vector<T>& v, int64_t chunk = 1 << 20) {
  Reducer<T> r(op);
  for (size_t i = 0; i < v.size(); i += static_cast<size_t>(chunk))
    r.add(v.data() + i, std::min<int64_t>(chunk, static_cast<int64_t>(v.size() - i)));
  return r.finish();
}

TEST(Reduce, AMillionOnesLikeValuesStayAccurate) {
  std::mt19937 random(1);
  std::vector<float> v(1'000'000);
  double exact = 0;
  for (float& f : v) {
    f = std::uniform_real_distribution<float>(0.5f, 1.5f)(random);
    exact += f;
  }
  EXPECT_NEAR(reduced(AluOp::add, v) / exact, 1.0, 3e-7);
  // One accumulator would stop growing at 2^24.
  EXPECT_EQ(reduced(AluOp::add, std::vector<float>(40'000'000, 1.0f)), 40'000'000.0f);
}

TEST(Reduce, DoesNotDependOnTheTiling) {
  std::mt19937 random(2);
  std::vector<float> v(10'007);
  for (float& f : v) f = std::uniform_real_distribution<float>(-1, 1)(random);
  const float whole = reduced(AluOp::add, v);
  for (int64_t chunk : {128, 256, 1024, 2048}) EXPECT_EQ(reduced(AluOp::add, v, chunk), whole) << chunk;
}

TEST(Reduce, SpecialValues) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::signbit(reduced<float>(AluOp::add, {-0.0f, -0.0f})));
  EXPECT_FALSE(std::signbit(reduced<float>(AluOp::add, {-0.0f, 0.0f})));
  EXPECT_TRUE(std::isnan(reduced<float>(AluOp::maximum, {1, nan, 3})));
  EXPECT_TRUE(std::isnan(reduced<float>(AluOp::minimum, {nan, 1, 3})));
  EXPECT_TRUE(std::isnan(reduced<float>(AluOp::add, {inf, -inf})));
  EXPECT_EQ(reduced<float>(AluOp::maximum, {-inf, -5}), -5);
  EXPECT_EQ(reduced<float>(AluOp::logical_and, {5.0f}), 1.0f);
  EXPECT_EQ(reduced<float>(AluOp::logical_or, {0.0f, nan}), 1.0f);
}

TEST(Reduce, IntegersAreExact) {
  std::vector<int64_t> v(1000, (int64_t{1} << 53) + 1);
  EXPECT_EQ(reduced(AluOp::add, v), ((int64_t{1} << 53) + 1) * 1000);
  EXPECT_EQ(reduced<int64_t>(AluOp::bitwise_xor, {6, 3, 1}), 4);
  EXPECT_EQ(reduced<int64_t>(AluOp::maximum, {std::numeric_limits<int64_t>::min(), -7}), -7);
  EXPECT_EQ(reduced<int64_t>(AluOp::add, {std::numeric_limits<int64_t>::max(), 1}), std::numeric_limits<int64_t>::min());
}

TEST(Reduce, RefusesWhatDoesNotReduce) {
  EXPECT_FALSE(Reducer<float>::legal(AluOp::divide));
  EXPECT_FALSE(Reducer<float>::legal(AluOp::bitwise_or));
  EXPECT_TRUE(Reducer<int64_t>::legal(AluOp::bitwise_or));
}

}  // namespace
}  // namespace lanewise::sim::core
