// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Elementary functions in double with plain additions, multiplications and divisions, for results rounded to f32.
//
// No libm function whose answer may depend on the CPU: each is an argument reduction and a polynomial without
// branches, so the same source gives the same bits in every clone, and loops over it vectorise. Relative error is below
// 1e-11 on the arguments that f32 results need. Polynomials: Taylor where named so, else Chebyshev fits computed with
// 40 digits for this file.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/core/clones.h"

namespace lanewise::sim::core::elementary {

inline constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 1.9082149292705877e-10;
inline constexpr double kInvLn2 = 0x1.71547652b82fep+0;
// Adding and subtracting it rounds |x| < 2^51 to the nearest integer, ties to even.
inline constexpr double kRound = 0x1.8p52;

// Horner's rule by recursion: a loop of more than 16 terms would not unroll, and an inner loop keeps the outer one from
// vectorising.
template <int I = 0, int N>
LW_INLINE double polynomial(const double (&c)[N], double x) {
  if constexpr (I == N - 1) return c[I];
  else return polynomial<I + 1>(c, x) * x + c[I];
}

LW_INLINE double power_of_two(double rounded_plus_magic) {  // 2^n, n in -1022..1023, from n + kRound
  return std::bit_cast<double>((std::bit_cast<uint64_t>(rounded_plus_magic) + 1023u) << 52);
}

// c ? a : b by masks: a conditional expression would let the compiler fold equal conditions into jumps, and a loop with
// jumps does not vectorise.
LW_INLINE double choose(bool c, double a, double b) {
  const uint64_t mask = -static_cast<uint64_t>(c);
  return std::bit_cast<double>((std::bit_cast<uint64_t>(a) & mask) | (std::bit_cast<uint64_t>(b) & ~mask));
}
LW_INLINE double clamp(double x, double low, double high) {  // NaN passes
  x = choose(x < low, low, x);
  return choose(x > high, high, x);
}
LW_INLINE double magnitude(double x) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0x7fffffffffffffffu);
}
LW_INLINE double with_sign(double positive, double sign) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(positive) |
                               (std::bit_cast<uint64_t>(sign) & 0x8000000000000000u));
}

// (e^r - 1) for |r| <= 0.35, Taylor.
LW_INLINE double expm1_reduced(double r) {
  constexpr double c[] = {1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
                          1.0 / 3628800, 1.0 / 39916800};
  return r * polynomial(c, r);
}

// Clamped to e^±700: far outside f32, so infinities come out of the rounding.
LW_INLINE double exp(double x) {
  x = clamp(x, -700.0, 700.0);
  const double m = x * kInvLn2 + kRound;
  const double n = m - kRound;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  const double s = power_of_two(m);
  return s + s * expm1_reduced(r);
}
LW_INLINE double exp2(double x) {
  x = clamp(x, -1000.0, 1000.0);
  const double m = x + kRound;
  const double r = (x - (m - kRound)) * 0x1.62e42fefa39efp-1;
  const double s = power_of_two(m);
  return s + s * expm1_reduced(r);
}
LW_INLINE double expm1(double x) {
  const double c = clamp(x, -700.0, 700.0);
  const double m = c * kInvLn2 + kRound;
  const double n = m - kRound;
  const double r = (c - n * kLn2High) - n * kLn2Low;
  const double s = power_of_two(m);
  const double v = s * expm1_reduced(r) + (s - 1.0);
  return choose(x == 0, x, v);  // keeps -0
}

// x = 2^k * m, m in [sqrt(1/2), sqrt(2)), for positive normal x.
struct Split {
  double k, m;
};
LW_INLINE Split split(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t shifted = bits - 0x3fe6a09e667f3bcdu;  // distance from sqrt(1/2)
  const uint64_t exponent = (shifted + (uint64_t{1023} << 52)) >> 52;   // k + 1023, never negative
  const double k = std::bit_cast<double>(exponent + 0x4330000000000000u) - (0x1p52 + 1023.0);
  return {k, std::bit_cast<double>(bits - ((exponent - 1023u) << 52))};
}
// log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)): the atanh series.
LW_INLINE double log1p_reduced(double f) {
  constexpr double c[] = {2.0,      2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,
                          2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19};
  const double s = f / (2.0 + f);
  return s * polynomial(c, s * s);
}
// Special arguments as C has them; x is an f32 or a normal double.
LW_INLINE double log_of(double x, double scale_high, double scale_low, double scale_m) {
  const bool normal = (x > 0) & (x < 0x1p1023);
  const Split p = split(choose(normal, x, 1.0));
  double r = p.k * scale_high + (p.k * scale_low + log1p_reduced(p.m - 1.0) * scale_m);
  r = choose(normal, r, x);                                  // +inf and NaN
  r = choose(x == 0, std::bit_cast<double>(0xfff0000000000000u), r);
  return choose(x < 0, std::bit_cast<double>(0x7ff8000000000000u), r);
}
LW_INLINE double log(double x) { return log_of(x, kLn2High, kLn2Low, 1.0); }
LW_INLINE double log2(double x) { return log_of(x, 1.0, 0.0, kInvLn2); }
LW_INLINE double log1p(double x) {
  const double u = 1.0 + x;
  const double lost = x - (u - 1.0);   // what the addition rounded away
  const bool plain = (u > 0) & (u < 0x1p1023);
  const double r = log(u) + choose(plain, lost / u, 0.0);
  return choose(x == 0, x, r);
}

LW_INLINE double tanh(double x) {
  const double a = magnitude(x);
  const double t = expm1(2.0 * choose(a > 25.0, 25.0, a));
  return with_sign(t / (t + 2.0), x);   // NaN: a > 25 is false, expm1(NaN) is NaN
}

// erf(x) for |x| <= 1.
LW_INLINE double erf_small(double x) {
  constexpr double c[] = {1.1283791670955126,     -0.37612638903183543,   0.11283791670945006,    -0.02686617064323777,
                          0.0052239776071164225,  -0.0008548325975389692, 0.00012055294904839707, -1.492473690741966e-05,
                          1.6447424703317362e-06, -1.6208483801871705e-07, 1.3720064546777686e-08,
                          -7.795898827002142e-10};
  return x * polynomial(c, x * x);
}
// erfc(x) for 0 <= x <= 28: a polynomial in (x - 3.75) / (x + 3.75) times e^(-x^2) / (1 + 2x).
LW_INLINE double erfc_positive(double x) {
  constexpr double c[] = {1.2375126308378277,     -0.14024059858554663,   0.003585415485439576,   0.08227673849010006,
                          -0.10880393014045761,   0.09230432116225044,    -0.05869339861557158,   0.028362277383047398,
                          -0.009746579295257933,  0.0017556262284450098,  0.0002937121574245422,  -0.00029015641208476314,
                          5.165421548248807e-05,  2.23931981882943e-05,   -1.1454173186951395e-05, -9.950701048660069e-07,
                          1.7612484630167294e-06, -2.5767825896065014e-08, -2.5877777061012165e-07,
                          -2.4939883909341244e-09, 3.0765786106553526e-08, 5.575698000886232e-09};
  x = choose(x > 25.0, 25.0, x);   // NaN passes
  return exp(-x * x) * polynomial(c, (x - 3.75) / (x + 3.75)) / (1.0 + 2.0 * x);
}
LW_INLINE double erf(double x) {
  const double a = magnitude(x);
  const double tail = with_sign(magnitude(1.0 - erfc_positive(a)), x);
  return choose(a < 1.0, erf_small(x), tail);   // NaN stays NaN in the tail
}
LW_INLINE double erfc(double x) {
  const double a = magnitude(x);
  const double tail = erfc_positive(a);
  const double wide = choose(x < 0, 2.0 - tail, tail);
  return choose(a < 0.5, 1.0 - erf_small(x), wide);
}
// Inverse of erf; ±1 give ±infinity, beyond is NaN.
LW_INLINE double erfinv(double x) {
  constexpr double centre[] = {0.8862269254533118,     0.23201366647787341,    0.011549343009225454,  -0.00233510823530792,
                               -0.0001280196758913369, 4.6560073326605884e-05, 2.0935814466025047e-06, -1.0855900306890646e-06,
                               1.4476251338382321e-08, -3.8356607142256774e-09, 1.0709231838418717e-08,
                               -3.184134297937082e-09, 4.668907003499445e-10,  -3.942742704329521e-11, 1.8536371967377287e-12,
                               -3.7937694120534866e-14};
  constexpr double tail[] = {1.6651618919156848,   2.8556754545228396, -22.349771805412377, 55.064187493136906,
                             -76.08428753051663,   69.55694589167895,   -45.0547494221088,    21.440177587731114,
                             -7.642960079897531,   2.0569653351198727,  -0.41690460191460504, 0.06276007072297149,
                             -0.006815154440018519, 0.0005052796521531566, -2.2917332223623355e-05, 4.801374587907785e-07};
  const double a = magnitude(x);
  const bool inside = a < 1.0;
  const double w = -log(choose(inside, (1.0 - a) * (1.0 + a), 0.5));
  const double r = x * choose(w < 5.0, polynomial(centre, w), polynomial(tail, __builtin_sqrt(w)));
  const double edge = choose(a == 1.0, with_sign(std::bit_cast<double>(0x7ff0000000000000u), x),
                             std::bit_cast<double>(0x7ff8000000000000u));
  return choose(inside, r, edge);
}

LW_INLINE double atan(double x) {
  constexpr double c[] = {1.0,                  -0.3333333333332844,  0.1999999999885511,  -0.14285714180976467,
                          0.11111106180455946,  -0.09090773074808414, 0.07689953496306857, -0.06640233930429408,
                          0.056883492268090106, -0.04348052215716462, 0.021135373157693246};
  constexpr double kTanPi8 = 0x1.a827999fcef32p-2, kHalfPi = 0x1.921fb54442d18p+0;
  const double a = magnitude(x);
  const bool outside = a > 1.0;
  const double b = choose(outside, 1.0 / a, a);
  const bool upper = b > kTanPi8;
  const double z = choose(upper, (b - 1.0) / (b + 1.0), b);
  double r = z * polynomial(c, z * z);
  r = choose(upper, kHalfPi / 2 + r, r);
  r = choose(outside, kHalfPi - r, r);
  return with_sign(r, x);
}

// Sine and cosine of r, |r| <= pi/4, Taylor.
LW_INLINE double sin_reduced(double r) {
  constexpr double c[] = {1.0,           -1.0 / 6,          1.0 / 120,           -1.0 / 5040,
                          1.0 / 362880,  -1.0 / 39916800,   1.0 / 6227020800.0,  -1.0 / 1307674368000.0};
  return r * polynomial(c, r * r);
}
LW_INLINE double cos_reduced(double r) {
  constexpr double c[] = {1.0,           -1.0 / 2,          1.0 / 24,            -1.0 / 720,
                          1.0 / 40320,   -1.0 / 3628800,    1.0 / 479001600.0,   -1.0 / 87178291200.0};
  return polynomial(c, r * r);
}
// x = quadrant * pi/2 + r, |r| <= pi/4.
struct Angle {
  double r;
  uint64_t quadrant;
};
inline constexpr double kReduceLimit = 0x1p27;
// |x| <= kReduceLimit: pi/2 in 25 + 53 bits, so that the first product is exact.
LW_INLINE Angle reduce(double x) {
  const double m = x * 0x1.45f306dc9c883p-1 + kRound;
  const double n = m - kRound;
  return {(x - n * 0x1.921fb50000000p+0) - n * 1.5893254773528196e-08, std::bit_cast<uint64_t>(m) & 3u};
}
// Any finite f32, by integer arithmetic with 288 bits of 2/pi.
Angle reduce_exactly(float x);

LW_INLINE double flip(double v, uint64_t odd) {  // -v if the lowest bit of odd is set
  return std::bit_cast<double>(std::bit_cast<uint64_t>(v) ^ (odd << 63));
}
LW_INLINE double sin_of(Angle a) {
  const double v = choose(a.quadrant & 1, cos_reduced(a.r), sin_reduced(a.r));
  return flip(v, a.quadrant >> 1);
}
LW_INLINE double cos_of(Angle a) {
  const double v = choose(a.quadrant & 1, sin_reduced(a.r), cos_reduced(a.r));
  return flip(v, (a.quadrant + 1) >> 1);
}
LW_INLINE double tan_of(Angle a) {
  const double s = sin_reduced(a.r), c = cos_reduced(a.r);
  return choose(a.quadrant & 1, -c / s, s / c);
}

// x^y for f32 arguments, special cases as C's pow.
LW_INLINE double pow(double x, double y) {
  const double inf = std::bit_cast<double>(0x7ff0000000000000u), nan = std::bit_cast<double>(0x7ff8000000000000u);
  const double a = magnitude(x), ay = magnitude(y);
  const double shifted = y + kRound;                  // below 2^51 its lowest bit is the parity of y
  const bool large = ay >= 0x1p51;                    // an even integer, or infinite, or NaN
  const bool integer = large | ((shifted - kRound) == y);
  const bool odd = integer & !large & ((std::bit_cast<uint64_t>(shifted) & 1u) != 0);
  const bool negative = (std::bit_cast<uint64_t>(x) >> 63) != 0;
  double r = exp2(y * log2(a));
  // Where a logarithm is infinite or zero, 0 * inf is not wanted.
  r = choose(a == 0, choose(y > 0, 0.0, inf), r);
  r = choose(a == inf, choose(y > 0, inf, 0.0), r);
  r = choose(ay == inf, choose((a > 1.0) == (y > 0), inf, 0.0), r);
  r = choose(a == 1.0, 1.0, r);
  r = flip(r, negative & odd);
  r = choose((x < 0) & !integer & (a != inf), nan, r);
  r = choose((x != x) | (y != y), nan, r);
  return choose((x == 1.0) | (y == 0), 1.0, r);
}

}  // namespace lanewise::sim::core::elementary
