// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Modules by chance: every kind of op on tensors of random shape, dtype and layout, stored in random layouts, in place
// too. The same seed gives the same module.
//
// Tame on purpose: functions stay where f32 is smooth, and only exact values are compared or truncated, so that a
// difference is a bug and not a rounding.
#pragma once

#include <cstdint>

#include "compiler/ir/module.h"

namespace lanewise::test {

struct RandomModuleOptions {
  int ops = 12;
  int64_t elements = 4000;    // about the most of one tensor
};

compiler::ir::Module random_module(uint32_t seed, const RandomModuleOptions& options = {});

}  // namespace lanewise::test
