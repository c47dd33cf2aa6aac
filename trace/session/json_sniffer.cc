// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/json_sniffer.h"

namespace lanewise::trace::session {
namespace {

constexpr std::string_view kArray = "traceEvents", kPhase = "ph";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

void JsonSniffer::add(std::string_view piece) {
  for (const char c : piece) {
    if (events_) return;
    if (in_string_) {
      if (escaped_) escaped_ = false;
      else if (c == '\\') escaped_ = true;
      else if (c == '"') in_string_ = false;
      if (in_string_ && text_.size() <= kArray.size()) text_ += c;
      continue;
    }
    if (is_blank(c)) continue;
    if (c == '"') {
      events_ = previous_ == ':' && text_ == kPhase;
      if (depth_ == 1 && previous_ == '{') plausible_ = true;
      in_string_ = true;
      text_.clear();
    } else if (c == ':') {
      events_ = previous_ == '"' && text_ == kArray;
    } else if (c == '{' || c == '[') {
      if (depth_ == 1 && previous_ == '[') plausible_ = true;
      if (!ended_) ++depth_;
      text_.clear();
    } else if (c == '}' || c == ']') {
      if (depth_ > 0) --depth_;
      ended_ |= depth_ == 0;
      text_.clear();
    } else if (c == ',') {
      text_.clear();
    }
    previous_ = c;
  }
}

}  // namespace lanewise::trace::session
