// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/alu.h"

#include "sim/core/clones.h"
#include "sim/core/elementary.h"

namespace lanewise::sim::core {
namespace {

using isa::AluOp;

// fmod while the quotient fits 29 bits: quotient times divisor is then exact in double, and one correction mends a
// quotient that rounded up. Also right for infinities and zeros of the operands, because NaN falls through.
inline bool small_quotient(float a, float b) {
  const double q = static_cast<double>(a) / static_cast<double>(b);
  return q > -0x1p29 && q < 0x1p29;
}
inline float fmod_small(float a, float b) {
  const double x = elementary::magnitude(a), y = elementary::magnitude(b);
  const double q = x / y;
  const double whole = static_cast<double>(static_cast<int32_t>(q < 0x1p29 ? q : 0.0));
  double r = x - whole * y;
  r = r < 0 ? r + y : r;
  r = y > 3.5e38 ? x : r;   // infinite divisor: 0 * inf
  return std::copysign(static_cast<float>(r), a);
}

// The loops carry no dependence from one element to another even when out is a or b.
#define LW_ROW(name, T, expression)                                             \
  LW_CLONES void name(const T* a, const T* b, T* out, int64_t n) {              \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < n; ++i) {                      \
      const T x = a[i], y = b[i];                                               \
      out[i] = expression;                                                      \
    }                                                                           \
  }
#define LW_FLOAT(name, expression) LW_ROW(float_##name, float, expression)
#define LW_INTEGER(name, expression) LW_ROW(integer_##name, int64_t, expression)

void float_bypass(const float* a, const float*, float* out, int64_t n) {
  if (a != out) __builtin_memmove(out, a, static_cast<size_t>(n) * sizeof(float));
}
LW_FLOAT(add, x + y)
LW_FLOAT(subtract, x - y)
LW_FLOAT(multiply, x * y)
LW_FLOAT(divide, x / y)
LW_FLOAT(maximum, scalar_op::maximum(x, y))
LW_FLOAT(minimum, scalar_op::minimum(x, y))
LW_FLOAT(power, static_cast<float>(elementary::pow(x, y)))
LW_FLOAT(equal, x == y ? 1.0f : 0.0f)
LW_FLOAT(not_equal, x != y ? 1.0f : 0.0f)
LW_FLOAT(less, x < y ? 1.0f : 0.0f)
LW_FLOAT(less_equal, x <= y ? 1.0f : 0.0f)
LW_FLOAT(greater, x > y ? 1.0f : 0.0f)
LW_FLOAT(greater_equal, x >= y ? 1.0f : 0.0f)
LW_FLOAT(logical_and, (x != 0) & (y != 0) ? 1.0f : 0.0f)
LW_FLOAT(logical_or, (x != 0) | (y != 0) ? 1.0f : 0.0f)
LW_FLOAT(logical_xor, (x != 0) != (y != 0) ? 1.0f : 0.0f)
void float_fmod(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = scalar_op::fmod(a[i], b[i]);
}
void float_remainder(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = scalar_op::remainder(a[i], b[i]);
}
void float_floor_divide(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = scalar_op::floor_divide(a[i], b[i]);
}

using U = uint64_t;
void integer_bypass(const int64_t* a, const int64_t*, int64_t* out, int64_t n) {
  if (a != out) __builtin_memmove(out, a, static_cast<size_t>(n) * sizeof(int64_t));
}
LW_INTEGER(add, static_cast<int64_t>(static_cast<U>(x) + static_cast<U>(y)))
LW_INTEGER(subtract, static_cast<int64_t>(static_cast<U>(x) - static_cast<U>(y)))
LW_INTEGER(multiply, static_cast<int64_t>(static_cast<U>(x) * static_cast<U>(y)))
LW_INTEGER(divide, scalar_op::divide(x, y))
LW_INTEGER(maximum, x > y ? x : y)
LW_INTEGER(minimum, x < y ? x : y)
LW_INTEGER(power, scalar_op::power(x, y))
LW_INTEGER(fmod, scalar_op::fmod(x, y))
LW_INTEGER(remainder, scalar_op::remainder(x, y))
LW_INTEGER(floor_divide, scalar_op::floor_divide(x, y))
LW_INTEGER(equal, x == y)
LW_INTEGER(not_equal, x != y)
LW_INTEGER(less, x < y)
LW_INTEGER(less_equal, x <= y)
LW_INTEGER(greater, x > y)
LW_INTEGER(greater_equal, x >= y)
LW_INTEGER(logical_and, (x != 0) & (y != 0))
LW_INTEGER(logical_or, (x != 0) | (y != 0))
LW_INTEGER(logical_xor, (x != 0) != (y != 0))
LW_INTEGER(bitwise_and, x & y)
LW_INTEGER(bitwise_or, x | y)
LW_INTEGER(bitwise_xor, x ^ y)
LW_INTEGER(shift_left, scalar_op::shift_left(x, y))
LW_INTEGER(shift_right, scalar_op::shift_right(x, y))

}  // namespace

namespace scalar_op {

float fmod(float a, float b) { return small_quotient(a, b) ? fmod_small(a, b) : std::fmod(a, b); }
float remainder(float a, float b) {
  const float m = fmod(a, b);
  return m != 0 && (b < 0) != (m < 0) ? m + b : m;
}
float floor_divide(float a, float b) {
  if (b == 0) return a / b;
  const float m = fmod(a, b);
  float d = (a - m) / b;
  if (m != 0 && (b < 0) != (m < 0)) d -= 1.0f;
  if (d == 0) return std::copysign(0.0f, a / b);
  const float whole = std::floor(d);
  return d - whole > 0.5f ? whole + 1.0f : whole;
}
float power(float a, float b) { return static_cast<float>(elementary::pow(a, b)); }

// INT64_MIN / -1 wraps to itself.
int64_t divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? static_cast<int64_t>(-static_cast<U>(a)) : a / b;
}
int64_t fmod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
int64_t remainder(int64_t a, int64_t b) {
  const int64_t m = fmod(a, b);
  return m != 0 && (b < 0) != (m < 0) ? m + b : m;
}
int64_t floor_divide(int64_t a, int64_t b) {
  const int64_t d = divide(a, b), m = fmod(a, b);
  return m != 0 && (b < 0) != (m < 0) ? d - 1 : d;
}
int64_t power(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
  U r = 1, base = static_cast<U>(a);
  for (; b != 0; b >>= 1, base *= base)
    if (b & 1) r *= base;
  return static_cast<int64_t>(r);
}
int64_t shift_left(int64_t a, int64_t b) {
  return b < 0 || b > 63 ? 0 : static_cast<int64_t>(static_cast<U>(a) << b);
}
int64_t shift_right(int64_t a, int64_t b) { return a >> (b < 0 || b > 63 ? 63 : b); }

}  // namespace scalar_op

FloatRow float_row(AluOp op) {
  switch (op) {
    case AluOp::bypass: return float_bypass;
    case AluOp::add: return float_add;
    case AluOp::subtract: return float_subtract;
    case AluOp::multiply: return float_multiply;
    case AluOp::divide: return float_divide;
    case AluOp::maximum: return float_maximum;
    case AluOp::minimum: return float_minimum;
    case AluOp::power: return float_power;
    case AluOp::fmod: return float_fmod;
    case AluOp::remainder: return float_remainder;
    case AluOp::floor_divide: return float_floor_divide;
    case AluOp::equal: return float_equal;
    case AluOp::not_equal: return float_not_equal;
    case AluOp::less: return float_less;
    case AluOp::less_equal: return float_less_equal;
    case AluOp::greater: return float_greater;
    case AluOp::greater_equal: return float_greater_equal;
    case AluOp::logical_and: return float_logical_and;
    case AluOp::logical_or: return float_logical_or;
    case AluOp::logical_xor: return float_logical_xor;
    default: return nullptr;
  }
}

IntegerRow integer_row(AluOp op) {
  switch (op) {
    case AluOp::none: return nullptr;
    case AluOp::bypass: return integer_bypass;
    case AluOp::add: return integer_add;
    case AluOp::subtract: return integer_subtract;
    case AluOp::multiply: return integer_multiply;
    case AluOp::divide: return integer_divide;
    case AluOp::maximum: return integer_maximum;
    case AluOp::minimum: return integer_minimum;
    case AluOp::power: return integer_power;
    case AluOp::fmod: return integer_fmod;
    case AluOp::remainder: return integer_remainder;
    case AluOp::floor_divide: return integer_floor_divide;
    case AluOp::equal: return integer_equal;
    case AluOp::not_equal: return integer_not_equal;
    case AluOp::less: return integer_less;
    case AluOp::less_equal: return integer_less_equal;
    case AluOp::greater: return integer_greater;
    case AluOp::greater_equal: return integer_greater_equal;
    case AluOp::logical_and: return integer_logical_and;
    case AluOp::logical_or: return integer_logical_or;
    case AluOp::logical_xor: return integer_logical_xor;
    case AluOp::bitwise_and: return integer_bitwise_and;
    case AluOp::bitwise_or: return integer_bitwise_or;
    case AluOp::bitwise_xor: return integer_bitwise_xor;
    case AluOp::shift_left: return integer_shift_left;
    case AluOp::shift_right: return integer_shift_right;
  }
  return nullptr;
}

bool exact_on_every_engine(AluOp op) {
  return op == AluOp::bypass || op == AluOp::maximum || op == AluOp::minimum ||
         (op >= AluOp::equal && op <= AluOp::shift_right);
}

}  // namespace lanewise::sim::core
