// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For the lowering tests: graph text, row-major input values, expected row-major results.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/aten/host_run.h"

namespace lanewise::compiler::aten {

using Values = std::vector<double>;

// The values of inputs and new outputs after the graph; empty after a failure.
inline std::vector<Values> run_text(std::string_view text, const std::vector<Values>& inputs,
                                    const std::vector<ir::HostParameter>& parameters = {}) {
  auto graph = parse_text(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  if (!graph.ok()) return {};
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    tensors.push_back(HostTensor::of(graph->values[graph->inputs[i].value].meta, inputs[i]));
  }
  const auto result = run_on_host(*graph, std::move(tensors), parameters);
  EXPECT_TRUE(result.ok()) << result.status().to_string();
  std::vector<Values> values;
  if (result.ok()) {
    for (const HostTensor& tensor : *result) values.push_back(tensor.values());
  }
  return values;
}

inline void expect_near(const Values& actual, const Values& expected, double tolerance = 1e-6) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(actual[i])) << "element " << i << " is " << actual[i];
    } else if (std::isinf(expected[i])) {
      EXPECT_EQ(actual[i], expected[i]) << "element " << i;
    } else {
      EXPECT_NEAR(actual[i], expected[i], tolerance * (1 + std::fabs(expected[i]))) << "element " << i;
    }
  }
}

// The last new output of the graph.
inline void expect_result(std::string_view text, const std::vector<Values>& inputs, const Values& expected,
                          const std::vector<ir::HostParameter>& parameters = {}, double tolerance = 1e-6) {
  SCOPED_TRACE(text);
  const auto values = run_text(text, inputs, parameters);
  ASSERT_GT(values.size(), inputs.size());
  expect_near(values.back(), expected, tolerance);
}

// A graph of one call, `call` being "op(arguments) -> type" over inputs %a, %b, %c of `types`.
inline std::string one_call(const std::vector<std::string>& types, std::string_view call) {
  std::string text;
  for (size_t i = 0; i < types.size(); ++i) text += std::string("%") + static_cast<char>('a' + i) + " = input " + types[i] + "\n";
  return text + "%result = " + std::string(call) + "\nreturn %result\n";
}

}  // namespace lanewise::compiler::aten
