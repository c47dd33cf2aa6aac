// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"

#include <charconv>
#include <cmath>

#include "base/status.h"

namespace lanewise {

namespace {

// Bytes of the UTF-8 sequence at the front (Unicode 15, table 3-7), 0 when there is none.
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned a = byte(0), b = byte(1);
  if (a < 0x80) return 1;
  if (a >= 0xc2 && a <= 0xdf) return follows(1) ? 2 : 0;
  if (a >= 0xe0 && a <= 0xef) {
    const bool fits = (a != 0xe0 || b >= 0xa0) && (a != 0xed || b < 0xa0);  // no overlong form, no surrogate
    return fits && follows(1) && follows(2) ? 3 : 0;
  }
  if (a >= 0xf0 && a <= 0xf4) {
    const bool fits = (a != 0xf0 || b >= 0x90) && (a != 0xf4 || b < 0x90);
    return fits && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(levels_.size() * static_cast<size_t>(indent_), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) {
    LW_CHECK(text_.empty(), "one value at the top");
    return;
  }
  LW_CHECK(levels_.back().bracket == '[', "a value in an object needs a key");
  if (!levels_.back().empty) text_ += ',';
  levels_.back().empty = false;
  new_line();
}

JsonWriter& JsonWriter::open(char bracket) {
  before_value();
  text_ += bracket;
  levels_.push_back({bracket});
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  LW_CHECK(!levels_.empty() && !after_key_ && levels_.back().bracket == (bracket == '}' ? '{' : '['), "brackets match");
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) new_line();
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  LW_CHECK(!levels_.empty() && levels_.back().bracket == '{' && !after_key_, "a key belongs into an object");
  if (!levels_.back().empty) text_ += ',';
  levels_.back().empty = false;
  new_line();
  quoted(name);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  quoted(text);
  return *this;
}

JsonWriter& JsonWriter::value(bool value) { return raw(value ? "true" : "false"); }

JsonWriter& JsonWriter::value(double value) {
  if (!std::isfinite(value)) return null();
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return raw({buffer, static_cast<size_t>(end - buffer)});
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  text_ += json;
  return *this;
}

void JsonWriter::quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  text_ += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (c == '\n') {
      text_ += "\\n";
    } else if (c == '\t') {
      text_ += "\\t";
    } else if (u < 0x20 || u == 0x7f) {
      text_ += "\\u00";
      text_ += kHex[u >> 4];
      text_ += kHex[u & 15];
    } else if (u < 0x80) {
      text_ += c;
    } else if (const size_t length = sequence_length(text.substr(i)); length > 0) {
      text_ += text.substr(i, length);
      i += length - 1;
    } else {
      text_ += "\xef\xbf\xbd";  // U+FFFD
    }
  }
  text_ += '"';
}

}  // namespace lanewise
