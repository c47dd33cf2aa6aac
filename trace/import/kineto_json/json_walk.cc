// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/kineto_json/json_walk.h"

#include "trace/import/kineto_json/chunk.h"
#include "trace/import/kineto_json/scan_scalar.h"
#include "trace/import/kineto_json/value_parser.h"

namespace lanewise::trace::kineto_json {
namespace {

class Walk : private ValueParser<ScalarScan> {
 public:
  explicit Walk(std::string_view text) : text_(text) {
    end_ = text_.data() + text_.size();
    text_.append(kPadding, '"');
    end_ = text_.data() + text.size();
    final_ = true;
    p_ = blank(text_.data());
  }
  bool take(char c) {
    p_ = blank(p_);
    if (p_ >= end_ || *p_ != c) return false;
    ++p_;
    return true;
  }
  bool next(Span* span) {
    p_ = blank(p_);
    const char* start = p_;
    const char* q = p_ < end_ ? value(p_, span) : nullptr;
    if (q == nullptr) return false;
    whole_ = {start, static_cast<size_t>(q - start)};
    p_ = q;
    return true;
  }
  std::string_view whole() const { return whole_; }

 private:
  std::string text_;
  const char* p_ = nullptr;
  std::string_view whole_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> json_members(std::string_view object) {
  std::vector<std::pair<std::string, std::string>> members;
  Walk walk(object);
  if (!walk.take('{')) return members;
  Span span;
  while (walk.next(&span) && span.kind == Span::Kind::string) {
    uint8_t ignored = 0;
    std::string key = clean_text(span.view(), &ignored);
    if (!walk.take(':') || !walk.next(&span)) break;
    members.emplace_back(std::move(key), std::string(walk.whole()));
    if (!walk.take(',')) break;
  }
  return members;
}

std::vector<std::string> json_elements(std::string_view array) {
  std::vector<std::string> elements;
  Walk walk(array);
  if (!walk.take('[')) return elements;
  Span span;
  while (walk.next(&span)) {
    elements.emplace_back(walk.whole());
    if (!walk.take(',')) break;
  }
  return elements;
}

std::string json_text(std::string_view value) {
  Walk walk(value);
  Span span;
  if (!walk.next(&span)) return std::string(value);
  if (span.kind == Span::Kind::none) return {};
  if (span.kind != Span::Kind::string) return std::string(walk.whole());
  uint8_t ignored = 0;
  return clean_text(span.view(), &ignored);
}

}  // namespace lanewise::trace::kineto_json
