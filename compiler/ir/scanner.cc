// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/scanner.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lanewise::compiler::ir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.';
}
bool is_word(char c) { return is_name(c) || c == ':'; }

}  // namespace

void Scanner::skip() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#' || text_.substr(at_, 2) == "//") {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      return;
    }
  }
}

bool Scanner::at_end() {
  skip();
  return at_ >= text_.size();
}

char Scanner::peek() {
  skip();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Scanner::comes(std::string_view token) {
  skip();
  if (text_.substr(at_, token.size()) != token) return false;
  const size_t end = at_ + token.size();
  return !is_name(token.back()) || end >= text_.size() || !is_word(text_[end]);
}

bool Scanner::accept(std::string_view token) {
  if (!comes(token)) return false;
  at_ += token.size();
  return true;
}

Status Scanner::expect(std::string_view token) {
  if (accept(token)) return ok_status();
  return fail("expected '" + std::string(token) + "'");
}

Status Scanner::fail(std::string_view message) {
  skip();
  std::string found = "the end of the text";
  if (at_ < text_.size()) {
    size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) end = text_.size();
    found = "'" + std::string(text_.substr(at_, std::min<size_t>(end - at_, 24))) + "'";
  }
  return invalid_argument("line " + std::to_string(line_) + ": " + std::string(message) + ", found " + found);
}

Status Scanner::reject(std::string_view message) const {
  return invalid_argument("line " + std::to_string(line_) + ": " + std::string(message));
}

Result<std::string_view> Scanner::word(std::string_view what) {
  skip();
  size_t end = at_;
  while (end < text_.size() && is_word(text_[end])) ++end;
  if (end == at_) return fail("expected " + std::string(what));
  const std::string_view result = text_.substr(at_, end - at_);
  at_ = end;
  return result;
}

Result<std::string_view> Scanner::value_name() {
  LW_RETURN_IF_ERROR(expect("%"));
  size_t end = at_;
  while (end < text_.size() && is_name(text_[end])) ++end;
  if (end == at_) return fail("expected a name after '%'");
  const std::string_view result = text_.substr(at_, end - at_);
  at_ = end;
  return result;
}

Result<std::string_view> Scanner::number() {
  skip();
  size_t end = at_;
  if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
  const std::string_view named = text_.substr(end, 3);
  if (named == "inf" || named == "nan") {
    end += 3;
  } else {
    const size_t first = end;
    while (end < text_.size() && (is_digit(text_[end]) || text_[end] == '.' || text_[end] == 'e' || text_[end] == 'E' ||
                                  ((text_[end] == '-' || text_[end] == '+') && end > first &&
                                   (text_[end - 1] == 'e' || text_[end - 1] == 'E')))) {
      ++end;
    }
    if (end == first || !(is_digit(text_[first]) || text_[first] == '.')) return fail("expected a number");
  }
  if (end < text_.size() && is_name(text_[end])) return fail("expected a number");
  std::string_view result = text_.substr(at_, end - at_);
  if (result.front() == '+') result.remove_prefix(1);
  at_ = end;
  return result;
}

Result<int64_t> Scanner::integer() {
  LW_ASSIGN_OR_RETURN(const std::string_view spelling, number());
  int64_t value = 0;
  const auto [end, error] = std::from_chars(spelling.data(), spelling.data() + spelling.size(), value);
  if (error != std::errc() || end != spelling.data() + spelling.size()) {
    return reject("expected an integer of 64 bits, found " + std::string(spelling));
  }
  return value;
}

Result<double> Scanner::floating() {
  LW_ASSIGN_OR_RETURN(const std::string_view spelling, number());
  double value = 0;
  const auto [end, error] = std::from_chars(spelling.data(), spelling.data() + spelling.size(), value);
  const bool read = end == spelling.data() + spelling.size();
  if (read && error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone; the exponent's sign says whether it is too small or too large.
    const bool tiny = spelling.find("e-") != std::string_view::npos || spelling.find("E-") != std::string_view::npos;
    value = std::copysign(tiny ? 0.0 : INFINITY, spelling.front() == '-' ? -1.0 : 1.0);
  } else if (!read || error != std::errc()) {
    return reject("expected a number, found " + std::string(spelling));
  }
  return value;
}

Result<std::string> Scanner::quoted() {
  if (!accept("\"")) return fail("expected a string in quotes");
  std::string result;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    result += text_[at_++];
  }
  if (at_ >= text_.size() || text_[at_] != '"') return fail("string without its closing quote");
  ++at_;
  return result;
}

Result<isa::DType> Scanner::dtype() {
  LW_ASSIGN_OR_RETURN(const std::string_view name, word("a dtype"));
  if (const auto dtype = isa::parse_dtype(name)) return *dtype;
  return reject("unknown dtype " + std::string(name));
}

Result<std::vector<int64_t>> Scanner::integers(char open, char close) {
  LW_RETURN_IF_ERROR(expect(std::string_view(&open, 1)));
  std::vector<int64_t> values;
  if (accept(std::string_view(&close, 1))) return values;
  do {
    LW_ASSIGN_OR_RETURN(const int64_t value, integer());
    values.push_back(value);
  } while (accept(","));
  LW_RETURN_IF_ERROR(expect(std::string_view(&close, 1)));
  return values;
}

std::string spell(double value) {
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string result(buffer, end);
  if (result.find_first_of(".ein") == std::string::npos) result += ".0";
  return result == "-nan" ? "nan" : result;
}

std::string spell(const std::vector<int64_t>& values, char open, char close) {
  std::string result(1, open);
  for (size_t i = 0; i < values.size(); ++i) {
    if (i) result += ',';
    result += std::to_string(values[i]);
  }
  return result + close;
}

std::string spell_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

int64_t checked_elements(const std::vector<int64_t>& sizes) {
  constexpr int64_t kMost = int64_t{1} << 48;
  int64_t product = 1;
  bool empty = false;
  for (const int64_t size : sizes) {
    if (size < 0 || size > kMost) return -1;
    if (size == 0) empty = true;
    if (size > 1 && product > kMost / size) return -1;
    if (size > 1) product *= size;
  }
  return empty ? 0 : product;
}

}  // namespace lanewise::compiler::ir
