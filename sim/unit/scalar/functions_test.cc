// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The activation functions against long double libm: dense samples over every exponent, special values, and clones that
// must not differ with the length of a row.
#include "sim/unit/scalar/functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "isa/table.h"

namespace lanewise::sim::scalar {
namespace {

using isa::ActFn;
using Real = long double;

constexpr float kInf = std::numeric_limits<float>::infinity();

int64_t ordinal(float f) {
  const auto bits = std::bit_cast<int32_t>(f);
  return bits < 0 ? int64_t{std::numeric_limits<int32_t>::min()} - bits : bits;
}

float call(ActFn fn, float x) {
  float y;
  function_row(fn)(&x, &y, 1);
  return y;
}

Real reference(ActFn fn, Real x) {
  const Real pi = std::acos(Real{-1});
  switch (fn) {
    case ActFn::copy: return x;
    case ActFn::abs: return std::fabs(x);
    case ActFn::square: return x * x;
    case ActFn::sqrt: return std::sqrt(x);
    case ActFn::rsqrt: return 1 / std::sqrt(x);
    case ActFn::reciprocal: return 1 / x;
    case ActFn::exp: return std::exp(x);
    case ActFn::exp2: return std::exp2(x);
    case ActFn::expm1: return std::expm1(x);
    case ActFn::log: return std::log(x);
    case ActFn::log1p: return std::log1p(x);
    case ActFn::log2: return std::log2(x);
    case ActFn::tanh: return std::tanh(x);
    case ActFn::sigmoid: return 1 / (1 + std::exp(-x));
    case ActFn::silu: return x / (1 + std::exp(-x));
    case ActFn::gelu: return x / 2 * std::erfc(-x * std::sqrt(Real{0.5}));
    case ActFn::gelu_tanh: return x / (1 + std::exp(-2 * std::sqrt(2 / pi) * (x + 0.044715L * x * x * x)));
    case ActFn::erf: return std::erf(x);
    case ActFn::sin: return std::sin(x);
    case ActFn::cos: return std::cos(x);
    case ActFn::tan: return std::tan(x);
    case ActFn::atan: return std::atan(x);
    case ActFn::relu: return x > 0 ? x : std::isnan(x) ? x : Real{0};
    case ActFn::sign: return x > 0 ? 1 : x < 0 ? -1 : x;
    case ActFn::softplus: return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x)));
    case ActFn::floor: return std::floor(x);
    case ActFn::ceil: return std::ceil(x);
    case ActFn::trunc: return std::trunc(x);
    case ActFn::round: return std::nearbyint(x);
    case ActFn::mish: return x * std::tanh(std::log1p(std::exp(x)));
    case ActFn::erfinv: {   // Newton's method on our own answer
      if (std::fabs(x) >= 1 || x == 0) return x == 0 ? x : std::fabs(x) == 1 ? x / 0.0L : std::nanl("");
      Real y = call(ActFn::erfinv, static_cast<float>(x));
      for (int i = 0; i < 4; ++i) {
        const Real error = std::fabs(x) < 0.5L ? std::erf(y) - x
                           : x > 0           ? (1 - x) - std::erfc(y)
                                             : std::erfc(-y) - (1 + x);
        y -= error / (2 / std::sqrt(pi) * std::exp(-y * y));
      }
      return y;
    }
    case ActFn::none: break;
  }
  return 0;
}

class Function : public testing::TestWithParam<int> {};

TEST_P(Function, IsWithinTwoUlpOfTheRoundedResult) {
  const auto fn = static_cast<ActFn>(GetParam());
  constexpr int kPerExponent = 600;
  std::vector<float> x, y(kPerExponent);
  uint32_t state = 12345;
  for (uint32_t high = 0; high < 511; ++high) {   // sign and exponent; the last is NaN and infinity
    x.clear();
    for (int i = 0; i < kPerExponent; ++i) {
      state = state * 1664525u + 1013904223u;
      x.push_back(std::bit_cast<float>(high << 23 | (state >> 9)));
      if (!std::isfinite(x.back())) x.back() = 0;
    }
    function_row(fn)(x.data(), y.data(), kPerExponent);
    for (int i = 0; i < kPerExponent; ++i) {
      const auto want = static_cast<float>(reference(fn, x[static_cast<size_t>(i)]));
      const float got = y[static_cast<size_t>(i)];
      if (std::isnan(want)) ASSERT_TRUE(std::isnan(got)) << x[static_cast<size_t>(i)] << " gives " << got;
      else ASSERT_LE(std::llabs(ordinal(got) - ordinal(want)), 2) << x[static_cast<size_t>(i)] << " gives " << got << ", not " << want;
    }
  }
}

TEST_P(Function, DoesNotDependOnTheLengthOfTheRow) {
  const auto fn = static_cast<ActFn>(GetParam());
  std::vector<float> x(77), whole(77), in_place;
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.37f - 11.0f;
  x[5] = 1e10f, x[6] = kInf, x[7] = std::nanf(""), x[8] = -1e-42f;
  function_row(fn)(x.data(), whole.data(), 77);
  in_place = x;
  function_row(fn)(in_place.data(), in_place.data(), 77);
  for (size_t i = 0; i < x.size(); ++i) {
    const float one = call(fn, x[i]);
    if (std::isnan(one)) {
      EXPECT_TRUE(std::isnan(whole[i]) && std::isnan(in_place[i])) << x[i];
      continue;
    }
    EXPECT_EQ(std::bit_cast<uint32_t>(one), std::bit_cast<uint32_t>(whole[i])) << x[i];
    EXPECT_EQ(std::bit_cast<uint32_t>(one), std::bit_cast<uint32_t>(in_place[i])) << x[i];
  }
}

TEST_P(Function, NanGivesNan) {
  EXPECT_TRUE(std::isnan(call(static_cast<ActFn>(GetParam()), std::nanf(""))));
}

INSTANTIATE_TEST_SUITE_P(All, Function, testing::Range(1, isa::kActFnCount),
                         [](const auto& info) { return std::string(isa::act_fn_name(static_cast<ActFn>(info.param))); });

struct Special {
  ActFn fn;
  float x, y;
};

TEST(Functions, SpecialValues) {
  const float nan = std::nanf("");
  for (const Special& s : std::vector<Special>{
           {ActFn::exp, kInf, kInf}, {ActFn::exp, -kInf, 0}, {ActFn::exp, 89, kInf}, {ActFn::exp, -110, 0},
           {ActFn::log, 0, -kInf}, {ActFn::log, -1, nan}, {ActFn::log, kInf, kInf}, {ActFn::log, 1, 0},
           {ActFn::log1p, -1, -kInf}, {ActFn::log1p, -0.0f, -0.0f}, {ActFn::log2, 8, 3}, {ActFn::expm1, -kInf, -1},
           {ActFn::expm1, -0.0f, -0.0f}, {ActFn::tanh, kInf, 1}, {ActFn::tanh, -kInf, -1}, {ActFn::tanh, -0.0f, -0.0f},
           {ActFn::sigmoid, -kInf, 0}, {ActFn::sigmoid, kInf, 1}, {ActFn::sigmoid, 0, 0.5f}, {ActFn::silu, kInf, kInf},
           {ActFn::silu, -kInf, nan}, {ActFn::gelu, -kInf, nan}, {ActFn::gelu, kInf, kInf}, {ActFn::mish, -kInf, nan},
           {ActFn::erf, kInf, 1}, {ActFn::erf, -kInf, -1}, {ActFn::erf, -0.0f, -0.0f}, {ActFn::sin, kInf, nan},
           {ActFn::cos, -kInf, nan}, {ActFn::tan, kInf, nan}, {ActFn::sin, -0.0f, -0.0f}, {ActFn::cos, 0, 1},
           {ActFn::atan, kInf, 1.57079637f}, {ActFn::atan, -0.0f, -0.0f}, {ActFn::sqrt, -0.0f, -0.0f}, {ActFn::sqrt, -1, nan},
           {ActFn::rsqrt, 0, kInf}, {ActFn::rsqrt, -0.0f, -kInf}, {ActFn::rsqrt, kInf, 0}, {ActFn::reciprocal, -0.0f, -kInf},
           {ActFn::reciprocal, 1e-45f, kInf}, {ActFn::round, 2.5f, 2}, {ActFn::round, -0.4f, -0.0f}, {ActFn::floor, -0.0f, -0.0f},
           {ActFn::floor, -0.5f, -1}, {ActFn::ceil, -0.5f, -0.0f}, {ActFn::trunc, -1.7f, -1}, {ActFn::trunc, 1e30f, 1e30f},
           {ActFn::softplus, -kInf, 0}, {ActFn::softplus, kInf, kInf}, {ActFn::erfinv, 1, kInf}, {ActFn::erfinv, -1, -kInf},
           {ActFn::erfinv, 1.5f, nan}, {ActFn::relu, -kInf, 0}, {ActFn::exp2, -149, 1e-45f}, {ActFn::sign, -0.0f, 0}}) {
    const float y = call(s.fn, s.x);
    if (std::isnan(s.y)) EXPECT_TRUE(std::isnan(y)) << isa::act_fn_name(s.fn) << " of " << s.x;
    else EXPECT_TRUE(y == s.y && std::signbit(y) == std::signbit(s.y)) << isa::act_fn_name(s.fn) << " of " << s.x << " gives " << y;
  }
}

TEST(Functions, HugeAngles) {
  for (float x : {134217728.0f, 134217736.0f, -1e9f, 1e20f, 3.4e38f, -2.3e30f, 16367173.0f * 0x1p72f}) {
    EXPECT_LE(std::llabs(ordinal(call(ActFn::sin, x)) - ordinal(static_cast<float>(std::sin(Real{x})))), 1) << x;
    EXPECT_LE(std::llabs(ordinal(call(ActFn::cos, x)) - ordinal(static_cast<float>(std::cos(Real{x})))), 1) << x;
    EXPECT_LE(std::llabs(ordinal(call(ActFn::tan, x)) - ordinal(static_cast<float>(std::tan(Real{x})))), 1) << x;
  }
}

}  // namespace
}  // namespace lanewise::sim::scalar
