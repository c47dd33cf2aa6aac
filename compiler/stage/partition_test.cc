// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/partition.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace lanewise::compiler::stage {
namespace {

Schedule schedule(const std::string& text) {
  const auto module = ir::parse_text(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_TRUE(ir::verify(*module).ok());
  return partition(*module);
}

size_t scratch_buffers(const Schedule& s) {
  return static_cast<size_t>(std::count_if(s.buffers.begin(), s.buffers.end(), [](const Buffer& b) { return b.kind == Buffer::Kind::scratch; }));
}

TEST(Partition, ReductionsOfOneRowShareAStage) {
  const Schedule s = schedule(R"(module "softmax" {
    %0 = input 0 : f32[10,20]{20,1}
    %1 = reduce maximum dims [1] %0 : f32[10,1]
    %2 = binary subtract %0, %1 : f32[10,20]
    %3 = unary exp %2 : f32[10,20]
    %4 = reduce add dims [1] %3 : f32[10,1]
    %5 = binary divide %3, %4 : f32[10,20]
    store %5 to output 0 {20,1}
  })");
  ASSERT_EQ(s.stages.size(), 1u);
  // One load, though the input is used twice, and exp once, though its result is.
  const auto count = [&](NodeKind kind) { return std::count_if(s.stages[0].nodes.begin(), s.stages[0].nodes.end(), [&](const Node& n) { return n.kind == kind; }); };
  EXPECT_EQ(count(NodeKind::load), 1);
  EXPECT_EQ(count(NodeKind::unary), 1);
  EXPECT_EQ(scratch_buffers(s), 0u);
}

TEST(Partition, ReductionsOverDifferentDimensionsMeetInMemory) {
  const Schedule s = schedule(R"(module "two" {
    %0 = input 0 : f32[10,20]{20,1}
    %1 = unary exp %0 : f32[10,20]
    %2 = reduce add dims [1] %1 : f32[10,1]
    %3 = binary divide %1, %2 : f32[10,20]
    %4 = reduce maximum dims [0] %3 : f32[1,20]
    store %4 to output 0 {20,1}
  })");
  EXPECT_EQ(s.stages.size(), 2u);
  EXPECT_EQ(scratch_buffers(s), 1u);
}

TEST(Partition, ReshapesSplitAtomsInsteadOfCopying) {
  const Schedule s = schedule(R"(module "views" {
    %0 = input 0 : f32[6,20]{1,6}
    %1 = unary exp %0 : f32[6,20]
    %2 = reshape %1 : f32[2,12,5]
    %3 = permute dims [2,0,1] %2 : f32[5,2,12]
    %4 = unary tanh %3 : f32[5,2,12]
    store %4 to output 0 {24,12,1}
  })");
  EXPECT_EQ(s.stages.size(), 1u);
  EXPECT_EQ(scratch_buffers(s), 0u);
}

TEST(Partition, AMatmulTakesItsPointwiseUsersAlong) {
  const Schedule s = schedule(R"(module "linear" {
    %0 = input 0 : bf16[10,20]{20,1}
    %1 = input 1 : bf16[20,30]{1,20}
    %2 = matmul %0, %1 : f32[10,30]
    %3 = input 2 : f32[1,30]{30,1}
    %4 = binary add %2, %3 : f32[10,30]
    %5 = unary gelu %4 : f32[10,30]
    store %5 to output 0 {30,1}
  })");
  ASSERT_EQ(s.stages.size(), 1u);
  EXPECT_TRUE(s.stages[0].has_matmul());
  EXPECT_EQ(scratch_buffers(s), 0u);
}

TEST(Partition, CheapValuesAreComputedAgainDearOnesStored) {
  const std::string head = R"(module "shared" {
    %0 = input 0 : bf16[64,32]{32,1}
    %1 = convert %0 : f32[64,32]
)";
  const std::string tail = R"(
    %3 = reduce add dims [0] %2 : f32[1,32]
    %4 = reduce add dims [1] %2 : f32[64,1]
    store %3 to output 0 {32,1}
    store %4 to output 1 {1,1}
  })";
  EXPECT_EQ(scratch_buffers(schedule(head + "    %2 = binary multiply %1, %1 : f32[64,32]" + tail)), 0u);
  EXPECT_EQ(scratch_buffers(schedule(R"(module "shared" {
    %0 = input 0 : bf16[64,32]{32,1}
    %1 = input 1 : f32[64,32]{32,1}
    %2 = convert %0 : f32[64,32]
    %3 = binary multiply %2, %1 : f32[64,32]
    %4 = reduce add dims [0] %3 : f32[1,32]
    %5 = reduce add dims [1] %3 : f32[64,1]
    store %4 to output 0 {32,1}
    store %5 to output 1 {1,1}
  })")), 1u);
}

TEST(Partition, InPlaceGoesStraightOnlyWhenNobodyCanSee) {
  const auto stages = [](const std::string& body) { return schedule("module \"m\" {\n" + body + "}").stages.size(); };
  // Element for element.
  EXPECT_EQ(stages(R"(
    %0 = input 0 : f32[8,8]{8,1}
    %1 = binary add %0, %0 : f32[8,8]
    store %1 to input 0
  )"), 1u);
  // Turned: an element is written before its old value is read elsewhere.
  EXPECT_EQ(stages(R"(
    %0 = input 0 : f32[8,8]{8,1}
    %1 = permute dims [1,0] %0 : f32[8,8]
    %2 = binary add %0, %1 : f32[8,8]
    store %2 to input 0
  )"), 2u);
  // Read in the same stage, but not for the value that is stored: nothing orders the two.
  EXPECT_EQ(stages(R"(
    %0 = input 0 : f32[8,8]{8,1}
    %1 = input 1 : f32[8,8]{8,1}
    %2 = unary exp %1 : f32[8,8]
    %3 = binary add %0, %2 : f32[8,8]
    store %3 to output 0 {8,1}
    store %2 to input 0
  )"), 2u);
}

TEST(Partition, AliasedInputsAreOneMemory) {
  const Schedule s = schedule(R"(module "alias" alias 1:0 {
    %0 = input 0 : f32[8]{1}
    %1 = input 1 : f32[8]{1}
    %2 = binary add %0, %1 : f32[8]
    store %2 to input 1
  })");
  EXPECT_EQ(s.buffers[0].alias_group, s.buffers[1].alias_group);
  EXPECT_EQ(s.stages.size(), 2u);   // by scratch: input 0 may lie anywhere in input 1
}

TEST(Partition, PartsAreWrittenIntoTheWhole) {
  const Schedule s = schedule(R"(module "concat" {
    %0 = input 0 : f32[5,3]{3,1}
    %1 = unary exp %0 : f32[5,3]
    %2 = constant 0.0 : f32[1,1]
    %3 = concat dims [1] %0, %1 : f32[5,6]
    %4 = pad starts [1,0] steps [1,1] %3, %2 : f32[7,6]
    store %4 to output 0 {6,1}
  })");
  // The fill comes first; the two parts go straight into the padded result.
  ASSERT_EQ(s.stages.size(), 3u);
  EXPECT_EQ(s.stages[0].nodes[0].kind, NodeKind::constant);
  EXPECT_EQ(scratch_buffers(s), 0u);
}

TEST(Partition, FewRowsAreLeftSoThatUsersOfTheSumCanSpread) {
  const Schedule s = schedule(R"(module "normalise" {
    %0 = input 0 : f32[1,100000]{100000,1}
    %1 = reduce add dims [1] %0 : f32[1,1]
    %2 = binary divide %0, %1 : f32[1,100000]
    store %2 to output 0 {100000,1}
  })");
  EXPECT_EQ(s.stages.size(), 2u);
}

}  // namespace
}  // namespace lanewise::compiler::stage
