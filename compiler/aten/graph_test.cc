// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aten/graph.h"

#include <gtest/gtest.h>

namespace lanewise::compiler::aten {
namespace {

constexpr std::string_view kEveryForm = R"(%x = input bf16[4,512]{512,1}
%b = input f32[]{} alias 0
%y = aten::mul.Tensor(%x, %x) -> bf16[4,512]{512,1}
(%o, %r) = aten::_fused_rms_norm(%x, [512], none, 1e-06) -> bf16[4,512]{512,1}, f32[4,1]{1,1}
(%p, _) = aten::two([%x, none, [1,2]], "a \"b\"", i64, -inf, nan, true, false, $1, []) -> bf16[4,512]{512,1}, none
%z = aten::add.Tensor(%o, $0, 1) -> bf16[4,512]{512,1}
return %z, %x := %y
params f64, i64
)";

TEST(GraphText, RoundTripsEveryForm) {
  const auto graph = parse_text(kEveryForm);
  ASSERT_TRUE(graph.ok()) << graph.status().to_string();
  const std::string printed = print_text(*graph);
  const auto again = parse_text(printed);
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  EXPECT_EQ(print_text(*again), printed);
  EXPECT_EQ(graph->inputs[1].alias, 0);
  EXPECT_EQ(graph->nodes[2].results, (std::vector<int32_t>{5, -1}));
  EXPECT_EQ(graph->outputs[1], (Output{2, 0}));
  EXPECT_EQ(graph->parameters, (std::vector<isa::DType>{isa::DType::f32, isa::DType::i64}));
  EXPECT_EQ(std::get<double>(graph->nodes[1].arguments[3].value), 1e-06);
  EXPECT_EQ(std::get<std::string>(graph->nodes[2].arguments[1].value), "a \"b\"");
  EXPECT_EQ(std::get<isa::DType>(graph->nodes[2].arguments[2].value), isa::DType::i64);
}

void expect_error(std::string_view text, std::string_view part) {
  const auto graph = parse_text(text);
  ASSERT_FALSE(graph.ok()) << text;
  EXPECT_EQ(graph.status().code(), StatusCode::invalid_argument);
  EXPECT_NE(graph.status().message().find(part), std::string::npos) << graph.status().message();
}

TEST(GraphText, ErrorsSayLineAndReason) {
  expect_error("%x = input f64[2]{1}\nreturn", "line 1: unknown dtype f64");
  expect_error("%x = input f32[2]{1}\n%y = aten::exp(%z) -> f32[2]{1}\nreturn", "line 2: %z is not defined before its use");
  expect_error("%x = input f32[2]{1}\n%x = input f32[2]{1}\nreturn", "line 2: %x is defined twice");
  expect_error("%x = input f32[2]{1,1}\nreturn", "as many strides as sizes");
  expect_error("%x = input f32[-2]{1}\nreturn", "sizes must not be negative");
  expect_error("%x = input f32[2]{1} alias 0\nreturn", "earlier input");
  expect_error("%x = input f32[2]{1}\n", "expected 'return', found the end of the text");
  expect_error("%x = input f32[2]{1}\nreturn %x junk", "nothing after the graph");
  expect_error("%x = input f32[2]{1}\n%y = aten::add(%x, $0) -> f32[2]{1}\nreturn %y", "$0 is used but params declares 0");
  expect_error("%x = input f32[2]{1}\n%y = aten::exp(%x -> f32[2]{1}\nreturn %y", "line 2: expected ')'");
  expect_error("%x = input f32[2]{1}\n%y = aten::exp(%x) -> f32[2]{1}\nreturn %y := %x", "only an input can be stored into");
  expect_error("%x = input f32[2]{1}\n%y = aten::exp(99999999999999999999) -> f32[2]{1}\nreturn", "line 2: not an integer of 64 bits: 9999");
  expect_error("%y = aten::exp(\"abc) -> f32[2]{1}\nreturn", "closing quote");
}

TEST(GraphText, DeepListsAreRefusedNotFollowed) {
  expect_error("%y = aten::exp(" + std::string(100000, '[') + ") -> f32[2]{1}\nreturn", "nested too deeply");
}

}  // namespace
}  // namespace lanewise::compiler::aten
