// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/decimal.h"

#include <limits>

namespace lanewise::trace::kineto_json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

bool parse_decimal(std::string_view text, int scale, DecimalValue* out) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  // digits [. digits] [e exponent]
  size_t i = 0;
  while (i < text.size() && is_digit(text[i])) ++i;
  const std::string_view whole = text.substr(0, i);
  std::string_view fraction;
  if (i < text.size() && text[i] == '.') {
    const size_t start = ++i;
    while (i < text.size() && is_digit(text[i])) ++i;
    fraction = text.substr(start, i - start);
  }
  if (whole.empty() && fraction.empty()) return false;
  int64_t exponent = 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    bool down = false;
    if (++i < text.size() && (text[i] == '-' || text[i] == '+')) down = text[i++] == '-';
    const size_t start = i;
    for (; i < text.size() && is_digit(text[i]); ++i) {
      if (exponent < 1'000'000'000) exponent = exponent * 10 + (text[i] - '0');
    }
    if (i == start) return false;
    if (down) exponent = -exponent;
  }
  if (i != text.size()) return false;

  // The integer is the first `places` digits of whole+fraction, zeros beyond them.
  const int64_t places = static_cast<int64_t>(whole.size()) + exponent + scale;
  const int64_t digits = static_cast<int64_t>(whole.size() + fraction.size());
  const auto digit = [&](int64_t at) -> int {
    const auto n = static_cast<size_t>(at);
    return (n < whole.size() ? whole[n] : fraction[n - whole.size()]) - '0';
  };
  constexpr uint64_t kLimit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  *out = {};
  uint64_t value = 0;
  for (int64_t at = 0; at < places && !out->clipped; ++at) {
    if (at >= digits && value == 0) break;  // 0e999 is zero
    const uint64_t next = at < digits ? static_cast<uint64_t>(digit(at)) : 0;
    if (value > (kLimit - next) / 10) out->clipped = true;
    else value = value * 10 + next;
  }
  for (int64_t at = places < 0 ? 0 : places; at < digits && !out->cut; ++at) out->cut = digit(at) != 0;
  if (out->clipped) {
    out->cut = false;
    // One above the smallest: that one means null in columns.
    out->value = negative ? std::numeric_limits<int64_t>::min() + 1 : std::numeric_limits<int64_t>::max();
  } else {
    out->value = negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  }
  return true;
}

bool parse_canonical_integer(std::string_view text, int64_t* out) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > 19 || (text.front() == '0' && (negative || text.size() > 1))) return false;
  uint64_t value = 0;
  for (char c : text) {
    if (!is_digit(c)) return false;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return false;
  *out = negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  return true;
}

}  // namespace lanewise::trace::kineto_json
