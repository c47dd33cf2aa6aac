// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every function and two-operand operation on single numbers. Floating point is computed in double from f32 operands
// and rounded once to f32, which is the correctly rounded f32 result of + - * / and sqrt.
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace lanewise::compiler::ir {

float apply(isa::ActFn fn, float x);
int64_t apply(isa::ActFn fn, int64_t x);           // abs, sign, copy
float apply(isa::AluOp alu, float a, float b);     // comparisons and logical ops give 0 or 1
int64_t apply(isa::AluOp alu, int64_t a, int64_t b);

}  // namespace lanewise::compiler::ir
