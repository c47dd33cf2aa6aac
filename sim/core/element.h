// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One element to and from f32 and 64-bit integers, without branches, so that loops over it vectorise.
//
// Narrow floats: bit for bit what isa/convert.h promises. Needs the default rounding mode and no flush to zero.
// Float to integer truncates towards zero. Out of range and NaN give what x86 gives PyTorch for i64 and i32: the
// smallest value of the type; i16, i8 and u8 take the low bits of the i32 result. Bool is "not zero" (NaN counts).
// Integer to narrower integer keeps the low bits. Integer to float rounds once to f32, then to the format.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "isa/dtype.h"
#include "sim/core/clones.h"

namespace lanewise::sim::core {

using isa::DType;

template <typename T>
LW_INLINE T load_raw(const std::byte* p) {
  T v;
  __builtin_memcpy(&v, p, sizeof(T));
  return v;
}
template <typename T>
LW_INLINE void store_raw(std::byte* p, T v) {
  __builtin_memcpy(p, &v, sizeof(T));
}

// The unsigned integer of the dtype's size.
template <DType D> struct Bits { using type = uint8_t; };
template <> struct Bits<DType::f32> { using type = uint32_t; };
template <> struct Bits<DType::i32> { using type = uint32_t; };
template <> struct Bits<DType::bf16> { using type = uint16_t; };
template <> struct Bits<DType::f16> { using type = uint16_t; };
template <> struct Bits<DType::i16> { using type = uint16_t; };
template <> struct Bits<DType::i64> { using type = uint64_t; };
template <DType D> using BitsOf = typename Bits<D>::type;

namespace narrow {

// Sign, E exponent bits, M mantissa bits; with infinities unless `finite`.
template <int E, int M, bool finite>
LW_INLINE float widen(uint32_t h) {
  constexpr uint32_t kMagnitude = (1u << (E + M)) - 1;
  constexpr uint32_t kInfinity = ((1u << E) - 1) << M;
  // Shifting the fields into place leaves the exponent short by the difference of the biases; one exact multiplication
  // mends normals and denormals alike.
  constexpr float kScale = std::bit_cast<float>(static_cast<uint32_t>(127 + 127 - ((1 << (E - 1)) - 1)) << 23);
  const uint32_t m = h & kMagnitude;
  const uint32_t sign = (h >> (E + M)) << 31;
  const uint32_t number = std::bit_cast<uint32_t>(std::bit_cast<float>(m << (23 - M)) * kScale);
  uint32_t out;
  if constexpr (finite) {
    out = m == kMagnitude ? 0x7fc00000u : number;
  } else {
    const uint32_t special = 0x7f800000u | (m << (23 - M)) | (m > kInfinity ? 0x400000u : 0u);
    out = m >= kInfinity ? special : number;
  }
  return std::bit_cast<float>(sign | out);
}

template <int E, int M, bool finite>
LW_INLINE uint32_t narrow(float f) {
  constexpr int kBias = (1 << (E - 1)) - 1;
  constexpr uint32_t kInfinity = ((1u << E) - 1) << M;
  constexpr uint32_t kNan = finite ? (1u << (E + M)) - 1 : kInfinity | (1u << (M - 1));
  constexpr uint32_t kOverflow = finite ? kNan : kInfinity;
  constexpr uint32_t kSmallestNormal = static_cast<uint32_t>(127 + 1 - kBias) << 23;
  // Adding this number leaves the denormal's bits, rounded to nearest even, at the bottom of the mantissa.
  constexpr uint32_t kDenormal = static_cast<uint32_t>(127 - kBias + (23 - M) + 1) << 23;
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  const uint32_t sign = (bits >> 31) << (E + M);
  const uint32_t a = bits & 0x7fffffffu;
  const uint32_t denormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(kDenormal)) - kDenormal;
  const uint32_t odd = (a >> (23 - M)) & 1u;
  const uint32_t normal =
      (a - (static_cast<uint32_t>(127 - kBias) << 23) + ((1u << (22 - M)) - 1) + odd) >> (23 - M);
  uint32_t out = a < kSmallestNormal ? denormal : normal;
  out = a >= kSmallestNormal && normal >= kOverflow ? kOverflow : out;
  out = a > 0x7f800000u ? kNan : out;
  return sign | out;
}

LW_INLINE uint32_t to_bf16(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet = ((bits >> 16) & 0x8000u) | 0x7fc0u;
  return (bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded;
}
LW_INLINE float from_bf16(uint32_t h) {
  const uint32_t quiet = (h & 0x7fffu) > 0x7f80u ? 0x400000u : 0u;
  return std::bit_cast<float>((h << 16) | quiet);
}

LW_INLINE int32_t to_i32(float f) {
  const bool fits = f >= -2147483648.0f && f < 2147483648.0f;
  const int32_t v = static_cast<int32_t>(fits ? f : 0.0f);
  return fits ? v : std::numeric_limits<int32_t>::min();
}
LW_INLINE int64_t to_i64(float f) {
  const bool fits = f >= -9223372036854775808.0f && f < 9223372036854775808.0f;
  const int64_t v = static_cast<int64_t>(fits ? f : 0.0f);
  return fits ? v : std::numeric_limits<int64_t>::min();
}

}  // namespace narrow

template <DType D>
LW_INLINE float load_float(const std::byte* p) {
  const BitsOf<D> b = load_raw<BitsOf<D>>(p);
  if constexpr (D == DType::f32) return std::bit_cast<float>(b);
  else if constexpr (D == DType::bf16) return narrow::from_bf16(b);
  else if constexpr (D == DType::f16) return narrow::widen<5, 10, false>(b);
  else if constexpr (D == DType::f8e5m2) return narrow::widen<5, 2, false>(b);
  else if constexpr (D == DType::f8e4m3) return narrow::widen<4, 3, true>(b);
  else if constexpr (D == DType::i64) return static_cast<float>(static_cast<int64_t>(b));
  else if constexpr (D == DType::i32) return static_cast<float>(static_cast<int32_t>(b));
  else if constexpr (D == DType::i16) return static_cast<float>(static_cast<int16_t>(b));
  else if constexpr (D == DType::i8) return static_cast<float>(static_cast<int8_t>(b));
  else if constexpr (D == DType::u8) return static_cast<float>(b);
  else return b != 0 ? 1.0f : 0.0f;
}

template <DType D>
LW_INLINE void store_float(std::byte* p, float f) {
  BitsOf<D> b;
  if constexpr (D == DType::f32) b = std::bit_cast<uint32_t>(f);
  else if constexpr (D == DType::bf16) b = static_cast<uint16_t>(narrow::to_bf16(f));
  else if constexpr (D == DType::f16) b = static_cast<uint16_t>(narrow::narrow<5, 10, false>(f));
  else if constexpr (D == DType::f8e5m2) b = static_cast<uint8_t>(narrow::narrow<5, 2, false>(f));
  else if constexpr (D == DType::f8e4m3) b = static_cast<uint8_t>(narrow::narrow<4, 3, true>(f));
  else if constexpr (D == DType::i64) b = static_cast<uint64_t>(narrow::to_i64(f));
  else if constexpr (D == DType::b8) b = f != 0 ? 1 : 0;
  else b = static_cast<BitsOf<D>>(narrow::to_i32(f));
  store_raw(p, b);
}

// Floats as i64 go through to_i64.
template <DType D>
LW_INLINE int64_t load_integer(const std::byte* p) {
  const BitsOf<D> b = load_raw<BitsOf<D>>(p);
  if constexpr (D == DType::i64) return static_cast<int64_t>(b);
  else if constexpr (D == DType::i32) return static_cast<int32_t>(b);
  else if constexpr (D == DType::i16) return static_cast<int16_t>(b);
  else if constexpr (D == DType::i8) return static_cast<int8_t>(b);
  else if constexpr (D == DType::u8) return b;
  else if constexpr (D == DType::b8) return b != 0 ? 1 : 0;
  else return narrow::to_i64(load_float<D>(p));
}

template <DType D>
LW_INLINE void store_integer(std::byte* p, int64_t v) {
  if constexpr (isa::is_float(D)) store_float<D>(p, static_cast<float>(v));
  else if constexpr (D == DType::b8) store_raw<uint8_t>(p, v != 0 ? 1 : 0);
  else store_raw(p, static_cast<BitsOf<D>>(v));
}

}  // namespace lanewise::sim::core
