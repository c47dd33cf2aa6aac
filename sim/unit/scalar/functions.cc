// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/scalar/functions.h"

#include <cmath>
#include <limits>

#include "sim/core/clones.h"
#include "sim/core/elementary.h"

namespace lanewise::sim::scalar {
namespace {

namespace e = core::elementary;
using isa::ActFn;

constexpr double kInvSqrt2 = 0x1.6a09e667f3bcdp-1;

#define LW_FUNCTION(name, expression)                              \
  LW_CLONES void row_##name(const float* in, float* out, int64_t n) { \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < n; ++i) {         \
      const float f = in[i];                                       \
      const double x = f;                                          \
      (void)x;                                                     \
      out[i] = static_cast<float>(expression);                     \
    }                                                              \
  }

void row_copy(const float* in, float* out, int64_t n) {
  if (in != out) __builtin_memmove(out, in, static_cast<size_t>(n) * sizeof(float));
}

LW_INLINE double minus_infinity_is_nan(double x, double value) {
  return e::choose(x < -3.5e38, std::bit_cast<double>(0x7ff8000000000000u), value);
}
// x / (1 + e^-z); z is x, or gelu's inner polynomial.
LW_INLINE double gate(double x, double z) { return minus_infinity_is_nan(x, x / (1.0 + e::exp(-z))); }
LW_INLINE double gelu(double x) {
  // The argument of erfc would leave its range only where the result is 0 or x.
  const double z = e::clamp(-x * kInvSqrt2, -24.0, 24.0);
  return minus_infinity_is_nan(x, 0.5 * x * e::erfc(z));
}
LW_INLINE double gelu_tanh(double x) {
  // 0.5 (1 + tanh u) = 1 / (1 + e^-2u); 2 sqrt(2/pi) and its product with 0.044715.
  const double c = e::clamp(x, -100.0, 100.0);
  return gate(x, c * (1.5957691216057308 + 0.07135481627260025 * c * c));
}
LW_INLINE double softplus(double x) {
  const double t = e::log1p(e::exp(-e::magnitude(x)));
  return e::choose(x > 0, x, 0.0) + t;
}
LW_INLINE double mish(double x) {
  const double t = e::exp(e::clamp(x, -700.0, 40.0));
  const double n = t * (t + 2.0);
  return minus_infinity_is_nan(x, x * (n / (n + 2.0)));
}
LW_INLINE float sign(float f) { return f > 0 ? 1.0f : f < 0 ? -1.0f : f == f ? 0.0f : f; }
// Ties to even; numbers without a fraction pass.
LW_INLINE float round_even(float f) {
  const float a = std::fabs(f);
  const float r = a < 0x1p23f ? (a + 0x1p23f) - 0x1p23f : a;
  return std::copysign(r, f);
}
// From the nearest integer one step back where it lies on the wrong side.
LW_INLINE float floor(float f) {
  const float r = round_even(f);
  return std::copysign(r - (r > f ? 1.0f : 0.0f), f);
}
LW_INLINE float ceil(float f) {
  const float r = round_even(f);
  return std::copysign(r + (r < f ? 1.0f : 0.0f), f);
}
LW_INLINE float truncate(float f) { return std::copysign(floor(std::fabs(f)), f); }

LW_FUNCTION(abs, std::fabs(f))
LW_FUNCTION(square, f * f)
LW_FUNCTION(sqrt, __builtin_sqrtf(f))
LW_FUNCTION(rsqrt, 1.0 / __builtin_sqrt(x))
LW_FUNCTION(reciprocal, 1.0f / f)
LW_FUNCTION(exp, e::exp(x))
LW_FUNCTION(exp2, e::exp2(x))
LW_FUNCTION(expm1, e::expm1(x))
LW_FUNCTION(log, e::log(x))
LW_FUNCTION(log1p, e::log1p(x))
LW_FUNCTION(log2, e::log2(x))
LW_FUNCTION(tanh, e::tanh(x))
LW_FUNCTION(sigmoid, 1.0 / (1.0 + e::exp(-x)))
LW_FUNCTION(silu, gate(x, x))
LW_FUNCTION(gelu, gelu(x))
LW_FUNCTION(gelu_tanh, gelu_tanh(x))
LW_FUNCTION(erf, e::erf(x))
LW_FUNCTION(atan, e::atan(x))
LW_FUNCTION(relu, f > 0 ? f : f == f ? 0.0f : f)
LW_FUNCTION(sign, sign(f))
LW_FUNCTION(softplus, softplus(x))
LW_FUNCTION(floor, floor(f))
LW_FUNCTION(ceil, ceil(f))
LW_FUNCTION(trunc, truncate(f))
LW_FUNCTION(round, round_even(f))
LW_FUNCTION(mish, mish(x))
LW_FUNCTION(erfinv, e::erfinv(x))

// Large angles are rare and need long arithmetic; they are redone one at a time from a copy of the arguments.
constexpr int64_t kPiece = 256;
#define LW_ANGLE(name)                                                                        \
  LW_CLONES void small_##name(const float* in, float* out, int64_t n) {                       \
    for (int64_t i = 0; i < n; ++i) {                                                         \
      const double x = in[i];                                                                 \
      out[i] = static_cast<float>(e::name##_of(e::reduce(e::choose(e::magnitude(x) <= e::kReduceLimit, x, 0.0)))); \
    }                                                                                         \
  }                                                                                           \
  void row_##name(const float* in, float* out, int64_t n) {                                   \
    float x[kPiece];                                                                          \
    for (; n > 0; in += kPiece, out += kPiece, n -= kPiece) {                                 \
      const int64_t m = n < kPiece ? n : kPiece;                                              \
      __builtin_memcpy(x, in, static_cast<size_t>(m) * sizeof(float));                        \
      small_##name(x, out, m);                                                                \
      for (int64_t i = 0; i < m; ++i) {                                                       \
        if (std::fabs(x[i]) <= static_cast<float>(e::kReduceLimit)) {                         \
          if (x[i] == 0 && #name[0] != 'c') out[i] = x[i];                                    \
        } else {                                                                              \
          out[i] = std::isfinite(x[i]) ? static_cast<float>(e::name##_of(e::reduce_exactly(x[i]))) \
                                       : std::numeric_limits<float>::quiet_NaN();             \
        }                                                                                     \
      }                                                                                       \
    }                                                                                         \
  }
LW_ANGLE(sin)
LW_ANGLE(cos)
LW_ANGLE(tan)

}  // namespace

FunctionRow function_row(ActFn fn) {
  switch (fn) {
    case ActFn::none: return nullptr;
    case ActFn::copy: return row_copy;
    case ActFn::abs: return row_abs;
    case ActFn::square: return row_square;
    case ActFn::sqrt: return row_sqrt;
    case ActFn::rsqrt: return row_rsqrt;
    case ActFn::reciprocal: return row_reciprocal;
    case ActFn::exp: return row_exp;
    case ActFn::expm1: return row_expm1;
    case ActFn::log: return row_log;
    case ActFn::log1p: return row_log1p;
    case ActFn::log2: return row_log2;
    case ActFn::tanh: return row_tanh;
    case ActFn::sigmoid: return row_sigmoid;
    case ActFn::silu: return row_silu;
    case ActFn::gelu: return row_gelu;
    case ActFn::gelu_tanh: return row_gelu_tanh;
    case ActFn::erf: return row_erf;
    case ActFn::sin: return row_sin;
    case ActFn::cos: return row_cos;
    case ActFn::tan: return row_tan;
    case ActFn::atan: return row_atan;
    case ActFn::relu: return row_relu;
    case ActFn::sign: return row_sign;
    case ActFn::softplus: return row_softplus;
    case ActFn::floor: return row_floor;
    case ActFn::ceil: return row_ceil;
    case ActFn::trunc: return row_trunc;
    case ActFn::round: return row_round;
    case ActFn::mish: return row_mish;
    case ActFn::exp2: return row_exp2;
    case ActFn::erfinv: return row_erfinv;
  }
  return nullptr;
}

}  // namespace lanewise::sim::scalar
