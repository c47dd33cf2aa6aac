// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers in sentences, as people say them. Tables keep the integers.
#pragma once

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

namespace lanewise::trace::analysis {

// "8.2 ms"; at least a tenth of the unit.
inline std::string span_words(int64_t ns) {
  const double value = static_cast<double>(ns);
  char text[48];
  if (ns >= 1'000'000'000) std::snprintf(text, sizeof(text), "%.1f s", value / 1e9);
  else if (ns >= 1'000'000) std::snprintf(text, sizeof(text), "%.1f ms", value / 1e6);
  else std::snprintf(text, sizeof(text), "%.1f us", value / 1e3);
  return text;
}

// "1 copy", "3 copies".
inline std::string count_words(int64_t n, std::string_view one, std::string_view many) { return std::to_string(n) + " " + std::string(n == 1 ? one : many); }

// "1 byte", "512 bytes", "320.0 KiB".
inline std::string bytes_words(int64_t bytes) {
  if (bytes < 1024) return count_words(bytes, "byte", "bytes");
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) value /= 1024, ++unit;
  char text[48];
  std::snprintf(text, sizeof(text), "%.1f %s", value, kUnits[unit]);
  return text;
}

// "once", "2 times".
inline std::string times_words(int64_t n) { return n == 1 ? "once" : std::to_string(n) + " times"; }

}  // namespace lanewise::trace::analysis
