// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types of the chip, their sizes and their names in every text form.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanewise::isa {

enum class DType : uint8_t { f32, bf16, f16, f8e4m3, f8e5m2, i64, i32, i16, i8, u8, b8 };
inline constexpr int kDTypeCount = 11;

constexpr int64_t dtype_bytes(DType t) {
  switch (t) {
    case DType::i64: return 8;
    case DType::f32:
    case DType::i32: return 4;
    case DType::bf16:
    case DType::f16:
    case DType::i16: return 2;
    default: return 1;
  }
}
constexpr bool is_float(DType t) { return t <= DType::f8e5m2; }
constexpr bool is_integer(DType t) { return !is_float(t); }  // bool counts: stored as 0 or 1

// "f32", "bf16", "f16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8", "u8", "bool".
std::string_view dtype_name(DType t);
std::optional<DType> parse_dtype(std::string_view name);

}  // namespace lanewise::isa
