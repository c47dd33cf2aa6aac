// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/wire/json_value.h"

#include <charconv>
#include <cmath>

namespace lanewise::server::wire {

class JsonReader {
 public:
  JsonReader(std::string_view text, size_t most_values) : text_(text), left_(most_values) {}

  Result<JsonValue> document() {
    JsonValue value;
    LW_RETURN_IF_ERROR(read(&value, 0));
    skip_blanks();
    if (at_ != text_.size()) return wrong();
    return value;
  }

 private:
  static constexpr int kMaxDepth = 64;

  Status wrong() const { return invalid_argument("not JSON at byte " + std::to_string(at_)); }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Status read(JsonValue* value, int depth) {
    if (depth > kMaxDepth) return invalid_argument("JSON nests too deep");
    if (left_-- == 0) return invalid_argument("JSON of too many values");
    skip_blanks();
    if (at_ >= text_.size()) return wrong();
    switch (text_[at_]) {
      case '{': return read_object(value, depth);
      case '[': return read_array(value, depth);
      case '"':
        value->kind_ = JsonValue::Kind::text;
        return read_string(&value->text_);
      case 't':
      case 'f':
        value->kind_ = JsonValue::Kind::boolean;
        value->number_ = text_[at_] == 't';
        return take_word(value->number_ != 0 ? "true" : "false") ? ok_status() : wrong();
      case 'n': return take_word("null") ? ok_status() : wrong();
      default: return read_number(value);
    }
  }

  Status read_object(JsonValue* value, int depth) {
    value->kind_ = JsonValue::Kind::object;
    ++at_;
    skip_blanks();
    if (take('}')) return ok_status();
    while (true) {
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] != '"') return wrong();
      auto& [name, member] = value->members_.emplace_back();
      LW_RETURN_IF_ERROR(read_string(&name));
      skip_blanks();
      if (!take(':')) return wrong();
      LW_RETURN_IF_ERROR(read(&member, depth + 1));
      skip_blanks();
      if (take('}')) return ok_status();
      if (!take(',')) return wrong();
    }
  }

  Status read_array(JsonValue* value, int depth) {
    value->kind_ = JsonValue::Kind::array;
    ++at_;
    skip_blanks();
    if (take(']')) return ok_status();
    while (true) {
      LW_RETURN_IF_ERROR(read(&value->items_.emplace_back(), depth + 1));
      skip_blanks();
      if (take(']')) return ok_status();
      if (!take(',')) return wrong();
    }
  }

  // from_chars takes more than JSON allows (inf, a leading point), so the form is checked first.
  Status read_number(JsonValue* value) {
    const size_t begin = at_;
    const auto digits = [&] {
      const size_t from = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      return at_ > from;
    };
    take('-');
    const size_t first = at_;
    if (!digits() || (text_[first] == '0' && at_ - first > 1)) return wrong();
    if (take('.') && !digits()) return wrong();
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return wrong();
    }
    value->kind_ = JsonValue::Kind::number;
    value->text_ = std::string(text_.substr(begin, at_ - begin));
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + at_, value->number_);
    if (error != std::errc() || !std::isfinite(value->number_)) return invalid_argument("the number " + value->text_ + " is too large");
    return ok_status();
  }

  Status read_string(std::string* out) {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return ok_status();
      if (static_cast<unsigned char>(c) < 0x20) return wrong();
      if (c != '\\') {
        out->push_back(c);
        continue;
      }
      if (at_ >= text_.size()) return wrong();
      switch (text_[at_++]) {
        case '"': out->push_back('"'); break;
        case '\\': out->push_back('\\'); break;
        case '/': out->push_back('/'); break;
        case 'b': out->push_back('\b'); break;
        case 'f': out->push_back('\f'); break;
        case 'n': out->push_back('\n'); break;
        case 'r': out->push_back('\r'); break;
        case 't': out->push_back('\t'); break;
        case 'u': LW_RETURN_IF_ERROR(read_escaped_unit(out)); break;
        default: return wrong();
      }
    }
    return wrong();
  }

  bool hex4(uint32_t* unit) {
    if (text_.size() - at_ < 4) return false;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, *unit, 16);
    if (error != std::errc() || end != text_.data() + at_ + 4) return false;
    at_ += 4;
    return true;
  }

  // A pair of surrogates is one character; a lone one becomes U+FFFD.
  Status read_escaped_unit(std::string* out) {
    uint32_t unit = 0;
    if (!hex4(&unit)) return wrong();
    if (unit >= 0xd800 && unit < 0xdc00 && text_.substr(at_, 2) == "\\u") {
      const size_t before = at_;
      uint32_t low = 0;
      at_ += 2;
      if (!hex4(&low)) return wrong();
      if (low >= 0xdc00 && low < 0xe000) unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
      else at_ = before;
    }
    if (unit >= 0xd800 && unit < 0xe000) unit = 0xfffd;
    if (unit < 0x80) {
      out->push_back(static_cast<char>(unit));
    } else if (unit < 0x800) {
      out->push_back(static_cast<char>(0xc0 | unit >> 6));
      out->push_back(static_cast<char>(0x80 | (unit & 0x3f)));
    } else if (unit < 0x10000) {
      out->push_back(static_cast<char>(0xe0 | unit >> 12));
      out->push_back(static_cast<char>(0x80 | (unit >> 6 & 0x3f)));
      out->push_back(static_cast<char>(0x80 | (unit & 0x3f)));
    } else {
      out->push_back(static_cast<char>(0xf0 | unit >> 18));
      out->push_back(static_cast<char>(0x80 | (unit >> 12 & 0x3f)));
      out->push_back(static_cast<char>(0x80 | (unit >> 6 & 0x3f)));
      out->push_back(static_cast<char>(0x80 | (unit & 0x3f)));
    }
    return ok_status();
  }

  std::string_view text_;
  size_t at_ = 0, left_;
};

Result<JsonValue> JsonValue::parse(std::string_view json, size_t most_values) { return JsonReader(json, most_values).document(); }

std::optional<int64_t> JsonValue::integer() const {
  if (kind_ != Kind::number) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (error == std::errc() && end == text_.data() + text_.size()) return value;
  // 1e6 and 5.0 are whole numbers as well; beyond 2^53 a double names no single one.
  constexpr double kExact = 9007199254740992.0;
  if (number_ == std::floor(number_) && number_ >= -kExact && number_ <= kExact) return static_cast<int64_t>(number_);
  return std::nullopt;
}

const JsonValue* JsonValue::find(std::string_view name) const {
  for (auto at = members_.rbegin(); at != members_.rend(); ++at) {
    if (at->first == name) return &at->second;
  }
  return nullptr;
}

std::string JsonValue::text_of(std::string_view name) const {
  const JsonValue* value = find(name);
  return value && value->is(Kind::text) ? value->text() : std::string();
}

std::optional<int64_t> JsonValue::integer_of(std::string_view name) const {
  const JsonValue* value = find(name);
  return value ? value->integer() : std::nullopt;
}

std::optional<int64_t> JsonValue::time_of(std::string_view name) const {
  constexpr int64_t kFar = int64_t{1} << 61;
  const JsonValue* value = find(name);
  if (value == nullptr || !value->is(Kind::number)) return std::nullopt;
  std::optional<int64_t> time = value->integer();
  if (!time && std::abs(value->number()) < static_cast<double>(kFar)) time = static_cast<int64_t>(std::floor(value->number()));
  return time && *time <= kFar && *time >= -kFar ? time : std::nullopt;
}

bool JsonValue::boolean_of(std::string_view name, bool fallback) const {
  const JsonValue* value = find(name);
  return value ? value->boolean(fallback) : fallback;
}

}  // namespace lanewise::server::wire
