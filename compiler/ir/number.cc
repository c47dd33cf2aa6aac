// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/number.h"

#include <cstring>

#include "base/status.h"
#include "isa/convert.h"

namespace lanewise::compiler::ir {
namespace {

using isa::DType;

uint32_t narrow(DType dtype, float value) {
  switch (dtype) {
    case DType::bf16: return isa::f32_to_bf16(value);
    case DType::f16: return isa::f32_to_f16(value);
    case DType::f8e4m3: return isa::f32_to_f8e4m3(value);
    default: LW_CHECK(dtype == DType::f8e5m2, "a narrow floating point dtype"); return isa::f32_to_f8e5m2(value);
  }
}

float widen(DType dtype, uint32_t bits) {
  switch (dtype) {
    case DType::bf16: return isa::bf16_to_f32(static_cast<uint16_t>(bits));
    case DType::f16: return isa::f16_to_f32(static_cast<uint16_t>(bits));
    case DType::f8e4m3: return isa::f8e4m3_to_f32(static_cast<uint8_t>(bits));
    default: LW_CHECK(dtype == DType::f8e5m2, "a narrow floating point dtype"); return isa::f8e5m2_to_f32(static_cast<uint8_t>(bits));
  }
}

template <typename T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <typename T>
void store(T value, std::byte* at) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

float round_to(DType dtype, double value) {
  const float single = static_cast<float>(value);
  return dtype == DType::f32 ? single : widen(dtype, narrow(dtype, single));
}

int64_t wrap_to(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::i32: return static_cast<int32_t>(value);
    case DType::i16: return static_cast<int16_t>(value);
    case DType::i8: return static_cast<int8_t>(value);
    case DType::u8: return static_cast<uint8_t>(value);
    case DType::b8: return value != 0;
    default: return value;
  }
}

int64_t truncate_to(DType dtype, double value) {
  if (dtype == DType::b8) return value != 0;
  const bool fits = value >= -0x1p63 && value < 0x1p63;
  return wrap_to(dtype, fits ? static_cast<int64_t>(value) : INT64_MIN);
}

float load_float(DType dtype, const std::byte* at) {
  if (dtype == DType::f32) return load<float>(at);
  const uint32_t bits = isa::dtype_bytes(dtype) == 2 ? load<uint16_t>(at) : load<uint8_t>(at);
  return widen(dtype, bits);
}

int64_t load_integer(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::i64: return load<int64_t>(at);
    case DType::i32: return load<int32_t>(at);
    case DType::i16: return load<int16_t>(at);
    case DType::i8: return load<int8_t>(at);
    case DType::u8: return load<uint8_t>(at);
    default: return load<uint8_t>(at) != 0;
  }
}

void store_float(DType dtype, float value, std::byte* at) {
  if (dtype == DType::f32) return store(value, at);
  const uint32_t bits = narrow(dtype, value);
  if (isa::dtype_bytes(dtype) == 2) {
    store(static_cast<uint16_t>(bits), at);
  } else {
    store(static_cast<uint8_t>(bits), at);
  }
}

void store_integer(DType dtype, int64_t value, std::byte* at) {
  switch (isa::dtype_bytes(dtype)) {
    case 8: return store(value, at);
    case 4: return store(static_cast<int32_t>(value), at);
    case 2: return store(static_cast<int16_t>(value), at);
    default: return store(static_cast<int8_t>(dtype == DType::b8 ? value != 0 : value), at);
  }
}

}  // namespace lanewise::compiler::ir
