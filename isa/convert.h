// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversions between f32 and the narrow float formats, shared by compiler and simulator.
//
// Narrowing rounds to nearest, ties to even, denormals included, and never depends on the rounding mode of the CPU.
//   bf16, f16, f8e5m2   overflow becomes infinity; NaN becomes the quiet NaN of the same sign
//   f8e4m3 (the "fn" form: no infinities)   overflow and infinity become NaN, as in PyTorch; the largest value is 448
// Widening is exact; a signalling NaN becomes quiet.
#pragma once

#include <bit>
#include <cstdint>

namespace lanewise::isa {

namespace narrow_float {

enum class Special { infinity, nan_only };

// A format with sign, `E` exponent bits and `M` mantissa bits.
template <int E, int M, Special special>
struct Format {
  static constexpr int kBias = (1 << (E - 1)) - 1;
  static constexpr uint32_t kSign = 1u << (E + M);
  static constexpr uint32_t kInfinity = ((1u << E) - 1) << M;
  static constexpr uint32_t kQuietNan = special == Special::infinity ? kInfinity | (1u << (M - 1)) : kSign - 1;

  static constexpr uint32_t from_f32(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (bits >> 31) << (E + M);
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | kQuietNan;
    if (magnitude == 0x7f800000u) return sign | (special == Special::infinity ? kInfinity : kQuietNan);

    const int f32_exponent = static_cast<int>(magnitude >> 23);
    const uint32_t mantissa = (magnitude & 0x7fffffu) | (f32_exponent != 0 ? 0x800000u : 0u);
    const int exponent = (f32_exponent != 0 ? f32_exponent : 1) - 127 + kBias;
    const int field = exponent < 1 ? 1 : exponent;  // denormals share the exponent of the smallest normal
    const int shift = 23 - M + (field - exponent);
    if (shift > 24) return sign;  // below half of the smallest denormal
    const uint32_t kept = mantissa >> shift;
    const uint32_t rest = mantissa & ((1u << shift) - 1);
    const uint32_t half = 1u << (shift - 1);
    const uint32_t rounded = kept + (rest > half || (rest == half && (kept & 1u)) ? 1u : 0u);
    // The implicit bit in `rounded` adds the one that `field - 1` leaves out; a carry moves into the exponent by itself.
    if (field > (1 << E)) return sign | (special == Special::infinity ? kInfinity : kQuietNan);
    const uint32_t result = (static_cast<uint32_t>(field - 1) << M) + rounded;
    if constexpr (special == Special::infinity) return sign | (result >= kInfinity ? kInfinity : result);
    return sign | (result >= kQuietNan ? kQuietNan : result);
  }

  static constexpr float to_f32(uint32_t bits) {
    const uint32_t sign = (bits & kSign) != 0 ? 0x80000000u : 0u;
    const uint32_t magnitude = bits & (kSign - 1);
    const uint32_t mantissa = magnitude & ((1u << M) - 1);
    const uint32_t exponent = magnitude >> M;
    if constexpr (special == Special::infinity) {
      if (magnitude >= kInfinity) {
        const uint32_t quiet = mantissa != 0 ? 0x400000u : 0u;
        return std::bit_cast<float>(sign | 0x7f800000u | quiet | (mantissa << (23 - M)));
      }
    } else {
      if (magnitude == kQuietNan) return std::bit_cast<float>(sign | 0x7fc00000u);
    }
    if (exponent == 0) {
      constexpr float kUnit = std::bit_cast<float>(static_cast<uint32_t>(1 - kBias - M + 127) << 23);
      const float value = static_cast<float>(mantissa) * kUnit;
      return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
    }
    return std::bit_cast<float>(sign | ((exponent + 127 - kBias) << 23) | (mantissa << (23 - M)));
  }
};

using F16 = Format<5, 10, Special::infinity>;
using F8E5M2 = Format<5, 2, Special::infinity>;
using F8E4M3 = Format<4, 3, Special::nan_only>;

}  // namespace narrow_float

// bf16 is the upper half of an f32; the short form below is worth its own lines because every tile passes through it.
constexpr uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet = ((bits >> 16) & 0x8000u) | 0x7fc0u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}
constexpr float bf16_to_f32(uint16_t bits) {
  const uint32_t quiet = (bits & 0x7fffu) > 0x7f80u ? 0x400000u : 0u;
  return std::bit_cast<float>((static_cast<uint32_t>(bits) << 16) | quiet);
}

constexpr uint16_t f32_to_f16(float value) { return static_cast<uint16_t>(narrow_float::F16::from_f32(value)); }
constexpr float f16_to_f32(uint16_t bits) { return narrow_float::F16::to_f32(bits); }

constexpr uint8_t f32_to_f8e4m3(float value) { return static_cast<uint8_t>(narrow_float::F8E4M3::from_f32(value)); }
constexpr float f8e4m3_to_f32(uint8_t bits) { return narrow_float::F8E4M3::to_f32(bits); }

constexpr uint8_t f32_to_f8e5m2(float value) { return static_cast<uint8_t>(narrow_float::F8E5M2::from_f32(value)); }
constexpr float f8e5m2_to_f32(uint8_t bits) { return narrow_float::F8E5M2::to_f32(bits); }

}  // namespace lanewise::isa
