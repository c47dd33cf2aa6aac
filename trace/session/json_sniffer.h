// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells a trace from another JSON file by its beginning, piece by piece, without making anything of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise::trace::session {

class JsonSniffer {
 public:
  void add(std::string_view piece);
  // A key `traceEvents`, or a key `ph` with a text, was seen.
  bool has_events() const { return events_; }
  // The first object or array has not ended yet, and begins as JSON does: `{"`, `{}`, or `[` before another value.
  bool inside_first_value() const { return plausible_ && depth_ > 0; }

 private:
  bool events_ = false, plausible_ = false, ended_ = false;
  bool in_string_ = false, escaped_ = false;
  char previous_ = 0;       // the last character outside strings that is no blank; '"' for a string
  uint64_t depth_ = 0;
  std::string text_;        // the string that is read, or was last; longer ones than any key of interest are cut
};

}  // namespace lanewise::trace::session
