// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/text.h"

#include <algorithm>
#include <array>

namespace lanewise::trace::kineto_json {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Length of the UTF-8 sequence at p (1..4), or 0 when it is not valid (RFC 3629: no surrogates, shortest form).
size_t utf8_length(const unsigned char* p, size_t left) {
  if (p[0] < 0x80) return 1;
  const auto tail = [&](size_t i) { return i < left && (p[i] & 0xc0) == 0x80; };
  if (p[0] >= 0xc2 && p[0] <= 0xdf) return tail(1) ? 2 : 0;
  if (p[0] >= 0xe0 && p[0] <= 0xef) {
    if (!tail(1) || !tail(2)) return 0;
    if (p[0] == 0xe0 && p[1] < 0xa0) return 0;
    if (p[0] == 0xed && p[1] > 0x9f) return 0;
    return 3;
  }
  if (p[0] >= 0xf0 && p[0] <= 0xf4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    if (p[0] == 0xf0 && p[1] < 0x90) return 0;
    if (p[0] == 0xf4 && p[1] > 0x8f) return 0;
    return 4;
  }
  return 0;
}

void append_code_point(std::string* out, uint32_t c) {
  if (c < 0x80) {
    *out += static_cast<char>(c);
  } else if (c < 0x800) {
    *out += static_cast<char>(0xc0 | (c >> 6));
    *out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    *out += static_cast<char>(0xe0 | (c >> 12));
    *out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    *out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    *out += static_cast<char>(0xf0 | (c >> 18));
    *out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    *out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    *out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// The four hexadecimal digits at `at`, or -1.
int32_t hex4(std::string_view raw, size_t at) {
  if (at + 4 > raw.size()) return -1;
  int32_t value = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const char c = raw[i];
    if (c >= '0' && c <= '9') value = value * 16 + (c - '0');
    else if (c >= 'a' && c <= 'f') value = value * 16 + (c - 'a' + 10);
    else if (c >= 'A' && c <= 'F') value = value * 16 + (c - 'A' + 10);
    else return -1;
  }
  return value;
}

// Walks a raw string. on_text(piece), on_code(code point), on_problem(bit, index).
template <typename OnText, typename OnCode, typename OnProblem>
void walk(std::string_view raw, OnText on_text, OnCode on_code, OnProblem on_problem) {
  size_t from = 0, i = 0;
  const auto flush = [&](size_t next) {
    if (i > from) on_text(raw.substr(from, i - from));
    from = i = next;
  };
  while (i < raw.size()) {
    const auto c = static_cast<unsigned char>(raw[i]);
    if (c == '\\') {
      const char kind = i + 1 < raw.size() ? raw[i + 1] : '\0';
      constexpr std::string_view kPlain = "\"\\/bfnrt", kMeaning = "\"\\/\b\f\n\r\t";
      if (const size_t at = kind == '\0' ? kPlain.npos : kPlain.find(kind); at != kPlain.npos) {
        flush(i + 2);
        on_code(static_cast<unsigned char>(kMeaning[at]));
        continue;
      }
      const int32_t first = kind == 'u' ? hex4(raw, i + 2) : -1;
      if (first < 0) {
        on_problem(kBadEscape, i);
        ++i;
        continue;
      }
      const bool pair = first >= 0xd800 && first < 0xdc00 && i + 7 < raw.size() && raw[i + 6] == '\\' && raw[i + 7] == 'u';
      const int32_t second = pair ? hex4(raw, i + 8) : -1;
      if (second >= 0xdc00 && second < 0xe000) {
        flush(i + 12);
        on_code(static_cast<uint32_t>(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)));
      } else if (first >= 0xd800 && first < 0xe000) {
        on_problem(kInvalidUtf8, i);
        flush(i + 6);
        on_text(kReplacement);
      } else {
        flush(i + 6);
        on_code(static_cast<uint32_t>(first));
      }
    } else if (c < 0x20) {
      on_problem(kControlCharacter, i);
      ++i;
    } else if (c < 0x80) {
      ++i;
    } else if (const size_t n = utf8_length(reinterpret_cast<const unsigned char*>(raw.data()) + i, raw.size() - i)) {
      i += n;
    } else {
      on_problem(kInvalidUtf8, i);
      flush(i + 1);
      on_text(kReplacement);
    }
  }
  flush(raw.size());
}

}  // namespace

std::string_view problem_kind(int bit) {
  constexpr auto kKinds = std::to_array<std::string_view>({"control_character", "invalid_utf8", "bad_escape",
                                                           "unescaped_quote", "non_finite_number", "missing_quote",
                                                           "bad_time"});
  return kKinds[static_cast<size_t>(bit)];
}

std::string clean_text(std::string_view raw, uint8_t* problems) {
  std::string out;
  out.reserve(raw.size());
  walk(
      raw, [&](std::string_view piece) { out.append(piece); }, [&](uint32_t code) { append_code_point(&out, code); },
      [&](TextProblem problem, size_t) { *problems = static_cast<uint8_t>(*problems | problem); });
  return out;
}

uint8_t text_problems(std::string_view raw, unsigned traits) {
  uint8_t problems = 0;
  if (traits != 0) {
    walk(
        raw, [](std::string_view) {}, [](uint32_t) {},
        [&](TextProblem problem, size_t) { problems = static_cast<uint8_t>(problems | problem); });
  }
  return problems;
}

size_t first_problem(std::string_view raw) {
  size_t first = raw.size();
  walk(
      raw, [](std::string_view) {}, [](uint32_t) {}, [&](TextProblem, size_t at) { first = std::min(first, at); });
  return first == raw.size() ? 0 : first;
}

std::string compact_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < json.size()) out += json[++i];
      else if (c == '"') in_string = false;
    } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
      out += c;
      in_string = c == '"';
    }
  }
  return out;
}

}  // namespace lanewise::trace::kineto_json
