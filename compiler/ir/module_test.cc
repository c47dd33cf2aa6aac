// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/module.h"

#include <gtest/gtest.h>

#include "compiler/ir/random_module.h"

namespace lanewise::compiler::ir {
namespace {

constexpr std::string_view kEveryOp = R"(module "every" inputs 4 params f64, i64 alias 1:0, 3:1 {
  %0 = input 0 : f32[4,8]{8,1}
  %1 = input 1 : i64[4]{2} offset 3
  %2 = constant 0.5 : f32[1,1]
  %3 = constant -7 : i64[4]
  %4 = parameter 0 : f32[1,1]
  %5 = iota dims [1] start -1 step 2 : f32[1,8]
  %6 = unary rsqrt %0 : f32[4,8] from "aten::rsqrt" node 3
  %7 = binary multiply %6, %4 : f32[4,8]
  %8 = binary less %7, %2 : bool[4,8]
  %9 = select %8, %7, %2 : f32[4,8]
  %10 = convert %9 : bf16[4,8]
  %11 = convert rounds %10 : f8e4m3[4,8]
  %12 = reduce maximum dims [0,1] %0 : f32[1,1]
  %13 = permute dims [1,0] %0 : f32[8,4]
  %14 = matmul %0, %13 : bf16[4,4]
  %15 = gather %0, %1 : f32[4,8]
  %16 = reshape %15 : f32[2,2,8]
  %17 = broadcast %2 : f32[3,8]
  %18 = slice starts [3,7] steps [-1,-2] %0 : f32[2,4]
  %19 = concat dims [0] %0, %17 : f32[7,8]
  %20 = pad starts [1,0] steps [2,1] %0, %2 : f32[9,8]
  %21 = constant -inf : f16[2]
  %22 = constant nan : f16[2]
  %23 = constant 1 : bool[2]
  store %19 to output 0 {8,1}
  store %20 to output 1 {1,9}
  store %0 to input 0
  store %16 to input 0 {16,8,1}
  store %3 to input 2 {1}
}
)";

TEST(ModuleText, RoundTripsEveryOp) {
  const auto module = parse_text(kEveryOp);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_EQ(print_text(*module), kEveryOp);
  EXPECT_EQ(module->input_alias, (std::vector<int32_t>{-1, 0, -1, 1}));
  EXPECT_EQ(module->ops[1].offset, 3);
  EXPECT_EQ(module->stores[2].strides, (std::vector<int64_t>{8, 1}));
}

TEST(ModuleText, RandomModulesRoundTripAndVerify) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300; ++i) {
    const Module module = random_module(random, {});
    const Status verified = verify(module);
    ASSERT_TRUE(verified.ok()) << verified.to_string() << "\n" << print_text(module);
    const std::string text = print_text(module);
    const auto again = parse_text(text);
    ASSERT_TRUE(again.ok()) << again.status().to_string() << "\n" << text;
    ASSERT_EQ(print_text(*again), text);
    EXPECT_EQ(*again, module);
  }
}

// Any cut of a good text is an error or a module, never a crash.
TEST(ModuleText, DamagedTextsAreErrors) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 3000; ++i) {
    std::string text(kEveryOp);
    const size_t at = random() % text.size();
    switch (random() % 3) {
      case 0: text.resize(at); break;
      case 1: text[at] = static_cast<char>(' ' + random() % 95); break;
      default: text.erase(at, 1 + random() % 5); break;
    }
    const auto module = parse_text(text);
    if (module.ok()) continue;
    EXPECT_EQ(module.status().code(), StatusCode::invalid_argument);
  }
}

void expect_refused(std::string_view ops, std::string_view part) {
  const auto module = parse_text("module \"m\" {\n  %0 = input 0 : f32[4,8]{8,1}\n" + std::string(ops) + "}\n");
  ASSERT_FALSE(module.ok()) << ops;
  EXPECT_NE(module.status().message().find(part), std::string::npos) << module.status().message();
}

TEST(Verifier, NamesOpAndRule) {
  expect_refused("%1 = binary add %0, %1 : f32[4,8]\n", "value 1 is out of range");
  expect_refused("%1 = binary add %0 : f32[4,8]\n", "%1 = binary: wrong number of operands");
  expect_refused("%1 = unary exp %0 : f32[4,9]\n", "%1 = unary: an operand's dimension is the result's or 1");
  expect_refused("%1 = unary exp %0 : f32[8]\n", "operands have the result's rank");
  expect_refused("%1 = unary exp %0 : bf16[4,8]\n", "operand and result have one dtype");
  expect_refused("%1 = unary none %0 : f32[4,8]\n", "a function is named");
  expect_refused("%1 = constant 1 : i32[1,1]\n%2 = unary exp %1 : i32[1,1]\n", "functions other than abs and sign");
  expect_refused("%1 = constant 1 : i32[1,1]\n%2 = binary add %0, %1 : f32[4,8]\n", "operands have one dtype");
  expect_refused("%1 = binary less %0, %0 : f32[4,8]\n", "bool for comparisons");
  expect_refused("%1 = binary bitwise_and %0, %0 : f32[4,8]\n", "bitwise ops are of integers");
  expect_refused("%1 = select %0, %0, %0 : f32[4,8]\n", "the predicate is bool");
  expect_refused("%1 = reduce subtract dims [0] %0 : f32[1,8]\n", "add, multiply, maximum or minimum");
  expect_refused("%1 = reduce add dims [0,0] %0 : f32[1,8]\n", "dims are dimensions, each once");
  expect_refused("%1 = reduce add dims [0] %0 : f32[4,8]\n", "reduced dimensions stay with size 1");
  expect_refused("%1 = slice starts [0,0] steps [1,1] %0 : f32[0,8]\n%2 = reduce maximum dims [0] %1 : f32[1,8]\n", "at least one element");
  expect_refused("%1 = matmul %0, %0 : f32[4,8]\n", "[M, K] x [K, N] -> [M, N]");
  expect_refused("%1 = gather %0, %0 : f32[4,8]\n", "indices are i32 or i64");
  expect_refused("%1 = reshape %0 : f32[5,8]\n", "as many elements as the operand");
  expect_refused("%1 = permute dims [0,0] %0 : f32[4,4]\n", "dims are a permutation");
  expect_refused("%1 = slice starts [1,0] steps [1,1] %0 : f32[4,8]\n", "inside the operand");
  expect_refused("%1 = slice starts [0,0] steps [0,1] %0 : f32[4,8]\n", "steps are not 0");
  expect_refused("%1 = concat dims [0] %0, %0 : f32[9,8]\n", "sizes along the dimension add up");
  expect_refused("%1 = pad starts [1,0] steps [1,1] %0, %0 : f32[5,8]\n", "fill is one element");
  expect_refused("%1 = constant 0.0 : f32[1,1]\n%2 = pad starts [2,0] steps [1,1] %0, %1 : f32[5,8]\n", "inside the result");
  expect_refused("%1 = parameter 0 : f32[1]\n", "parameter number in range");
  expect_refused("%1 = iota dims [0] start 0 step 1 : bf16[4]\n", "dtype is an integer or f32");
  expect_refused("%1 = constant 1.0 : f32[1,1,1,1,1,1,1,1,1]\n", "rank is at most 8");
  expect_refused("%1 = constant 1.0 : f32[-1]\n", "sizes are not negative");
  expect_refused("%1 = constant 1.0 : f32[281474976710656,2]\n", "at most 2^48 elements");
  expect_refused("%1 = input 0 : bf16[4,8]{8,1}\n", "one dtype an input");
  expect_refused("store %0 to output 1 {8,1}\n", "output 0 is never written");
  expect_refused("store %0 to output 0 {8,1}\nstore %0 to output 0 {8,1}\n", "an output is written once");
  expect_refused("%1 = constant 1 : i64[2]\nstore %1 to input 0 {1}\n", "the value has the input's dtype");
}

}  // namespace
}  // namespace lanewise::compiler::ir
