// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: a slow, strict JSON reader that shares no code with the importer. It builds the whole document, keeps numbers
// as text, and accepts exactly RFC 8259 (duplicate keys: all kept).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise::trace::kineto_json {

struct StrictValue {
  enum class Kind { null, boolean, number, string, array, object } kind = Kind::null;
  std::string text;  // of a number as written, of a string decoded, "true" or "false"
  std::vector<StrictValue> elements;
  std::vector<std::pair<std::string, StrictValue>> members;

  // The last member of that name, or null pointer.
  const StrictValue* find(std::string_view name) const {
    for (auto at = members.rbegin(); at != members.rend(); ++at) {
      if (at->first == name) return &at->second;
    }
    return nullptr;
  }
};

class StrictReader {
 public:
  explicit StrictReader(std::string_view text) : text_(text) {}
  // The document, or nothing when it is not valid.
  std::optional<StrictValue> read() {
    StrictValue value;
    if (!read_value(&value, 0)) return std::nullopt;
    blanks();
    if (at_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return peek() == c && at_ < text_.size() ? (++at_, true) : false; }
  bool word(std::string_view w) { return text_.substr(at_, w.size()) == w ? (at_ += w.size(), true) : false; }
  void blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  static bool digit(char c) { return c >= '0' && c <= '9'; }

  bool read_value(StrictValue* out, int depth) {
    using Kind = StrictValue::Kind;
    if (depth > 200) return false;
    blanks();
    if (word("null")) return true;
    if (word("true")) return out->kind = Kind::boolean, out->text = "true", true;
    if (word("false")) return out->kind = Kind::boolean, out->text = "false", true;
    if (peek() == '"') return out->kind = Kind::string, read_string(&out->text);
    if (take('[')) {
      out->kind = Kind::array;
      blanks();
      if (take(']')) return true;
      do {
        if (!read_value(&out->elements.emplace_back(), depth + 1)) return false;
        blanks();
      } while (take(','));
      return take(']');
    }
    if (take('{')) {
      out->kind = Kind::object;
      blanks();
      if (take('}')) return true;
      do {
        blanks();
        auto& [key, value] = out->members.emplace_back();
        if (!read_string(&key)) return false;
        blanks();
        if (!take(':') || !read_value(&value, depth + 1)) return false;
        blanks();
      } while (take(','));
      return take('}');
    }
    return read_number(out);
  }

  bool read_number(StrictValue* out) {
    const size_t start = at_;
    take('-');
    if (take('0')) {
    } else if (digit(peek())) {
      while (digit(peek())) ++at_;
    } else {
      return false;
    }
    if (take('.')) {
      if (!digit(peek())) return false;
      while (digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digit(peek())) return false;
      while (digit(peek())) ++at_;
    }
    out->kind = StrictValue::Kind::number;
    out->text = text_.substr(start, at_ - start);
    return true;
  }

  bool read_string(std::string* out) {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') {
        *out += c;
        continue;
      }
      const char kind = at_ < text_.size() ? text_[at_++] : '\0';
      switch (kind) {
        case '"': case '\\': case '/': *out += kind; break;
        case 'b': *out += '\b'; break;
        case 'f': *out += '\f'; break;
        case 'n': *out += '\n'; break;
        case 'r': *out += '\r'; break;
        case 't': *out += '\t'; break;
        case 'u': {
          uint32_t code = 0;
          if (!hex(&code)) return false;
          if (code >= 0xd800 && code < 0xdc00) {
            uint32_t low = 0;
            if (!word("\\u") || !hex(&low) || low < 0xdc00 || low > 0xdfff) return false;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          } else if (code >= 0xdc00 && code < 0xe000) {
            return false;
          }
          utf8(code, out);
          break;
        }
        default: return false;
      }
    }
    return false;
  }

  bool hex(uint32_t* code) {
    if (at_ + 4 > text_.size()) return false;
    const std::string four(text_.substr(at_, 4));
    if (four.find_first_not_of("0123456789abcdefABCDEF") != four.npos) return false;
    *code = static_cast<uint32_t>(std::stoul(four, nullptr, 16));
    at_ += 4;
    return true;
  }

  static void utf8(uint32_t c, std::string* out) {
    const auto put = [&](uint32_t byte) { *out += static_cast<char>(byte); };
    if (c < 0x80) return put(c);
    if (c < 0x800) return put(0xc0 + c / 64), put(0x80 + c % 64);
    if (c < 0x10000) return put(0xe0 + c / 4096), put(0x80 + c / 64 % 64), put(0x80 + c % 64);
    put(0xf0 + c / 262144), put(0x80 + c / 4096 % 64), put(0x80 + c / 64 % 64), put(0x80 + c % 64);
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace lanewise::trace::kineto_json
