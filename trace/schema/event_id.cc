// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/schema/event_id.h"

#include <charconv>

namespace lanewise::trace::schema {
namespace {

std::optional<uint32_t> number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string EventId::to_string() const {
  return part == 0 ? std::to_string(ordinal) : std::to_string(part) + ":" + std::to_string(ordinal);
}

std::optional<EventId> EventId::parse(std::string_view text) {
  const size_t colon = text.find(':');
  const auto part = colon == text.npos ? std::optional<uint32_t>(0) : number(text.substr(0, colon));
  const auto ordinal = number(colon == text.npos ? text : text.substr(colon + 1));
  if (!part || !ordinal) return std::nullopt;
  return EventId{*part, *ordinal};
}

}  // namespace lanewise::trace::schema
