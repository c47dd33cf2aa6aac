// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/dtype.h"

#include <array>

namespace lanewise::isa {
namespace {

constexpr std::array<std::string_view, kDTypeCount> kNames = {"f32", "bf16", "f16", "f8e4m3", "f8e5m2", "i64",
                                                              "i32", "i16",  "i8",  "u8",     "bool"};

}  // namespace

std::string_view dtype_name(DType t) { return kNames[static_cast<size_t>(t)]; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace lanewise::isa
