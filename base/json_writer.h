// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// JsonWriter: JSON text, written in order. Texts are taken as UTF-8 and escaped, a byte that is none becomes U+FFFD; 64-bit integers are written in full.
//
//   JsonWriter w;
//   w.begin_object().key("rows").begin_array().value(1).end_array().end_object();
//
// Calls that do not fit each other (a value where a key is due) are our own bug and abort.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

class JsonWriter {
 public:
  // indent > 0: one member a line, that many blanks a level.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool value);
  JsonWriter& value(double value);  // the shortest text that reads back as the same double; null when not finite
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  JsonWriter& value(T value) {
    return raw(std::to_string(value));
  }
  JsonWriter& null() { return raw("null"); }
  // A JSON value that is there as text.
  JsonWriter& raw(std::string_view json);
  template <typename T>
  JsonWriter& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }

  const std::string& text() const { return text_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void before_value();
  void new_line();
  void quoted(std::string_view text);

  const int indent_;
  std::string text_;
  struct Level {
    char bracket;
    bool empty = true;
  };
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace lanewise
