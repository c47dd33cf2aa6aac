// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, comparisons and activations: values by hand, and the rules of promotion.
#include <limits>

#include "compiler/aten/host_run_check.h"
#include "compiler/aten/promotion.h"

namespace lanewise::compiler::aten {
namespace {

using isa::DType;

constexpr double kInf = INFINITY, kNan = NAN;

TEST(Promotion, RanksBeforeKinds) {
  struct { DType a; bool zero_dim_a; DType b; bool zero_dim_b; DType expected; } cases[] = {
      {DType::bf16, false, DType::f32, false, DType::f32},   // two tensors: the wider
      {DType::bf16, false, DType::f32, true, DType::bf16},   // a 0-dim tensor of the same kind does not widen
      {DType::i32, false, DType::i64, true, DType::i32},
      {DType::i64, false, DType::bf16, true, DType::bf16},   // but a higher kind does
      {DType::bf16, false, DType::f16, false, DType::f32},
      {DType::u8, false, DType::i8, false, DType::i16},
      {DType::u8, false, DType::i32, false, DType::i32},
      {DType::b8, false, DType::u8, false, DType::u8},
  };
  for (const auto& c : cases) {
    Promotion promotion;
    promotion.add_tensor(c.a, c.zero_dim_a);
    promotion.add_tensor(c.b, c.zero_dim_b);
    EXPECT_EQ(promotion.result(), c.expected) << isa::dtype_name(c.a) << " " << isa::dtype_name(c.b);
  }
  Promotion with_number;
  with_number.add_tensor(DType::f16, false);
  with_number.add_number(DType::f32);
  EXPECT_EQ(with_number.result(), DType::f16);
}

TEST(Pointwise, BroadcastsAndPromotes) {
  expect_result(one_call({"f32[2,1]{1,1}", "f32[3]{1}"}, "aten::sub.Tensor(%a, %b) -> f32[2,3]{3,1}"), {{1, 2}, {10, 20, 30}},
                {-9, -19, -29, -8, -18, -28});
  expect_result(one_call({"i64[2]{1}", "f32[]{}"}, "aten::mul.Tensor(%a, %b) -> f32[2]{1}"), {{3, -4}, {0.5}}, {1.5, -2});
  expect_result(one_call({"i64[2]{1}"}, "aten::mul.Tensor(%a, 4611686018427387904) -> i64[2]{1}"), {{2, 4}}, {-9.223372036854775808e18, 0});
  expect_result(one_call({"u8[2]{1}"}, "aten::add.Tensor(%a, 250) -> u8[2]{1}"), {{3, 10}}, {253, 4});
}

// 1 + 2^-9 is not a bf16, so a rounding between the two operations would lose it.
TEST(Pointwise, AHalfTypeOpRoundsOnce) {
  expect_result(one_call({"bf16[1]{1}"}, "aten::add.Tensor(%a, 0.001953125, 1) -> bf16[1]{1}"), {{1}}, {1});
  expect_result(one_call({"bf16[1]{1}", "bf16[1]{1}"}, "aten::addcmul(%a, %b, %b, 2.0) -> bf16[1]{1}"), {{-1}, {1.0078125}},
                {1.03125});
}

TEST(Pointwise, AComparisonRoundsItsNumber) {
  // 0.1 is 0.10009765625 as bf16.
  expect_result(one_call({"bf16[1]{1}"}, "aten::eq.Scalar(%a, 0.1) -> bool[1]{1}"), {{0.10009765625}}, {1});
  expect_result(one_call({"i64[2]{1}"}, "aten::lt.Scalar(%a, 2.5) -> bool[2]{1}"), {{2, 3}}, {1, 0});
  expect_result(one_call({"f32[2]{1}"}, "aten::ge.Scalar(%a, $0) -> bool[2]{1}") + "params f64", {{2, 3}}, {0, 1}, {{2.5, 0}});
}

TEST(Pointwise, Division) {
  const std::string i = "i64[4]{1}", f = "f32[4]{1}";
  const Values a{7, -7, 7, -7}, b{2, 2, -2, -2};
  expect_result(one_call({i, i}, "aten::div.Tensor(%a, %b) -> f32[4]{1}"), {a, b}, {3.5, -3.5, -3.5, 3.5});
  expect_result(one_call({i, i}, "aten::div.Tensor_mode(%a, %b, \"trunc\") -> i64[4]{1}"), {a, b}, {3, -3, -3, 3});
  expect_result(one_call({i, i}, "aten::div.Tensor_mode(%a, %b, \"floor\") -> i64[4]{1}"), {a, b}, {3, -4, -4, 3});
  expect_result(one_call({f, f}, "aten::floor_divide(%a, %b) -> f32[4]{1}"), {a, b}, {3, -4, -4, 3});
  expect_result(one_call({f, f}, "aten::remainder.Tensor(%a, %b) -> f32[4]{1}"), {a, b}, {1, 1, -1, -1});
  expect_result(one_call({f, f}, "aten::fmod.Tensor(%a, %b) -> f32[4]{1}"), {a, b}, {1, -1, 1, -1});
  expect_result(one_call({"f32[3]{1}"}, "aten::div.Tensor(%a, 0.0) -> f32[3]{1}"), {{1, -1, 0}}, {kInf, -kInf, kNan});
}

TEST(Pointwise, Powers) {
  const std::string f = "f32[3]{1}";
  expect_result(one_call({f}, "aten::pow.Tensor_Scalar(%a, 2) -> f32[3]{1}"), {{-3, 0, 1.5}}, {9, 0, 2.25});
  expect_result(one_call({f}, "aten::pow.Tensor_Scalar(%a, -0.5) -> f32[3]{1}"), {{4, 0, -1}}, {0.5, kInf, kNan});
  expect_result(one_call({f}, "aten::pow.Tensor_Scalar(%a, $0) -> f32[3]{1}") + "params f64", {{4, 9, 2}}, {8, 27, 2.8284271}, {{1.5, 0}});
  expect_result(one_call({"i64[3]{1}"}, "aten::pow.Tensor_Scalar(%a, 3) -> i64[3]{1}"), {{-3, 0, 2097152}}, {-27, 0, -9223372036854775808.0});
  expect_result(one_call({"f32[2]{1}"}, "aten::pow.Scalar(2.0, %a) -> f32[2]{1}"), {{3, -1}}, {8, 0.5});
}

TEST(Pointwise, Bools) {
  const std::string b = "bool[4]{1}";
  const Values p{0, 0, 1, 1}, q{0, 1, 0, 1};
  expect_result(one_call({b, b}, "aten::add.Tensor(%a, %b) -> bool[4]{1}"), {p, q}, {0, 1, 1, 1});
  expect_result(one_call({b, b}, "aten::mul.Tensor(%a, %b) -> bool[4]{1}"), {p, q}, {0, 0, 0, 1});
  expect_result(one_call({b, b}, "aten::logical_xor(%a, %b) -> bool[4]{1}"), {p, q}, {0, 1, 1, 0});
  expect_result(one_call({b}, "aten::bitwise_not(%a) -> bool[4]{1}"), {p}, {1, 1, 0, 0});
  expect_result(one_call({"u8[2]{1}"}, "aten::bitwise_not(%a) -> u8[2]{1}"), {{0, 3}}, {255, 252});
}

TEST(Pointwise, ZeroKeepsItsSign) {
  const auto values = run_text(one_call({"f32[2]{1}"}, "aten::neg(%a) -> f32[2]{1}"), {{0, -0.0}});
  ASSERT_EQ(values.size(), 2u);
  EXPECT_TRUE(std::signbit(values[1][0]));
  EXPECT_FALSE(std::signbit(values[1][1]));
}

TEST(Pointwise, NanPropagates) {
  expect_result(one_call({"f32[3]{1}"}, "aten::clamp(%a, -1, 1) -> f32[3]{1}"), {{kNan, 5, -kInf}}, {kNan, 1, -1});
  expect_result(one_call({"f32[2]{1}", "f32[2]{1}"}, "aten::maximum(%a, %b) -> f32[2]{1}"), {{kNan, 1}, {1, kNan}}, {kNan, kNan});
  expect_result(one_call({"f32[3]{1}"}, "aten::isfinite(%a) -> bool[3]{1}"), {{kNan, kInf, 1}}, {0, 0, 1});
}

TEST(Pointwise, Choosing) {
  expect_result(one_call({"bool[2]{1}", "f32[2,1]{1,1}"}, "aten::where.ScalarOther(%a, %b, 7.0) -> f32[2,2]{2,1}"), {{1, 0}, {1, 2}},
                {1, 7, 2, 7});
  expect_result(one_call({"f32[3]{1}", "bool[3]{1}"}, "aten::masked_fill.Scalar(%a, %b, $0) -> f32[3]{1}") + "params f64",
                {{1, 2, 3}, {0, 1, 0}}, {1, -kInf, 3}, {{-kInf, 0}});
}

TEST(Pointwise, LerpEndsExactly) {
  const std::string call = one_call({"f32[2]{1}", "f32[2]{1}"}, "aten::lerp.Scalar(%a, %b, $0) -> f32[2]{1}") + "params f64";
  expect_result(call, {{0.1, 1e8}, {0.7, 3}}, {static_cast<double>(0.1f), 1e8}, {{0, 0}}, 0);
  const auto values = run_text(call, {{0.1, 1e8}, {0.7, 3}}, {{1, 0}});
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[2], (Values{static_cast<double>(0.7f), 3}));
}

TEST(Activation, ForwardAndBackward) {
  const std::string f = "f32[3]{1}";
  expect_result(one_call({f}, "aten::relu(%a) -> f32[3]{1}"), {{-1, kNan, 2}}, {0, kNan, 2});
  expect_result(one_call({f}, "aten::gelu(%a) -> f32[3]{1}"), {{-1, 0, 2}}, {-0.15865525, 0, 1.9544997});
  expect_result(one_call({f}, "aten::gelu(%a, \"tanh\") -> f32[3]{1}"), {{-1, 0, 2}}, {-0.15880801, 0, 1.9545977});
  expect_result(one_call({f}, "aten::silu(%a) -> f32[3]{1}"), {{-1, 0, 2}}, {-0.26894142, 0, 1.7615942});
  expect_result(one_call({f}, "aten::softplus(%a, 2.0) -> f32[3]{1}"), {{-1, 0, 20}}, {0.06346401, 0.34657359, 20});
  expect_result(one_call({f}, "aten::elu(%a, $0) -> f32[3]{1}") + "params f64", {{-1, 0, 2}}, {-1.2642411, 0, 2}, {{2.0, 0}});
  expect_result(one_call({f}, "aten::hardswish(%a) -> f32[3]{1}"), {{-4, 1, 4}}, {0, 0.6666667, 4});
  expect_result(one_call({f, f}, "aten::threshold_backward(%a, %b, 0) -> f32[3]{1}"), {{5, 5, 5}, {-1, 0, 1}}, {0, 0, 5});
  expect_result(one_call({f, f}, "aten::gelu_backward(%a, %b) -> f32[3]{1}"), {{1, 1, 1}, {-1, 0, 2}}, {-0.08331547, 0.5, 1.0852318});
  expect_result(one_call({f, f}, "aten::silu_backward(%a, %b) -> f32[3]{1}"), {{1, 1, 1}, {-1, 0, 2}}, {0.07232949, 0.5, 1.0907843});
}

}  // namespace
}  // namespace lanewise::compiler::aten
