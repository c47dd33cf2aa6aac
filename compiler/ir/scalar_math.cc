// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/scalar_math.h"

#include <cmath>

#include "base/status.h"

namespace lanewise::compiler::ir {
namespace {

using isa::ActFn;
using isa::AluOp;

double sign_of(double x) { return std::isnan(x) ? x : (x > 0) - (x < 0); }
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// -inf times the 0 that the factor underflows to would be NaN.
double gated(double x, double factor) { return x == -INFINITY ? -0.0 : x * factor; }
double gelu_tanh(double x) {
  return gated(x, 0.5 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))));
}

// Newton's method on erf from a rational start; erf is smooth and monotone, so a few steps reach double precision.
double erf_inverse(double y) {
  if (y <= -1 || y >= 1 || std::isnan(y)) return y == 1 ? INFINITY : y == -1 ? -INFINITY : NAN;
  const double w = std::log1p(-y * y), a = 0.147, t = 2 / (3.14159265358979323846 * a) + w / 2;
  double x = std::copysign(std::sqrt(std::sqrt(t * t - w / a) - t), y);
  for (int i = 0; i < 4; ++i) {
    const double slope = 1.1283791670955126 * std::exp(-x * x);
    // Near 1 the difference is taken of the complements, which keep their digits.
    const double tail = (1 - std::fabs(y)) - std::erfc(std::fabs(x));
    const double error = std::fabs(y) < 0.5 ? std::erf(x) - y : y < 0 ? -tail : tail;
    if (slope > 0) x -= error / slope;
  }
  return x;
}

double function(ActFn fn, double x) {
  switch (fn) {
    case ActFn::none: break;
    case ActFn::copy: return x;
    case ActFn::abs: return std::fabs(x);
    case ActFn::square: return x * x;
    case ActFn::sqrt: return std::sqrt(x);
    case ActFn::rsqrt: return 1 / std::sqrt(x);
    case ActFn::reciprocal: return 1 / x;
    case ActFn::exp: return std::exp(x);
    case ActFn::expm1: return std::expm1(x);
    case ActFn::log: return std::log(x);
    case ActFn::log1p: return std::log1p(x);
    case ActFn::log2: return std::log2(x);
    case ActFn::tanh: return std::tanh(x);
    case ActFn::sigmoid: return sigmoid(x);
    case ActFn::silu: return gated(x, sigmoid(x));
    case ActFn::gelu: return gated(x, 0.5 * std::erfc(-x * 0.70710678118654752));
    case ActFn::gelu_tanh: return gelu_tanh(x);
    case ActFn::erf: return std::erf(x);
    case ActFn::sin: return std::sin(x);
    case ActFn::cos: return std::cos(x);
    case ActFn::tan: return std::tan(x);
    case ActFn::atan: return std::atan(x);
    case ActFn::relu: return std::isnan(x) || x > 0 ? x : 0.0;
    case ActFn::sign: return sign_of(x);
    case ActFn::softplus: return softplus(x);
    case ActFn::floor: return std::floor(x);
    case ActFn::ceil: return std::ceil(x);
    case ActFn::trunc: return std::trunc(x);
    case ActFn::round: return std::nearbyint(x);   // ties to even, as PyTorch
    case ActFn::mish: return gated(x, std::tanh(softplus(x)));
    case ActFn::exp2: return std::exp2(x);
    case ActFn::erfinv: return erf_inverse(x);
  }
  LW_CHECK(false, "a unary op has a function");
}

// Sign of the divisor; an infinite divisor of the other sign gives the divisor, as in PyTorch.
double remainder_of(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

float floor_divide(float a, float b) {
  if (b == 0) return a / b;
  const float mod = std::fmod(a, b);
  float quotient = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0f, a / b);
  const float whole = std::floor(quotient);
  return quotient - whole > 0.5f ? whole + 1 : whole;
}

int64_t floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (uint64_t bits = static_cast<uint64_t>(exponent); bits; bits >>= 1, factor *= factor) {
    if (bits & 1) result *= factor;
  }
  return static_cast<int64_t>(result);
}

template <typename T>
bool compare(AluOp alu, T a, T b) {
  switch (alu) {
    case AluOp::equal: return a == b;
    case AluOp::not_equal: return a != b;
    case AluOp::less: return a < b;
    case AluOp::less_equal: return a <= b;
    case AluOp::greater: return a > b;
    case AluOp::greater_equal: return a >= b;
    case AluOp::logical_and: return a != 0 && b != 0;
    case AluOp::logical_or: return a != 0 || b != 0;
    case AluOp::logical_xor: return (a != 0) != (b != 0);
    default: LW_CHECK(false, "an arithmetic operation has its own case");
  }
}

}  // namespace

float apply(ActFn fn, float x) { return static_cast<float>(function(fn, x)); }

int64_t apply(ActFn fn, int64_t x) {
  switch (fn) {
    case ActFn::copy: return x;
    case ActFn::abs: return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x;
    case ActFn::sign: return (x > 0) - (x < 0);
    default: LW_CHECK(false, "functions other than abs and sign are of floating point");
  }
}

float apply(AluOp alu, float a, float b) {
  const double x = a, y = b;
  switch (alu) {
    case AluOp::add: return static_cast<float>(x + y);
    case AluOp::subtract: return static_cast<float>(x - y);
    case AluOp::multiply: return static_cast<float>(x * y);
    case AluOp::divide: return static_cast<float>(x / y);
    case AluOp::maximum: return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    case AluOp::minimum: return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    case AluOp::power: return static_cast<float>(std::pow(x, y));
    case AluOp::fmod: return static_cast<float>(std::fmod(x, y));
    case AluOp::remainder: return static_cast<float>(remainder_of(x, y));
    case AluOp::floor_divide: return floor_divide(a, b);
    default: return compare(alu, a, b) ? 1.0f : 0.0f;
  }
}

int64_t apply(AluOp alu, int64_t a, int64_t b) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (alu) {
    case AluOp::add: return static_cast<int64_t>(x + y);
    case AluOp::subtract: return static_cast<int64_t>(x - y);
    case AluOp::multiply: return static_cast<int64_t>(x * y);
    case AluOp::divide: return b == 0 ? 0 : b == -1 ? static_cast<int64_t>(0 - x) : a / b;
    case AluOp::maximum: return std::max(a, b);
    case AluOp::minimum: return std::min(a, b);
    case AluOp::power: return power(a, b);
    case AluOp::fmod: return b == 0 || b == -1 ? 0 : a % b;
    case AluOp::remainder: return b == 0 ? 0 : static_cast<int64_t>(x - static_cast<uint64_t>(floor_divide(a, b)) * y);
    case AluOp::floor_divide: return floor_divide(a, b);
    case AluOp::bitwise_and: return a & b;
    case AluOp::bitwise_or: return a | b;
    case AluOp::bitwise_xor: return a ^ b;
    case AluOp::shift_left: return b < 0 || b > 63 ? 0 : static_cast<int64_t>(x << b);
    case AluOp::shift_right: return b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b;
    default: return compare(alu, a, b);
  }
}

}  // namespace lanewise::compiler::ir
