// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A position in one line of program text. Every reader returns false at the first thing it did not expect and leaves
// `position` there, so the caller can name the column.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace lanewise::isa {

class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) {}

  size_t position() const { return at_; }
  bool at_end() const { return at_ == line_.size() || line_[at_] == '#'; }
  std::string_view rest() const { return line_.substr(at_); }

  void skip_spaces() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r')) ++at_;
  }
  bool eat(std::string_view word) {
    if (line_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool peek(char c) const { return at_ < line_.size() && line_[at_] == c; }

  // A name: letters, digits and underscores.
  std::string_view word() {
    const size_t start = at_;
    while (at_ < line_.size() && is_word(line_[at_])) ++at_;
    return line_.substr(start, at_ - start);
  }

  template <typename T>
  bool number(T& value) {
    const char* begin = line_.data() + at_;
    const auto [end, error] = std::from_chars(begin, line_.data() + line_.size(), value);
    if (error != std::errc{}) return false;
    at_ += static_cast<size_t>(end - begin);
    return true;
  }
  template <typename T>
  bool hex(T& value) {
    const char* begin = line_.data() + at_;
    const auto [end, error] = std::from_chars(begin, line_.data() + line_.size(), value, 16);
    if (error != std::errc{}) return false;
    at_ += static_cast<size_t>(end - begin);
    return true;
  }

  bool quoted(std::string& out);

 private:
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  std::string_view line_;
  size_t at_ = 0;
};

}  // namespace lanewise::isa
