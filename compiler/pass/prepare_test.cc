// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/pass/prepare.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

namespace lanewise::compiler::pass {
namespace {

using ir::OpKind;

ir::Module parse(const std::string& text) {
  auto module = ir::parse_text(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return *module;
}

long count(const ir::Module& module, OpKind kind) {
  return std::count_if(module.ops.begin(), module.ops.end(), [&](const ir::Op& op) { return op.kind == kind; });
}

// Sums of small integers are the same in every order.
std::vector<float> run(const ir::Module& module, int64_t inputs, int64_t outputs) {
  EXPECT_TRUE(ir::verify(module).ok()) << ir::verify(module).to_string();
  std::vector<float> in(static_cast<size_t>(inputs)), out(static_cast<size_t>(outputs), -1);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 7 % 13) - 6;
  const auto status = ir::evaluate(module, {{reinterpret_cast<std::byte*>(in.data()), inputs * 4}, {reinterpret_cast<std::byte*>(out.data()), outputs * 4}}, {});
  EXPECT_TRUE(status.ok()) << status.to_string();
  return out;
}

void same(const std::string& text, Status (*pass)(ir::Module&), int64_t inputs, int64_t outputs) {
  const ir::Module before = parse(text);
  ir::Module after = before;
  ASSERT_TRUE(pass(after).ok());
  EXPECT_FALSE(before == after) << "the pass left it alone";
  EXPECT_EQ(run(before, inputs, outputs), run(after, inputs, outputs));
}

TEST(SplitReductions, KeepTheResult) {
  for (const char* alu : {"add", "maximum", "minimum"}) {
    const std::string a = alu;
    same("module \"m\" {\n %0 = input 0 : f32[300,200]{200,1}\n %1 = reduce " + a + " dims [0,1] %0 : f32[1,1]\n store %1 to output 0 {1,1}\n}", split_reductions, 60000, 1);
    // A prime: main part and rest.
    same("module \"m\" {\n %0 = input 0 : f32[20011]{1}\n %1 = reduce " + a + " dims [0] %0 : f32[1]\n store %1 to output 0 {1}\n}", split_reductions, 20011, 1);
    // Results outside and inside of the reduced run.
    same("module \"m\" {\n %0 = input 0 : f32[2,9000,3]{27000,3,1}\n %1 = reduce " + a + " dims [1] %0 : f32[2,1,3]\n store %1 to output 0 {3,3,1}\n}", split_reductions, 54000, 6);
  }
}

TEST(SplitReductions, LeaveManyResultsAndShortRowsAlone) {
  for (const char* text : {"module \"m\" {\n %0 = input 0 : f32[300,20000]{20000,1}\n %1 = reduce add dims [1] %0 : f32[300,1]\n store %1 to output 0 {1,1}\n}",
                           "module \"m\" {\n %0 = input 0 : f32[4,512]{512,1}\n %1 = reduce add dims [1] %0 : f32[4,1]\n store %1 to output 0 {1,1}\n}"}) {
    const ir::Module before = parse(text);
    ir::Module after = before;
    ASSERT_TRUE(split_reductions(after).ok());
    EXPECT_EQ(before, after);
  }
}

TEST(SumColumns, BecomesAMatmulWithOnes) {
  const std::string text = "module \"m\" {\n %0 = input 0 : f32[100,80]{80,1}\n %1 = reduce add dims [0] %0 : f32[1,80]\n store %1 to output 0 {80,1}\n}";
  same(text, sum_columns_on_pe, 8000, 80);
  ir::Module after = parse(text);
  ASSERT_TRUE(sum_columns_on_pe(after).ok());
  EXPECT_EQ(count(after, OpKind::matmul), 1);
  EXPECT_EQ(count(after, OpKind::reduce), 0);
}

TEST(SumColumns, NarrowOperandsStayNarrow) {
  ir::Module module = parse(R"(module "m" {
    %0 = input 0 : bf16[100,80]{80,1}
    %1 = convert %0 : f32[100,80]
    %2 = reduce add dims [0] %1 : f32[1,80]
    store %2 to output 0 {80,1}
  })");
  ASSERT_TRUE(sum_columns_on_pe(module).ok());
  for (const ir::Op& op : module.ops)
    if (op.kind == OpKind::matmul) EXPECT_EQ(module.ops[op.operands[1]].dtype, isa::DType::bf16);
}

TEST(SumColumns, WhatIsComputedOrLiesAcrossIsLeft) {
  for (const char* text : {// transposed memory: rows are not runs
                           "module \"m\" {\n %0 = input 0 : f32[100,80]{1,100}\n %1 = reduce add dims [0] %0 : f32[1,80]\n store %1 to output 0 {80,1}\n}",
                           // computed: would have to be stored first
                           "module \"m\" {\n %0 = input 0 : f32[100,80]{80,1}\n %1 = unary exp %0 : f32[100,80]\n %2 = reduce add dims [0] %1 : f32[1,80]\n store %2 to output 0 {80,1}\n}",
                           // not a sum
                           "module \"m\" {\n %0 = input 0 : f32[100,80]{80,1}\n %1 = reduce maximum dims [0] %0 : f32[1,80]\n store %1 to output 0 {80,1}\n}"}) {
    ir::Module module = parse(text);
    ASSERT_TRUE(sum_columns_on_pe(module).ok());
    EXPECT_EQ(count(module, OpKind::matmul), 0) << text;
  }
}

TEST(StoreOnce, KeepsTheLastOfEqualAddresses) {
  same("module \"m\" {\n %0 = input 0 : f32[3,4]{4,1}\n store %0 to output 0 {0,1}\n}", store_once, 12, 4);
}

}  // namespace
}  // namespace lanewise::compiler::pass
