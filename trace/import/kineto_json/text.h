// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON strings as they stand in a file, made into clean texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise::trace::kineto_json {

// What a raw string may contain; found by the scanner in passing.
enum StringTrait : unsigned { kHasEscape = 1, kHasControl = 2, kHasHigh = 4 };

// Why a text is not valid JSON although it could be read. One bit a ledger reason.
enum TextProblem : uint8_t {
  kControlCharacter = 1,
  kInvalidUtf8 = 2,
  kBadEscape = 4,
  kUnescapedQuote = 8,
  kNonFinite = 16,
  kMissingQuote = 32,
  kBadTime = 64,
};
inline constexpr int kTextProblems = 7;
std::string_view problem_kind(int bit);

// The text of a raw string (the bytes between its quotes): escapes resolved, UTF-8 made valid with U+FFFD. `*problems`
// gets TextProblem bits; a bad escape stays as it stands, control characters stay.
std::string clean_text(std::string_view raw, uint8_t* problems);

// The problems that clean_text would find, without making the text.
uint8_t text_problems(std::string_view raw, unsigned traits);

// Index of the first byte of `raw` that is a problem, or 0.
size_t first_problem(std::string_view raw);

// JSON text without the blanks outside its strings.
std::string compact_json(std::string_view json);

}  // namespace lanewise::trace::kineto_json
