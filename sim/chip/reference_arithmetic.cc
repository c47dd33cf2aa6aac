// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/chip/reference_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/convert.h"
#include "sim/core/alu.h"

namespace lanewise::sim::reference {
namespace {

using isa::AluOp;
using isa::DType;

template <typename T>
T raw(const std::byte* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <typename T>
void put(std::byte* p, T v) {
  std::memcpy(p, &v, sizeof v);
}

// Towards zero; what x86 gives beyond the range and for NaN.
int64_t to_integer(float f, int64_t low, double high) {
  if (std::isnan(f) || f < static_cast<double>(low) || f >= high) return low;
  return static_cast<int64_t>(f);
}

Number truth(bool b, bool exact) { return exact ? Number::of(static_cast<int64_t>(b)) : Number::of(b ? 1.0f : 0.0f); }

float maximum(float a, float b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return a > b ? a : b;
}
float minimum(float a, float b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return a < b ? a : b;
}

float floor_divide(float a, float b) {
  if (b == 0) return a / b;
  const float m = std::fmod(a, b);
  float d = (a - m) / b;
  if (m != 0 && (b < 0) != (m < 0)) d -= 1;
  if (d == 0) return std::copysign(0.0f, a / b);
  float whole = std::floor(d);
  if (d - whole > 0.5f) whole += 1;
  return whole;
}

std::optional<Number> apply_float(AluOp op, float a, float b) {
  switch (op) {
    case AluOp::bypass: return Number::of(a);
    case AluOp::add: return Number::of(a + b);
    case AluOp::subtract: return Number::of(a - b);
    case AluOp::multiply: return Number::of(a * b);
    case AluOp::divide: return Number::of(a / b);
    case AluOp::maximum: return Number::of(maximum(a, b));
    case AluOp::minimum: return Number::of(minimum(a, b));
    case AluOp::power: return Number::of(core::scalar_op::power(a, b));
    case AluOp::fmod: return Number::of(std::fmod(a, b));
    case AluOp::remainder: {
      float m = std::fmod(a, b);
      if (m != 0 && (b < 0) != (m < 0)) m += b;
      return Number::of(m);
    }
    case AluOp::floor_divide: return Number::of(floor_divide(a, b));
    case AluOp::equal: return truth(a == b, false);
    case AluOp::not_equal: return truth(a != b, false);
    case AluOp::less: return truth(a < b, false);
    case AluOp::less_equal: return truth(a <= b, false);
    case AluOp::greater: return truth(a > b, false);
    case AluOp::greater_equal: return truth(a >= b, false);
    case AluOp::logical_and: return truth(a != 0 && b != 0, false);
    case AluOp::logical_or: return truth(a != 0 || b != 0, false);
    case AluOp::logical_xor: return truth((a != 0) != (b != 0), false);
    default: return std::nullopt;
  }
}

// 128 bits hold every intermediate; the cast back wraps.
std::optional<Number> apply_integer(AluOp op, int64_t a, int64_t b) {
  const auto number = [](__int128 v) { return Number::of(static_cast<int64_t>(static_cast<uint64_t>(v))); };
  const __int128 x = a, y = b;
  switch (op) {
    case AluOp::none: return std::nullopt;
    case AluOp::bypass: return number(x);
    case AluOp::add: return number(x + y);
    case AluOp::subtract: return number(x - y);
    case AluOp::multiply: return number(x * y);
    case AluOp::divide: return number(b == 0 ? 0 : x / y);
    case AluOp::maximum: return number(a > b ? x : y);
    case AluOp::minimum: return number(a < b ? x : y);
    case AluOp::power: return Number::of(core::scalar_op::power(a, b));
    case AluOp::fmod: return number(b == 0 ? 0 : x % y);
    case AluOp::remainder: return number(b == 0 ? 0 : ((x % y) + y) % y);
    case AluOp::floor_divide: {
      if (b == 0) return number(0);
      const __int128 q = x / y;
      return number(x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q);
    }
    case AluOp::equal: return truth(a == b, true);
    case AluOp::not_equal: return truth(a != b, true);
    case AluOp::less: return truth(a < b, true);
    case AluOp::less_equal: return truth(a <= b, true);
    case AluOp::greater: return truth(a > b, true);
    case AluOp::greater_equal: return truth(a >= b, true);
    case AluOp::logical_and: return truth(a != 0 && b != 0, true);
    case AluOp::logical_or: return truth(a != 0 || b != 0, true);
    case AluOp::logical_xor: return truth((a != 0) != (b != 0), true);
    case AluOp::bitwise_and: return number(a & b);
    case AluOp::bitwise_or: return number(a | b);
    case AluOp::bitwise_xor: return number(a ^ b);
    case AluOp::shift_left: return number(b < 0 || b > 63 ? 0 : static_cast<__int128>(static_cast<uint64_t>(a)) << b);
    case AluOp::shift_right: return number(b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b);
  }
  return std::nullopt;
}

}  // namespace

Number load(DType dtype, const std::byte* p) {
  switch (dtype) {
    case DType::f32: return Number::of(raw<float>(p));
    case DType::bf16: return Number::of(isa::bf16_to_f32(raw<uint16_t>(p)));
    case DType::f16: return Number::of(isa::f16_to_f32(raw<uint16_t>(p)));
    case DType::f8e4m3: return Number::of(isa::f8e4m3_to_f32(raw<uint8_t>(p)));
    case DType::f8e5m2: return Number::of(isa::f8e5m2_to_f32(raw<uint8_t>(p)));
    case DType::i64: return Number::of(raw<int64_t>(p));
    case DType::i32: return Number::of(int64_t{raw<int32_t>(p)});
    case DType::i16: return Number::of(int64_t{raw<int16_t>(p)});
    case DType::i8: return Number::of(int64_t{raw<int8_t>(p)});
    case DType::u8: return Number::of(int64_t{raw<uint8_t>(p)});
    case DType::b8: return Number::of(int64_t{raw<uint8_t>(p) != 0});
  }
  return {};
}

void store(DType dtype, std::byte* p, Number v) {
  const float f = v.as_float();
  const int64_t i64 = v.integer ? v.i : to_integer(f, std::numeric_limits<int64_t>::min(), 0x1p63);
  const int64_t i32 = v.integer ? v.i : to_integer(f, std::numeric_limits<int32_t>::min(), 0x1p31);
  switch (dtype) {
    case DType::f32: return put(p, f);
    case DType::bf16: return put(p, isa::f32_to_bf16(f));
    case DType::f16: return put(p, isa::f32_to_f16(f));
    case DType::f8e4m3: return put(p, isa::f32_to_f8e4m3(f));
    case DType::f8e5m2: return put(p, isa::f32_to_f8e5m2(f));
    case DType::i64: return put(p, i64);
    case DType::i32: return put(p, static_cast<int32_t>(i32));
    case DType::i16: return put(p, static_cast<int16_t>(i32));
    case DType::i8: return put(p, static_cast<int8_t>(i32));
    case DType::u8: return put(p, static_cast<uint8_t>(i32));
    case DType::b8: return put(p, static_cast<uint8_t>(v.integer ? v.i != 0 : v.f != 0));
  }
}

bool exact(AluOp op, bool gpsimd) {
  if (gpsimd) return true;
  switch (op) {
    case AluOp::none:
    case AluOp::add:
    case AluOp::subtract:
    case AluOp::multiply:
    case AluOp::divide:
    case AluOp::power:
    case AluOp::fmod:
    case AluOp::remainder:
    case AluOp::floor_divide: return false;
    default: return true;
  }
}

std::optional<Number> apply(AluOp op, Number a, Number b, bool exact) {
  if (exact && a.integer && (b.integer || op == AluOp::bypass)) return apply_integer(op, a.i, b.i);
  return apply_float(op, a.as_float(), b.as_float());
}

namespace {

Number combine(AluOp op, Number a, Number b, bool exact) { return *apply(op, a, b, exact); }

Number reduce_block(AluOp op, const Number* v, size_t n, bool exact) {
  std::optional<Number> lane[16];
  for (size_t i = 0; i < n; ++i) {
    std::optional<Number>& l = lane[i % 16];
    l = l ? combine(op, *l, v[i], exact) : v[i];
  }
  for (size_t half = 8; half > 0; half /= 2)
    for (size_t j = 0; j < half; ++j)
      if (lane[j] && lane[j + half]) lane[j] = combine(op, *lane[j], *lane[j + half], exact);
  return *lane[0];
}

Number reduce_blocks(AluOp op, const std::vector<Number>& blocks, size_t first, size_t n, bool exact) {
  if (n == 1) return blocks[first];
  size_t left = 1;
  while (left * 2 < n) left *= 2;
  return combine(op, reduce_blocks(op, blocks, first, left, exact),
                 reduce_blocks(op, blocks, first + left, n - left, exact), exact);
}

}  // namespace

Number reduce(AluOp op, const std::vector<Number>& row, bool exact) {
  std::vector<Number> values = row;
  if (op >= AluOp::logical_and && op <= AluOp::logical_xor)
    for (Number& v : values) v = truth(v.integer ? v.i != 0 : v.f != 0, exact);
  std::vector<Number> blocks;
  for (size_t i = 0; i < values.size(); i += 128)
    blocks.push_back(reduce_block(op, values.data() + i, std::min<size_t>(128, values.size() - i), exact));
  return reduce_blocks(op, blocks, 0, blocks.size(), exact);
}

Number common(Number chosen, const isa::Tile& on_true, const isa::Tile& on_false, const isa::Scalar& scalar,
              Number scalar_value) {
  const bool other = on_false.present() ? isa::is_integer(on_false.dtype) : !scalar.present() || scalar_value.integer;
  return isa::is_integer(on_true.dtype) && other ? chosen : Number::of(chosen.as_float());
}

}  // namespace lanewise::sim::reference
