// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Views, assembly, indexing, losses, generated tensors, lists: values by hand; and that no graph text brings lowering down.
#include <random>

#include "compiler/aten/host_run_check.h"
#include "compiler/aten/lower.h"

namespace lanewise::compiler::aten {
namespace {

const Values kSix{1, 2, 3, 4, 5, 6};
const std::string kF = "f32[2,3]{3,1}";

TEST(View, SeesTheSameElementsOtherwise) {
  expect_result(one_call({kF}, "aten::view(%a, [3,2]) -> f32[3,2]{2,1}"), {kSix}, kSix);
  expect_result(one_call({kF}, "aten::permute(%a, [1,0]) -> f32[3,2]{1,3}"), {kSix}, {1, 4, 2, 5, 3, 6});
  expect_result(one_call({kF}, "aten::transpose.int(%a, -1, 0) -> f32[3,2]{2,1}"), {kSix}, {1, 4, 2, 5, 3, 6});
  expect_result(one_call({"f32[2,1]{1,1}"}, "aten::expand(%a, [2,3]) -> f32[2,3]{1,0}"), {{1, 2}}, {1, 1, 1, 2, 2, 2});
  expect_result(one_call({kF}, "aten::slice.Tensor(%a, 1, -2, 9223372036854775807) -> f32[2,2]{3,1}"), {kSix}, {2, 3, 5, 6});
  expect_result(one_call({kF}, "aten::slice.Tensor(%a, 1, 0, 3, 2) -> f32[2,2]{3,2}"), {kSix}, {1, 3, 4, 6});
  expect_result(one_call({kF}, "aten::select.int(%a, 1, -1) -> f32[2]{3}"), {kSix}, {3, 6});
  expect_result(one_call({kF}, "aten::as_strided(%a, [2,2], [1,2]) -> f32[2,2]{1,2}"), {kSix}, {1, 3, 2, 4});
}

TEST(View, SplitsIntoSeveralResults) {
  const auto values = run_text("%x = input f32[2,3]{3,1}\n(%p, _, %q) = aten::split_with_sizes(%x, [1,1,1], 1) -> f32[2,1]{1,1}, none, f32[2,1]{1,1}\nreturn %q, %p",
                               {kSix});
  ASSERT_EQ(values.size(), 3u);
  expect_near(values[1], {3, 6});
  expect_near(values[2], {1, 4});
}

TEST(Assemble, JoinsPadsAndTurns) {
  expect_result(one_call({kF, "i64[2,1]{1,1}"}, "aten::cat([%a, %b], 1) -> f32[2,4]{4,1}"), {kSix, {7, 8}}, {1, 2, 3, 7, 4, 5, 6, 8});
  expect_result(one_call({"f32[2]{1}", "f32[2]{1}"}, "aten::stack([%a, %b], -1) -> f32[2,2]{2,1}"), {{1, 2}, {3, 4}}, {1, 3, 2, 4});
  expect_result(one_call({kF}, "aten::constant_pad_nd(%a, [1,-1], 9) -> f32[2,3]{3,1}"), {kSix}, {9, 1, 2, 9, 4, 5});
  expect_result(one_call({kF}, "aten::flip(%a, [0,1]) -> f32[2,3]{3,1}"), {kSix}, {6, 5, 4, 3, 2, 1});
  expect_result(one_call({kF}, "aten::roll(%a, [1], [1]) -> f32[2,3]{3,1}"), {kSix}, {3, 1, 2, 6, 4, 5});
  expect_result(one_call({"f32[2]{1}"}, "aten::repeat(%a, [2,2]) -> f32[2,4]{4,1}"), {{1, 2}}, {1, 2, 1, 2, 1, 2, 1, 2});
  expect_result(one_call({"f32[2]{1}"}, "aten::slice_backward(%a, [5], 0, 1, 5, 2) -> f32[5]{1}"), {{7, 8}}, {0, 7, 0, 8, 0});
  expect_result(one_call({"f32[5]{1}", "f32[2]{1}"}, "aten::slice_scatter(%a, %b, 0, 1, 5, 2) -> f32[5]{1}"), {{1, 2, 3, 4, 5}, {7, 8}}, {1, 7, 3, 8, 5});
}

TEST(Generate, RangesAndTriangles) {
  expect_result("%r = aten::arange.start_step(2, 9, 3) -> i64[3]{1}\nreturn %r", {}, {2, 5, 8});
  expect_result("%r = aten::arange.start_step(0.0, 1.0, 0.25) -> f32[4]{1}\nreturn %r", {}, {0, 0.25, 0.5, 0.75});
  expect_result(one_call({"f32[2,2]{2,1}"}, "aten::tril(%a) -> f32[2,2]{2,1}"), {{1, NAN, 3, 4}}, {1, 0, 3, 4});
  expect_result(one_call({kF}, "aten::triu(%a, 1) -> f32[2,3]{3,1}"), {kSix}, {0, 2, 3, 0, 0, 6});
  expect_result("%r = aten::eye.m(2, 3) -> f32[2,3]{3,1}\nreturn %r", {}, {1, 0, 0, 0, 1, 0});
}

TEST(Copy, FillsAndConverts) {
  expect_result(one_call({"f32[2]{1}"}, "aten::fill.Scalar(%a, $0) -> f32[2]{1}") + "params f64", {{1, 2}}, {2.5, 2.5}, {{2.5, 0}});
  expect_result(one_call({"f32[3]{1}"}, "aten::_to_copy(%a, i32) -> i32[3]{1}"), {{2.9, -2.9, 0.4}}, {2, -2, 0});
  expect_result(one_call({"bf16[2,2]{2,1}", "f32[2]{1}"}, "aten::copy(%a, %b) -> bf16[2,2]{2,1}"), {{0, 0, 0, 0}, {1.0001, 2}}, {1, 2, 1, 2});
  expect_result("%r = aten::full([2], $0) -> i64[2]{1}\nreturn %r\nparams i64", {}, {7, 7}, {{7, 7}});
}

TEST(Index, GathersAndSumsBack) {
  const std::string table = "f32[3,2]{2,1}", ids = "i64[2,2]{2,1}";
  const Values rows{1, 2, 3, 4, 5, 6}, chosen{2, 0, 0, 1};
  expect_result(one_call({table, ids}, "aten::embedding(%a, %b) -> f32[2,2,2]{4,2,1}"), {rows, chosen}, {5, 6, 1, 2, 1, 2, 3, 4});
  expect_result(one_call({"f32[2,2,1]{2,1,1}", ids}, "aten::embedding_dense_backward(%a, %b, 4, 1, false) -> f32[4,1]{1,1}"),
                {{10, 20, 30, 40}, chosen}, {50, 0, 10, 0});
  expect_result(one_call({table, "i64[2]{1}"}, "aten::index_select(%a, 1, %b) -> f32[3,2]{2,1}"), {rows, {1, 0}}, {2, 1, 4, 3, 6, 5});
  expect_result(one_call({table, "i64[3,1]{1,1}"}, "aten::gather(%a, 1, %b) -> f32[3,1]{1,1}"), {rows, {1, 0, 1}}, {2, 3, 6});
  expect_result(one_call({table, "i64[2]{1}"}, "aten::index.Tensor(%a, [none, %b]) -> f32[3,2]{2,1}"), {rows, {-1, 0}}, {2, 1, 4, 3, 6, 5});
}

TEST(Loss, NegativeLogLikelihood) {
  const std::string head = "%x = input f32[3,2]{2,1}\n%t = input i64[3]{1}\n";
  const Values x{-1, -2, -3, -4, -5, -6};
  const auto values = run_text(head + "(%l, %w) = aten::nll_loss_forward(%x, %t, none, 1, -100) -> f32[]{}, f32[]{}\nreturn %l, %w", {x, {1, -100, 0}});
  ASSERT_EQ(values.size(), 4u);
  expect_near(values[2], {3.5});
  expect_near(values[3], {2});
  expect_result("%g = input f32[]{}\n" + head + "%w = input f32[]{}\n%r = aten::nll_loss_backward(%g, %x, %t, none, 1, -100, %w) -> f32[3,2]{2,1}\nreturn %r",
                {{1}, x, {1, -100, 0}, {2}}, {0, -0.5, 0, 0, -0.5, 0});
  expect_result(one_call({"f32[2]{1}", "f32[2]{1}"}, "aten::mse_loss(%a, %b) -> f32[]{}"), {{1, 2}, {3, 5}}, {6.5});
}

TEST(Lists, OneCallForEachTensor) {
  const auto values = run_text("%a = input f32[2]{1}\n%b = input f32[]{}\n(%r, %s) = aten::_foreach_add.ScalarList([%a, %b], [$0, 2.0]) -> f32[2]{1}, f32[]{}\n"
                               "return %a := %r, %b := %s\nparams f64", {{1, 2}, {3}}, {{0.5, 0}});
  ASSERT_EQ(values.size(), 2u);
  expect_near(values[0], {1.5, 2.5});
  expect_near(values[1], {5});
}

// Every op of the table with arguments that do not fit: an error or a module, never a crash.
TEST(Lower, NoTextBringsItDown) {
  constexpr std::string_view kArguments[] = {"%x", "%i", "%s", "%b", "%e", "[%x, %x]", "[%i, none]", "[]", "[0, 1]", "[-1]", "[7]", "[2, 0, 3]",
                                             "0", "-1", "9223372036854775807", "2.5", "nan", "true", "false", "none", "f32", "bf16", "bool",
                                             "\"tanh\"", "$0", "[$0]", "[true, false]"};
  constexpr std::string_view kResults[] = {"f32[2,3]{3,1}", "f32[]{}", "i64[3]{1}", "bf16[2,3]{3,1}", "bool[2]{1}", "f32[0]{1}", "f32[3,2]{2,1}"};
  std::mt19937_64 random(5);
  const auto ops = supported_ops();
  int made = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string text = "%x = input f32[2,3]{3,1}\n%i = input i64[3]{1}\n%s = input f32[]{}\n%b = input bool[2,1]{1,1}\n%e = input bf16[0,3]{3,1}\n";
    const size_t results = 1 + random() % 3;
    text += "(";
    for (size_t k = 0; k < results; ++k) text += (k ? ", %r" : "%r") + std::to_string(k);
    text += ") = " + std::string(ops[random() % ops.size()]) + "(";
    const size_t arguments = random() % 6;
    for (size_t k = 0; k < arguments; ++k) text += (k ? ", " : "") + std::string(kArguments[random() % std::size(kArguments)]);
    text += ") -> ";
    for (size_t k = 0; k < results; ++k) text += (k ? ", " : "") + std::string(kResults[random() % std::size(kResults)]);
    text += "\nreturn %r0\nparams f64\n";
    const auto graph = parse_text(text);
    ASSERT_TRUE(graph.ok()) << text << graph.status().to_string();
    made += lower(*graph, "fuzz").ok();
  }
  EXPECT_GT(made, 20);
}

}  // namespace
}  // namespace lanewise::compiler::aten
