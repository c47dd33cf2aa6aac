// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON values as they stand in a chunk: where they end, what they are, what is wrong with them. A template over the scans,
// so that each instruction set has its own copy.
//
// Functions take a place and give the place behind what they read, or null; then `outcome_` says whether the text ended
// (incomplete) or is damaged (bad, at `bad_at_`).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "trace/import/kineto_json/text.h"

namespace lanewise::trace::kineto_json {

enum class Outcome : uint8_t { ok, incomplete, bad, too_deep };

// A scalar or nested value as it stands.
struct Span {
  enum class Kind : uint8_t { none, string, token, nested };
  const char* begin = nullptr;
  uint32_t size = 0;
  Kind kind = Kind::none;
  uint8_t traits = 0;    // StringTrait bits (of all strings in a nested value)
  uint8_t problems = 0;  // TextProblem bits that are not of the string itself
  std::string_view view() const { return {begin, size}; }
};

template <typename Scan>
class ValueParser {
 protected:
  static constexpr int kMaxDepth = 512;
  // How far the end of a string with raw quotes is looked for.
  static constexpr size_t kMaxQuoted = 4096;

  static bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
  static bool is_token_char(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.' || c == '_';
  }
  static const char* blank(const char* p) { return Scan::skip_blank(p); }

  const char* fail(const char* at, Outcome outcome = Outcome::bad) {
    outcome_ = at >= end_ ? Outcome::incomplete : outcome;
    bad_at_ = at;
    return nullptr;
  }

  // From behind the opening quote; gives the place of the closing one.
  const char* string(const char* p, unsigned* traits) {
    const char* q = Scan::string_end(p, traits);
    return q >= end_ ? fail(end_) : q;
  }

  // A value of any kind at p (not blank). Fills `span` (strings without their quotes).
  const char* value(const char* p, Span* span) {
    if (*p == '"') {
      unsigned traits = 0;
      if (p >= end_) return fail(end_);
      const char* q = string(p + 1, &traits);
      if (q == nullptr) return nullptr;
      *span = {p + 1, static_cast<uint32_t>(q - p - 1), Span::Kind::string, static_cast<uint8_t>(traits), 0};
      return q + 1;
    }
    if (*p == '{' || *p == '[') {
      unsigned traits = 0;
      const char* q = nested(p, &traits);
      if (q == nullptr) return nullptr;
      *span = {p, static_cast<uint32_t>(q - p), Span::Kind::nested, static_cast<uint8_t>(traits), 0};
      return q;
    }
    return token(p, span);
  }

  // A number, a literal, or what other writers put in their place.
  const char* token(const char* p, Span* span) {
    const char* q = p;
    while (is_token_char(*q)) ++q;
    if (q >= end_ || q == p) return fail(q);
    *span = {p, static_cast<uint32_t>(q - p), Span::Kind::token, 0, 0};
    if (is_digit(*p) || (*p == '-' && is_digit(p[1]))) {
      for (const char* c = p; c < q; ++c) {
        if (!is_digit(*c) && *c != '.' && *c != 'e' && *c != 'E' && *c != '-' && *c != '+') return fail(p);
      }
      return q;
    }
    const std::string_view word = span->view();
    if (word == "null") {
      span->kind = Span::Kind::none;
      return q;
    }
    if (word == "true" || word == "false") return q;
    const std::string_view bare = word.substr(word[0] == '-' || word[0] == '+' ? 1 : 0);
    for (std::string_view known : {"NaN", "nan", "Infinity", "infinity", "Inf", "inf", "INF", "NAN"}) {
      if (bare != known) continue;
      span->kind = Span::Kind::none;
      span->problems = kNonFinite;
      return q;
    }
    return fail(p);
  }

  // Past a nested value. Brackets must match; scalars inside are not looked at.
  const char* nested(const char* p, unsigned* traits) {
    uint64_t is_object[kMaxDepth / 64];
    int depth = 0;
    for (;;) {
      p = Scan::next_structure(p);
      if (p >= end_) return fail(end_);
      const char c = *p;
      if (c == '"') {
        p = string(p + 1, traits);
        if (p == nullptr) return nullptr;
        ++p;
        continue;
      }
      const uint64_t bit = uint64_t{1} << (depth & 63);
      if (c == '{' || c == '[') {
        if (depth == kMaxDepth) return fail(p, Outcome::too_deep);
        if (c == '{') is_object[depth / 64] |= bit;
        else is_object[depth / 64] &= ~bit;
        ++depth;
      } else {
        --depth;
        const bool object = (is_object[depth / 64] >> (depth & 63) & 1) != 0;
        if (object != (c == '}')) return fail(p);
        if (depth == 0) return p + 1;
      }
      ++p;
    }
  }

  // Whether a string may end at the quote q: a member, or the end of its object, follows. incomplete: cannot tell.
  Outcome may_end(const char* q) const {
    const char* r = blank(q + 1);
    if (r >= end_) return Outcome::incomplete;
    if (*r == '}') return Outcome::ok;
    if (*r != ',') return Outcome::bad;
    r = blank(r + 1);
    if (r >= end_) return Outcome::incomplete;
    if (*r != '"') return Outcome::bad;
    const char* key = r + 1;
    for (const char* c = key; c < key + 64; ++c) {
      if (c >= end_) return Outcome::incomplete;
      if (static_cast<unsigned char>(*c) < 0x20) return Outcome::bad;
      if (*c != '"') continue;
      const char* colon = blank(c + 1);
      if (colon >= end_) return Outcome::incomplete;
      return c > key && *colon == ':' ? Outcome::ok : Outcome::bad;
    }
    return Outcome::bad;
  }

  // Whether the quote q opens the first key of another event or document. (Reads less than the padding behind it.)
  static bool opens_another(const char* q, const char* begin) {
    const char* brace = q - 1;
    while (brace > begin && static_cast<unsigned char>(*brace) <= ' ') --brace;
    if (brace < begin || *brace != '{') return false;
    const auto is = [&](std::string_view key) { return std::memcmp(q + 1, key.data(), key.size()) == 0; };
    return is("ph\"") || is("traceEvents\"") || is("schemaVersion\"");
  }
  static constexpr size_t kOpeningBytes = 16;

  // A string member that seemed to end at the quote behind `span` but cannot: looks for the first quote, escaped or not, that
  // can. Gives the place behind it and widens the span, or fails at `at`. A string that would swallow the head of another
  // event has lost its end instead.
  const char* widen(Span* span, const char* at) {
    const char* const limit = span->begin + kMaxQuoted;
    // Behind the quote that failed; or at a `\"` inside, when a lone backslash at the end of a path hid the right one.
    for (const char* q = span->begin; q < limit; ++q) {
      if (q >= end_) return fail(final_ ? at : end_);
      if (*q != '"') continue;
      const bool escaped = q > span->begin && q[-1] == '\\';
      if (q < span->begin + span->size && !escaped) continue;
      if (q + kOpeningBytes >= end_ && !final_) return fail(end_);
      if (opens_another(q, span->begin)) return fail(at);
      const Outcome outcome = may_end(q);
      if (outcome == Outcome::incomplete) return fail(final_ ? at : end_);
      if (outcome == Outcome::bad) continue;
      span->size = static_cast<uint32_t>(q - span->begin);
      span->traits |= kHasEscape | kHasHigh;
      span->problems |= kUnescapedQuote;
      return q + 1;
    }
    return fail(at);
  }

  const char* end_ = nullptr;  // of the text that may be used
  bool final_ = false;         // and nothing follows it
  const char* bad_at_ = nullptr;
  Outcome outcome_ = Outcome::ok;
};

}  // namespace lanewise::trace::kineto_json
