// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// EventId: names one event of a session for ever: in JSON, links, evidence and tests.
//   part     which file of the session (files sorted by rank, then by path; 0 for a single file)
//   ordinal  row in the events table of that file
// Text form: "ordinal" for part 0, else "part:ordinal".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanewise::trace::schema {

struct EventId {
  uint32_t part = 0;
  uint32_t ordinal = 0;
  auto operator<=>(const EventId&) const = default;

  uint64_t packed() const { return (uint64_t{part} << 32) | ordinal; }
  static EventId unpack(uint64_t v) { return {static_cast<uint32_t>(v >> 32), static_cast<uint32_t>(v)}; }
  std::string to_string() const;
  static std::optional<EventId> parse(std::string_view text);
};

}  // namespace lanewise::trace::schema
