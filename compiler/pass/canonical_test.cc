// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every pass of the front half: what it does to one module, and that random modules compute the same bits afterwards.
#include "compiler/pass/pass_check.h"
#include "compiler/pass/pipeline.h"

namespace lanewise::compiler::pass {
namespace {

// The buffers of a dead input are still bound, with bytes by its dtype; only outputs are compared.
TEST(FoldConstants, RandomModules) { expect_same_results(fold_constants); }
TEST(MergeConverts, RandomModules) { expect_same_results(merge_converts); }
TEST(DropRoundTrips, KeepsWhatTheProgramAskedFor) { expect_same_results(drop_round_trips); }
TEST(HoistViews, RandomModules) { expect_same_results(hoist_views); }
TEST(MergeViews, RandomModules) { expect_same_results(merge_views); }
TEST(ReadViews, RandomModules) { expect_same_results(read_views); }
TEST(DropBroadcasts, RandomModules) { expect_same_results(drop_broadcasts); }
TEST(MergeEqualOps, RandomModules) { expect_same_results(merge_equal_ops); }
TEST(DropDeadOps, RandomModules) { expect_same_results(drop_dead_ops); }
TEST(Pipeline, RandomModules) {
  expect_same_results([](ir::Module& module) { return run_pipeline(module); }, {.ops = 40}, 1000);
}

void expect_becomes(Status (*pass)(ir::Module&), std::string_view before, std::string_view expected) {
  EXPECT_EQ(after({pass}, with_inputs(before)), normalised(with_inputs(expected, "")));
}

TEST(FoldConstants, ArithmeticAndNeutralElements) {
  expect_becomes(fold_constants, R"(
  %2 = constant 3.0 : f32[1,1]
  %3 = constant 0.5 : f32[1,1]
  %4 = binary multiply %2, %3 : f32[1,1]
  %5 = unary rsqrt %4 : f32[1,1]
  %6 = broadcast %5 : f32[4,6]
  %7 = constant 1.0 : f32[1,1]
  %8 = binary multiply %0, %7 : f32[4,6]
  %9 = binary add %8, %6 : f32[4,6]
  store %9 to output 0 {6,1}
)", R"(
  %0 = input 0 : f32[4,6]{6,1}
  %1 = constant 0.8164966106414795 : f32[4,6]
  %2 = binary add %0, %1 : f32[4,6]
  store %2 to output 0 {6,1}
)");
}

TEST(FoldConstants, AddingZeroStaysBecauseOfMinusZero) {
  const std::string text = R"(
  %0 = input 0 : f32[4,6]{6,1}
  %1 = constant 0.0 : f32[1,1]
  %2 = binary add %0, %1 : f32[4,6]
  store %2 to output 0 {6,1}
)";
  EXPECT_EQ(after({fold_constants}, with_inputs(text, "")), normalised(with_inputs(text, "")));
}

TEST(DropRoundTrips, KeepsF32BetweenOps) {
  expect_becomes(drop_round_trips, R"(
  %2 = convert %0 : bf16[4,6] from "aten::mul.Tensor"
  %3 = convert %2 : f32[4,6]
  %4 = unary exp %3 : f32[4,6]
  store %4 to output 0 {6,1}
  store %2 to output 1 {6,1}
)", R"(
  %0 = input 0 : f32[4,6]{6,1}
  %1 = convert %0 : bf16[4,6] from "aten::mul.Tensor"
  %2 = unary exp %0 : f32[4,6]
  store %2 to output 0 {6,1}
  store %1 to output 1 {6,1}
)");
}

TEST(MergeConverts, WideningFirstAndWrapping) {
  expect_becomes(merge_converts, R"(
  %2 = convert %1 : f32[6]
  %3 = convert %2 : f16[6]
  %4 = convert %2 : bf16[6]
  %5 = convert %0 : i64[4,6]
  %6 = convert %5 : i32[4,6]
  %7 = convert %6 : u8[4,6]
  store %3 to output 0 {1}
  store %4 to output 1 {1}
  store %7 to output 2 {6,1}
)", R"(
  %0 = input 0 : f32[4,6]{6,1}
  %1 = input 1 : bf16[6]{1}
  %2 = convert %1 : f16[6]
  %3 = convert %0 : i64[4,6]
  %4 = convert %3 : u8[4,6]
  store %2 to output 0 {1}
  store %1 to output 1 {1}
  store %4 to output 2 {6,1}
)");
}

TEST(HoistViews, ViewsGoUpAndBroadcastsGoDown) {
  expect_becomes(hoist_views, R"(
  %2 = convert %1 : f32[6]
  %3 = reshape %2 : f32[1,6]
  %4 = broadcast %3 : f32[4,6]
  %5 = unary exp %4 : f32[4,6]
  store %5 to output 0 {6,1}
)", R"(
  %0 = input 1 : bf16[6]{1}
  %1 = reshape %0 : bf16[1,6]
  %2 = convert %1 : f32[1,6]
  %3 = unary exp %2 : f32[1,6]
  %4 = broadcast %3 : f32[4,6]
  store %4 to output 0 {6,1}
)");
}

TEST(MergeViews, ChainsBecomeOneView) {
  expect_becomes(merge_views, R"(
  %2 = reshape %0 : f32[2,2,6]
  %3 = permute dims [2,0,1] %2 : f32[6,2,2]
  %4 = permute dims [1,2,0] %3 : f32[2,2,6]
  %5 = reshape %4 : f32[24]
  %6 = slice starts [1,5] steps [1,-1] %0 : f32[3,6]
  %7 = slice starts [1,1] steps [1,2] %6 : f32[2,3]
  store %5 to output 0 {1}
  store %7 to output 1 {3,1}
)", R"(
  %0 = input 0 : f32[4,6]{6,1}
  %1 = reshape %0 : f32[24]
  %2 = slice starts [2,4] steps [1,-2] %0 : f32[2,3]
  store %1 to output 0 {1}
  store %2 to output 1 {3,1}
)");
}

TEST(ReadViews, BecomeStridesAndAnOffset) {
  expect_becomes(read_views, R"(
  %2 = permute dims [1,0] %0 : f32[6,4]
  %3 = slice starts [5,1] steps [-1,2] %2 : f32[6,2]
  %4 = reshape %0 : f32[4,2,3]
  %5 = reshape %2 : f32[24]
  store %3 to output 0 {2,1}
  store %4 to output 1 {6,3,1}
  store %5 to output 2 {1}
)", R"(
  %0 = input 0 : f32[6,4]{1,6}
  %1 = input 0 : f32[6,2]{-1,12} offset 11
  %2 = input 0 : f32[4,2,3]{6,3,1}
  %3 = reshape %0 : f32[24]
  store %1 to output 0 {2,1}
  store %2 to output 1 {6,3,1}
  store %3 to output 2 {1}
)");
}

TEST(DropBroadcasts, OperandsRepeatThemselves) {
  expect_becomes(drop_broadcasts, R"(
  %2 = parameter 0 : f32[4,6]
  %3 = constant 2.0 : f32[4,6]
  %4 = binary multiply %2, %3 : f32[4,6]
  %5 = binary add %0, %4 : f32[4,6]
  store %5 to output 0 {6,1}
)", R"(
  %0 = input 0 : f32[4,6]{6,1}
  %1 = parameter 0 : f32[1,1]
  %2 = constant 2.0 : f32[1,1]
  %3 = binary multiply %1, %2 : f32[1,1]
  %4 = binary add %0, %3 : f32[4,6]
  store %4 to output 0 {6,1}
)");
}

TEST(MergeEqualOps, MinusZeroIsNotZero) {
  expect_becomes(merge_equal_ops, R"(
  %2 = constant 0.0 : f32[1,1]
  %3 = constant -0.0 : f32[1,1]
  %4 = constant 0.0 : f32[1,1]
  %5 = binary add %0, %2 : f32[4,6]
  %6 = binary add %0, %3 : f32[4,6]
  %7 = binary add %0, %4 : f32[4,6] from "aten::add.Tensor"
  store %5 to output 0 {6,1}
  store %6 to output 1 {6,1}
  store %7 to output 2 {6,1}
)", R"(
  %0 = input 0 : f32[4,6]{6,1}
  %1 = constant 0.0 : f32[1,1]
  %2 = constant -0.0 : f32[1,1]
  %3 = binary add %0, %1 : f32[4,6]
  %4 = binary add %0, %2 : f32[4,6]
  store %3 to output 0 {6,1}
  store %4 to output 1 {6,1}
  store %3 to output 2 {6,1}
)");
}

// Six separate ops of the study, as torch.compile sends them, end with one conversion at each border.
TEST(Pipeline, RmsNormInSixOps) {
  const std::string result = after({[](ir::Module& module) { return run_pipeline(module); }}, R"(module "rms" {
  %0 = input 0 : bf16[4,512]{512,1}
  %1 = input 1 : bf16[512]{1}
  %2 = convert %0 : f32[4,512]
  %3 = convert %0 : f32[4,512]
  %4 = binary multiply %2, %3 : f32[4,512]
  %5 = convert %4 : bf16[4,512]
  %6 = convert %5 : f32[4,512]
  %7 = reduce add dims [1] %6 : f32[4,1]
  %8 = constant 0.001953125 : f32[1,1]
  %9 = binary multiply %7, %8 : f32[4,1]
  %10 = convert %9 : bf16[4,1]
  %11 = convert %10 : f32[4,1]
  %12 = unary rsqrt %11 : f32[4,1]
  %13 = convert %12 : bf16[4,1]
  %14 = convert %13 : f32[4,1]
  %15 = broadcast %14 : f32[4,512]
  %16 = binary multiply %2, %15 : f32[4,512]
  %17 = convert %16 : bf16[4,512]
  %18 = convert %17 : f32[4,512]
  %19 = convert %1 : f32[512]
  %20 = reshape %19 : f32[1,512]
  %21 = binary multiply %18, %20 : f32[4,512]
  %22 = convert %21 : bf16[4,512]
  store %22 to output 0 {512,1}
}
)");
  EXPECT_EQ(result, R"(module "rms" {
  %0 = input 0 : bf16[4,512]{512,1}
  %1 = convert %0 : f32[4,512]
  %2 = binary multiply %1, %1 : f32[4,512]
  %3 = reduce add dims [1] %2 : f32[4,1]
  %4 = constant 0.001953125 : f32[1,1]
  %5 = binary multiply %3, %4 : f32[4,1]
  %6 = unary rsqrt %5 : f32[4,1]
  %7 = binary multiply %1, %6 : f32[4,512]
  %8 = input 1 : bf16[1,512]{1,1}
  %9 = convert %8 : f32[1,512]
  %10 = binary multiply %7, %9 : f32[4,512]
  %11 = convert %10 : bf16[4,512]
  store %11 to output 0 {512,1}
}
)");
}

TEST(Pipeline, DumpsAfterEachPass) {
  auto module = ir::parse_text(with_inputs("  store %0 to output 0 {6,1}\n"));
  ASSERT_TRUE(module.ok());
  std::vector<std::string> names;
  ASSERT_TRUE(run_pipeline(*module, [&](std::string_view name, const std::string&) { names.emplace_back(name); }).ok());
  ASSERT_EQ(names.size(), pipeline().size());
  EXPECT_EQ(names.front(), "fold_constants");
  EXPECT_EQ(names.back(), "drop_dead_ops");
}

}  // namespace
}  // namespace lanewise::compiler::pass
