// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// JsonValue: a small JSON text (a request, a saved state) as a tree. Strict: what is no JSON is an error with its place.
// Bodies are limited by the caller; depth and number of values are limited here, so no text can exhaust the stack or take many times
// its own size in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace lanewise::server::wire {

class JsonValue {
 public:
  enum class Kind : uint8_t { null, boolean, number, text, array, object };

  // A value takes about 100 bytes; no request has more than a selection's 100,000 events.
  static constexpr size_t kMostValues = 250'000;

  // invalid_argument with the byte at which the text stops being JSON, or when there are too many values.
  static Result<JsonValue> parse(std::string_view json, size_t most_values = kMostValues);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }

  // Values of another kind give the fallback.
  bool boolean(bool fallback = false) const { return is(Kind::boolean) ? number_ != 0 : fallback; }
  double number(double fallback = 0) const { return is(Kind::number) ? number_ : fallback; }
  // A whole number as it was written; nothing when it is none or does not fit.
  std::optional<int64_t> integer() const;
  const std::string& text() const { return text_; }  // "" for other kinds but number, which gives its own text
  const std::vector<JsonValue>& items() const { return items_; }
  const std::vector<std::pair<std::string, JsonValue>>& members() const { return members_; }

  // The last member of that name; null when there is none.
  const JsonValue* find(std::string_view name) const;
  std::string text_of(std::string_view name) const;
  std::optional<int64_t> integer_of(std::string_view name) const;
  // The same of a time: a fraction of a nanosecond (a place on a screen) is rounded down; beyond +-2^61 there is none.
  std::optional<int64_t> time_of(std::string_view name) const;
  bool boolean_of(std::string_view name, bool fallback = false) const;

 private:
  friend class JsonReader;
  Kind kind_ = Kind::null;
  double number_ = 0;
  std::string text_;
  std::vector<JsonValue> items_;
  std::vector<std::pair<std::string, JsonValue>> members_;
};

}  // namespace lanewise::server::wire
