// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of the reference interpreter: one number at a time, in the plainest words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/instruction.h"

namespace lanewise::sim::reference {

struct Number {
  bool integer = false;
  float f = 0;
  int64_t i = 0;

  static Number of(float v) { return {false, v, 0}; }
  static Number of(int64_t v) { return {true, 0, v}; }
  float as_float() const { return integer ? static_cast<float>(i) : f; }
};

Number load(isa::DType dtype, const std::byte* from);
void store(isa::DType dtype, std::byte* to, Number value);

// Whether integers stay exact under `op` on this engine.
bool exact(isa::AluOp op, bool gpsimd);

// Exact integer arithmetic when asked for and both numbers are integers, else f32. Nothing for an operation that floats
// do not have.
std::optional<Number> apply(isa::AluOp op, Number a, Number b, bool exact);

// In the order that core/reduce.h promises.
Number reduce(isa::AluOp op, const std::vector<Number>& row, bool exact);

// What select writes when its operands differ in dtype: an integer only if both choices are integers.
Number common(Number chosen, const isa::Tile& on_true, const isa::Tile& on_false, const isa::Scalar& scalar,
              Number scalar_value);

}  // namespace lanewise::sim::reference
