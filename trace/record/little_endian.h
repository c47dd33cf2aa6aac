// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Integers at a byte offset of a file image, least significant byte first on every host.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lanewise::trace::record {

template <typename Integer>
void store_le(std::string* bytes, size_t at, Integer value) {
  for (size_t i = 0; i < sizeof(Integer); ++i)
    (*bytes)[at + i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xff);
}

template <typename Integer>
Integer load_le(std::string_view bytes, size_t at) {
  if constexpr (std::endian::native == std::endian::little) {   // the loop below is no single load to GCC 12
    Integer value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(Integer); ++i)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return static_cast<Integer>(value);
}

}  // namespace lanewise::trace::record
