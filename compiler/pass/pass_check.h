// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For the tests of passes: text in, text out, and the same results on random modules.
#pragma once

#include <gtest/gtest.h>

#include "compiler/ir/random_module.h"
#include "compiler/pass/pass.h"

namespace lanewise::compiler::pass {

// Ops of a module with input 0 f32[4,6]{6,1} (%0) and input 1 bf16[6]{1} (%1); numbering goes on from there.
inline std::string with_inputs(std::string_view ops, std::string_view declared = "  %0 = input 0 : f32[4,6]{6,1}\n  %1 = input 1 : bf16[6]{1}\n") {
  return "module \"m\" inputs 2 params f64 {\n" + std::string(declared) + std::string(ops) + "}\n";
}

// The module after the passes and without dead ops.
inline std::string after(std::initializer_list<Status (*)(ir::Module&)> passes, std::string_view text) {
  auto module = ir::parse_text(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  if (!module.ok()) return "";
  for (auto* pass : passes) {
    const Status status = pass(*module);
    EXPECT_TRUE(status.ok()) << status.to_string();
    const Status verified = ir::verify(*module);
    EXPECT_TRUE(verified.ok()) << verified.to_string();
  }
  EXPECT_TRUE(drop_dead_ops(*module).ok());
  return ir::print_text(*module);
}

inline std::string normalised(std::string_view text) {
  const auto module = ir::parse_text(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  return module.ok() ? ir::print_text(*module) : "";
}

inline void expect_same_results(Status (*pass)(ir::Module&), const ir::RandomOptions& options = {}, int modules = 400) {
  std::mt19937_64 random(1234);
  for (int i = 0; i < modules; ++i) {
    ir::Module module = ir::random_module(random, options);
    const std::string before = ir::print_text(module);
    const auto expected = ir::evaluate_randomly(module, 99);
    ASSERT_TRUE(expected.ok()) << expected.status().to_string() << "\n" << before;
    ASSERT_TRUE(pass(module).ok());
    const Status verified = ir::verify(module);
    ASSERT_TRUE(verified.ok()) << verified.to_string() << "\nbefore\n" << before << "after\n" << ir::print_text(module);
    const auto actual = ir::evaluate_randomly(module, 99);
    ASSERT_TRUE(actual.ok()) << actual.status().to_string();
    ASSERT_EQ(*actual, *expected) << "before\n" << before << "after\n" << ir::print_text(module);
  }
}

}  // namespace lanewise::compiler::pass
