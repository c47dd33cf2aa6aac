// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions, norms, softmax and matrix products: values by hand.
#include "compiler/aten/host_run_check.h"
#include "compiler/aten/lower.h"

namespace lanewise::compiler::aten {
namespace {

constexpr double kInf = INFINITY, kNan = NAN;
const Values kSix{1, 2, 3, 4, 5, 6};

TEST(Reduce, SumsAndMeans) {
  const std::string f = "f32[2,3]{3,1}";
  expect_result(one_call({f}, "aten::sum.dim_IntList(%a, [1], true) -> f32[2,1]{1,1}"), {kSix}, {6, 15});
  expect_result(one_call({f}, "aten::sum.dim_IntList(%a, [-2]) -> f32[3]{1}"), {kSix}, {5, 7, 9});
  expect_result(one_call({f}, "aten::sum(%a) -> f32[]{}"), {kSix}, {21});
  expect_result(one_call({f}, "aten::mean.dim(%a, [], true) -> f32[1,1]{1,1}"), {kSix}, {3.5});
  expect_result(one_call({"i32[2]{1}"}, "aten::sum(%a) -> i64[]{}"), {{2147483647, 2147483647}}, {4294967294});
  expect_result(one_call({"bool[3]{1}"}, "aten::sum(%a) -> i64[]{}"), {{1, 0, 1}}, {2});
  expect_result(one_call({"f32[0]{1}"}, "aten::mean(%a) -> f32[]{}"), {{}}, {kNan});
  expect_result(one_call({f}, "aten::prod.dim_int(%a, 1) -> f32[2]{1}"), {kSix}, {6, 120});
  expect_result(one_call({f}, "aten::cumsum(%a, 1) -> f32[2,3]{3,1}"), {{1, kInf, 3, 4, 5, 6}}, {1, kInf, kInf, 4, 9, 15});
}

// 256 ones and one 256: a bf16 accumulator would stay at 256.
TEST(Reduce, HalfTypesAccumulateInF32) {
  Values x(257, 1);
  x[0] = 256;
  expect_result(one_call({"bf16[257]{1}"}, "aten::sum(%a) -> bf16[]{}"), {x}, {512});
}

TEST(Reduce, ExtremesAndPositions) {
  const std::string f = "f32[2,3]{3,1}";
  const Values x{1, 7, 7, 4, kNan, 9};
  expect_result(one_call({f}, "aten::amax(%a, [1]) -> f32[2]{1}"), {x}, {7, kNan});
  expect_result(one_call({f}, "aten::argmax(%a, 1) -> i64[2]{1}"), {x}, {1, 1});
  expect_result(one_call({f}, "aten::argmin(%a) -> i64[]{}"), {kSix}, {0});
  const auto values = run_text("%x = input f32[2,3]{3,1}\n(%v, %i) = aten::min.dim(%x, 0, true) -> f32[1,3]{3,1}, i64[1,3]{3,1}\nreturn %v, %i",
                               {{3, 2, 1, 3, 1, 2}});
  ASSERT_EQ(values.size(), 3u);
  expect_near(values[1], {3, 1, 1});
  expect_near(values[2], {0, 1, 0});
  expect_result(one_call({"i64[3]{1}"}, "aten::max(%a) -> i64[]{}"), {{-5, -9, -7}}, {-5});
  expect_result(one_call({f}, "aten::any.dim(%a, 1) -> bool[2]{1}"), {{0, 0, 0, 0, -0.5, 0}}, {0, 1});
  expect_result(one_call({f}, "aten::all(%a) -> bool[]{}"), {kSix}, {1});
}

TEST(Reduce, VariancesAndNorms) {
  const std::string f = "f32[2,3]{3,1}";
  expect_result(one_call({f}, "aten::var.correction(%a, [1]) -> f32[2]{1}"), {kSix}, {1, 1});
  expect_result(one_call({f}, "aten::std.correction(%a, [1], 0) -> f32[2]{1}"), {kSix}, {0.8164966, 0.8164966});
  expect_result(one_call({f}, "aten::var.correction(%a, none, $0) -> f32[]{}") + "params i64", {kSix}, {17.5 / 4}, {{2, 2}});
  expect_result(one_call({f}, "aten::linalg_vector_norm(%a, 2, [1]) -> f32[2]{1}"), {{3, 4, 0, 5, 12, 0}}, {5, 13});
  expect_result(one_call({f}, "aten::linalg_vector_norm(%a, inf) -> f32[]{}"), {{3, -4, 0, 5, -12, 0}}, {12});
  expect_result(one_call({f}, "aten::logsumexp(%a, [1]) -> f32[2]{1}"), {{1000, 1000, -kInf, 0, 0, 0}}, {1000.6931, 1.0986123});
}

TEST(Norm, LayerNormAndItsGradient) {
  const auto values = run_text(
      "%x = input f32[1,4]{4,1}\n%w = input f32[4]{1}\n%b = input f32[4]{1}\n"
      "(%o, %m, %r) = aten::native_layer_norm(%x, [4], %w, %b, 0.0) -> f32[1,4]{4,1}, f32[1,1]{1,1}, f32[1,1]{1,1}\nreturn %o, %m, %r",
      {{1, 3, 5, 7}, {1, 1, 2, 2}, {0, 0, 0, 1}});
  ASSERT_EQ(values.size(), 6u);
  expect_near(values[3], {-1.3416408, -0.4472136, 0.8944272, 3.6832816});
  expect_near(values[4], {4});
  expect_near(values[5], {0.4472136});
  // The gradient of a sum is 0: layer norm does not change when all elements grow by the same.
  expect_result("%d = input f32[1,4]{4,1}\n%x = input f32[1,4]{4,1}\n%m = input f32[1,1]{1,1}\n%r = input f32[1,1]{1,1}\n"
                "(%dx, _, _) = aten::native_layer_norm_backward(%d, %x, [4], %m, %r, none, none, [true, false, false]) -> f32[1,4]{4,1}, none, none\n"
                "return %dx",
                {{1, 1, 1, 1}, {1, 3, 5, 7}, {4}, {0.4472136}}, {0, 0, 0, 0});
}

TEST(Norm, RmsNorm) {
  const std::string head = "%x = input f32[2,2]{2,1}\n%w = input f32[2]{1}\n";
  const auto values = run_text(head + "(%o, %r) = aten::_fused_rms_norm(%x, [2], %w, 0.0) -> f32[2,2]{2,1}, f32[2,1]{1,1}\nreturn %o, %r",
                               {{3, 4, 0, 1}, {1, 10}});
  ASSERT_EQ(values.size(), 4u);
  expect_near(values[2], {0.8485281, 11.313708, 0, 14.142136});
  expect_near(values[3], {0.28284271, 1.4142136});
}

TEST(Softmax, LargeNumbersAndMaskedRows) {
  const std::string f = "f32[2,2]{2,1}";
  expect_result(one_call({f}, "aten::_softmax(%a, 1, false) -> f32[2,2]{2,1}"), {{1000, 1000, 0, -kInf}}, {0.5, 0.5, 1, 0});
  expect_result(one_call({f}, "aten::_softmax(%a, 1, false) -> f32[2,2]{2,1}"), {{0, 0, -kInf, -kInf}}, {0.5, 0.5, kNan, kNan});
  expect_result(one_call({f}, "aten::_safe_softmax(%a, 1) -> f32[2,2]{2,1}"), {{0, 0, -kInf, -kInf}}, {0.5, 0.5, 0, 0});
  expect_result(one_call({f}, "aten::_log_softmax(%a, 0, false) -> f32[2,2]{2,1}"), {{0, 1, 0, 0}}, {-0.6931472, -0.3132617, -0.6931472, -1.3132617});
  expect_result(one_call({f, f}, "aten::_softmax_backward_data(%a, %b, 1, f32) -> f32[2,2]{2,1}"), {{1, 0, 0, 0}, {0.5, 0.5, 0.1, 0.9}},
                {0.25, -0.25, 0, 0});
}

TEST(Matmul, Products) {
  const std::string a = "f32[2,3]{3,1}", b = "f32[3,2]{1,3}";
  expect_result(one_call({a, b}, "aten::mm(%a, %b) -> f32[2,2]{2,1}"), {kSix, {1, 0, 0, 1, 1, 1}}, {4, 5, 10, 11});
  expect_result(one_call({"f32[2]{1}", a, b}, "aten::addmm(%a, %b, %c, $0, 2.0) -> f32[2,2]{2,1}") + "params f64",
                {{1, 2}, kSix, {1, 0, 0, 1, 1, 1}}, {8.5, 11, 20.5, 23}, {{0.5, 0}});
  expect_result(one_call({"f32[2]{1}", a, b}, "aten::addmm(%a, %b, %c, 0) -> f32[2,2]{2,1}"), {{kNan, 2}, kSix, {1, 0, 0, 1, 1, 1}}, {4, 5, 10, 11});
  expect_result(one_call({"f32[3]{1}", "f32[3]{1}"}, "aten::dot(%a, %b) -> f32[]{}"), {{1, 2, 3}, {4, 5, 6}}, {32});
  expect_result(one_call({"f32[1,0]{1,1}", "f32[0,1]{1,1}"}, "aten::mm(%a, %b) -> f32[1,1]{1,1}"), {{}, {}}, {0});
}

// Products of bf16 are exact in f32: rounding them would give 65536.
TEST(Matmul, HalfTypesAccumulateInF32) {
  Values ones(257, 1);
  Values x(257, 1);
  x[0] = 256;
  expect_result(one_call({"bf16[1,257]{257,1}", "bf16[257,1]{1,1}"}, "aten::mm(%a, %b) -> bf16[1,1]{1,1}"), {x, ones}, {512});
}

TEST(Matmul, RefusesIntegers) {
  const auto graph = parse_text(one_call({"i64[2,2]{2,1}"}, "aten::mm(%a, %a) -> i64[2,2]{2,1}"));
  ASSERT_TRUE(graph.ok());
  const auto module = lower(*graph, "m");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), StatusCode::unimplemented);
  EXPECT_NE(module.status().message().find("aten::mm: integer matrix products are not served"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::compiler::aten
