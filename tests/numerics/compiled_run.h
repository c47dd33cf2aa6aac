// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One question: does the compiled program of a module compute on the simulated chip what the plain evaluation of the
// module computes? Integers and bool must be equal, floats near. Every byte that no store covers must be untouched.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "compiler/ir/module.h"
#include "isa/program.h"

namespace lanewise::test {

struct CompareOptions {
  uint32_t seed = 1;
  bool passes = false;        // run the IR passes first, as compile() does
  double f32_tolerance = 2e-5;
  bool positive = false;      // inputs above 0 (for logarithms and roots)
  std::string machine = "trn2";
};

// An empty text when they agree; else what differs where.
std::string compare_compiled(const compiler::ir::Module& module, const CompareOptions& options = {});
std::string compare_compiled(const std::string& ir_text, const CompareOptions& options = {});

Result<isa::Program> schedule_text(const std::string& ir_text);

}  // namespace lanewise::test
