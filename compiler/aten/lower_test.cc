// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aten/lower.h"

#include <algorithm>

#include "compiler/aten/host_run_check.h"

namespace lanewise::compiler::aten {
namespace {

ir::Module lowered(std::string_view text) {
  auto graph = parse_text(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  auto module = lower(*graph, "test");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return module.ok() ? *module : ir::Module();
}

void expect_failure(std::string_view text, StatusCode code, std::string_view part) {
  const auto graph = parse_text(text);
  ASSERT_TRUE(graph.ok()) << graph.status().to_string();
  const auto module = lower(*graph, "test");
  ASSERT_FALSE(module.ok()) << text;
  EXPECT_EQ(module.status().code(), code) << module.status().to_string();
  EXPECT_NE(module.status().message().find(part), std::string::npos) << module.status().message();
}

TEST(Lower, HalfTypesAreComputedInF32AndRoundedOnce) {
  EXPECT_EQ(ir::print_text(lowered("%x = input bf16[4,512]{512,1}\n%y = aten::mul.Tensor(%x, %x) -> bf16[4,512]{512,1}\nreturn %y")),
            R"(module "test" {
  %0 = input 0 : bf16[4,512]{512,1}
  %1 = convert %0 : f32[4,512] from "aten::mul.Tensor" node 0
  %2 = convert %0 : f32[4,512] from "aten::mul.Tensor" node 0
  %3 = binary multiply %1, %2 : f32[4,512] from "aten::mul.Tensor" node 0
  %4 = convert %3 : bf16[4,512] from "aten::mul.Tensor" node 0
  store %4 to output 0 {512,1}
}
)");
}

TEST(Lower, RmsNorm) {
  EXPECT_EQ(ir::print_text(lowered("%x = input bf16[4,512]{512,1}\n%w = input bf16[512]{1}\n"
                                   "(%o, %r) = aten::_fused_rms_norm(%x, [512], %w, $0) -> bf16[4,512]{512,1}, f32[4,1]{1,1}\n"
                                   "return %o, %r\nparams f64")),
            R"(module "test" params f64 {
  %0 = input 0 : bf16[4,512]{512,1}
  %1 = input 1 : bf16[512]{1}
  %2 = convert %0 : f32[4,512] from "aten::_fused_rms_norm" node 0
  %3 = parameter 0 : f32[1,1] from "aten::_fused_rms_norm" node 0
  %4 = binary multiply %2, %2 : f32[4,512] from "aten::_fused_rms_norm" node 0
  %5 = reduce add dims [1] %4 : f32[4,1] from "aten::_fused_rms_norm" node 0
  %6 = constant 0.001953125 : f32[1,1] from "aten::_fused_rms_norm" node 0
  %7 = binary multiply %5, %6 : f32[4,1] from "aten::_fused_rms_norm" node 0
  %8 = binary add %7, %3 : f32[4,1] from "aten::_fused_rms_norm" node 0
  %9 = unary rsqrt %8 : f32[4,1] from "aten::_fused_rms_norm" node 0
  %10 = binary multiply %2, %9 : f32[4,512] from "aten::_fused_rms_norm" node 0
  %11 = convert %1 : f32[512] from "aten::_fused_rms_norm" node 0
  %12 = reshape %11 : f32[1,512] from "aten::_fused_rms_norm" node 0
  %13 = binary multiply %10, %12 : f32[4,512] from "aten::_fused_rms_norm" node 0
  %14 = convert %13 : bf16[4,512] from "aten::_fused_rms_norm" node 0
  store %14 to output 0 {512,1}
  store %9 to output 1 {1,1}
}
)");
}

TEST(Lower, AnInPlaceResultIsConvertedToTheInput) {
  const auto values = run_text("%x = input bf16[3]{1}\n%y = input f32[3]{1}\n%z = aten::add.Tensor(%x, %y) -> f32[3]{1}\nreturn %x := %z",
                               {{1, 2, 3}, {0.25, 0.001, -3}});
  ASSERT_EQ(values.size(), 2u);
  expect_near(values[0], {1.25, 2, 0});
}

TEST(Lower, RunTimeParametersAreBoundAtTheLaunch) {
  const std::string text = "%x = input f32[2]{1}\n%y = aten::add.Tensor(%x, %x, $0) -> f32[2]{1}\nreturn %y\nparams f64";
  expect_result(text, {{1, 2}}, {4, 8}, {{3.0, 0}});
  expect_result(text, {{1, 2}}, {0.5, 1}, {{-0.5, 0}});
}

TEST(Lower, RefusesWhatItDoesNotServe) {
  const std::string x = "%x = input f32[2]{1}\n";
  expect_failure(x + "%y = aten::fft(%x) -> f32[2]{1}\nreturn %y", StatusCode::unimplemented, "aten::fft: the lowering table does not have this op");
  expect_failure(x + "%y = aten::exp(1.0) -> f32[2]{1}\nreturn %y", StatusCode::invalid_argument, "aten::exp: argument 0 must be tensor");
  expect_failure(x + "%y = aten::exp() -> f32[2]{1}\nreturn %y", StatusCode::invalid_argument, "argument 0 (tensor) is missing");
  expect_failure(x + "%y = aten::exp(%x, %x) -> f32[2]{1}\nreturn %y", StatusCode::invalid_argument, "takes at most 1 arguments");
  expect_failure(x + "%y = aten::exp(%x) -> f32[3]{1}\nreturn %y", StatusCode::invalid_argument, "result 0 has sizes [2], the graph says [3]");
  expect_failure(x + "(%y, %z) = aten::exp(%x) -> f32[2]{1}, f32[2]{1}\nreturn %y", StatusCode::invalid_argument, "has no result 1");
  expect_failure(x + "%w = input f32[3]{1}\n%y = aten::mul.Tensor(%x, %w) -> f32[2]{1}\nreturn %y", StatusCode::invalid_argument,
                 "arguments do not fit together");
  expect_failure("%x = input f32[1,1,1,1,1,1,1,1,1]{1,1,1,1,1,1,1,1,1}\nreturn %x", StatusCode::unimplemented, "more than 8 dimensions");
}

TEST(Lower, SupportedOpsAreSortedAndFound) {
  const auto ops = supported_ops();
  EXPECT_TRUE(std::is_sorted(ops.begin(), ops.end()));
  for (const auto op : ops) EXPECT_TRUE(is_supported(op)) << op;
  EXPECT_TRUE(is_supported("aten::rsqrt.default"));
  EXPECT_FALSE(is_supported("aten::rsqrt.out"));
  EXPECT_FALSE(is_supported(""));
}

}  // namespace
}  // namespace lanewise::compiler::aten
