// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A fast 64-bit hash of bytes for tables in memory. Not stable across releases: never stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lanewise::trace::store {

// The two halves of a 128-bit product: mixes well and costs one instruction.
inline uint64_t mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t hash_bytes(const char* p, size_t n) {
  constexpr uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd6e8feb86659fd93u, k2 = 0xa0761d6478bd642fu;
  uint64_t a = 0, b = 0, seed = k2 ^ n;
  size_t left = n;
  for (; left > 16; left -= 16, p += 16) {
    std::memcpy(&a, p, 8);
    std::memcpy(&b, p + 8, 8);
    seed = mix(a ^ k0 ^ seed, b ^ k1);
  }
  if (left >= 8) {
    std::memcpy(&a, p, 8);
    std::memcpy(&b, p + left - 8, 8);
  } else if (left >= 4) {
    uint32_t first, last;
    std::memcpy(&first, p, 4);
    std::memcpy(&last, p + left - 4, 4);
    a = first, b = last;
  } else if (left > 0) {
    a = static_cast<unsigned char>(p[0]) | static_cast<uint64_t>(static_cast<unsigned char>(p[left / 2])) << 8;
    b = static_cast<unsigned char>(p[left - 1]);
  } else {
    a = b = 0;
  }
  return mix(a ^ k0 ^ seed, b ^ k1 ^ (n << 7));
}

}  // namespace lanewise::trace::store
