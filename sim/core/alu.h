// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Two-operand arithmetic on rows: f32 for the float datapath, 64-bit integers for exact integers.
//
// Floats: add, subtract, multiply, divide, maximum, minimum and comparisons are IEEE; maximum and minimum propagate
// NaN; floor_divide, remainder and fmod follow PyTorch (sign of the divisor, exact fmod); power is C's pow within one
// rounding. Logical operations see NaN as true. Bitwise operations and shifts exist for integers only.
// Integers wrap at 64 bits; division by zero gives 0 for divide, floor_divide, fmod and remainder; a negative power
// gives 0 unless the base is 1 or -1; a shift by 64 or more, or by a negative count, shifts everything out (the sign
// fills a right shift).
#pragma once

#include <cmath>
#include <cstdint>

#include "isa/instruction.h"

namespace lanewise::sim::core {

using FloatRow = void (*)(const float* a, const float* b, float* out, int64_t n);   // out may be a or b
using IntegerRow = void (*)(const int64_t* a, const int64_t* b, int64_t* out, int64_t n);

// Null for an op that the datapath does not have (none; bitwise and shifts on floats).
FloatRow float_row(isa::AluOp op);
IntegerRow integer_row(isa::AluOp op);

// Exact for integers on every engine: comparisons, maximum, minimum, bypass, logical and bitwise operations.
bool exact_on_every_engine(isa::AluOp op);

// One element, for reductions and the reference interpreter.
namespace scalar_op {
inline float maximum(float a, float b) { return (a > b || a != a) ? a : b; }
inline float minimum(float a, float b) { return (a < b || a != a) ? a : b; }
float fmod(float a, float b);
float remainder(float a, float b);
float floor_divide(float a, float b);
float power(float a, float b);
int64_t divide(int64_t a, int64_t b);
int64_t floor_divide(int64_t a, int64_t b);
int64_t fmod(int64_t a, int64_t b);
int64_t remainder(int64_t a, int64_t b);
int64_t power(int64_t a, int64_t b);
int64_t shift_left(int64_t a, int64_t b);
int64_t shift_right(int64_t a, int64_t b);
}  // namespace scalar_op

}  // namespace lanewise::sim::core
