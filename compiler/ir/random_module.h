// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Random modules that hold the rules, for tests: what a pass does to one must not change what it computes.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "compiler/ir/module.h"

namespace lanewise::compiler::ir {

struct RandomOptions {
  int ops = 24;                   // about as many
  bool keep_roundings = true;     // every conversion to a narrow floating point dtype is one the program asks for
};

Module random_module(std::mt19937_64& random, const RandomOptions& options);

// Buffers bound to random numbers (same random state, same bytes), evaluated; the bytes of all buffers afterwards.
Result<std::vector<std::vector<std::byte>>> evaluate_randomly(const Module& module, uint64_t seed);

}  // namespace lanewise::compiler::ir
