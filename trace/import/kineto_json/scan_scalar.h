// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The three scans that a parser spends its time in, byte by byte. scan_avx2.h does the same 32 bytes at a time and must give
// the same answers; a test compares them. All rely on the quotes that pad a chunk.
#pragma once

#include "trace/import/kineto_json/text.h"

namespace lanewise::trace::kineto_json {

struct ScalarScan {
  // From behind an opening quote to the closing one. `*traits` gets StringTrait bits of what lies between.
  static const char* string_end(const char* p, unsigned* traits) {
    for (;;) {
      const auto c = static_cast<unsigned char>(*p);
      if (c == '"') return p;
      if (c == '\\') {
        *traits |= kHasEscape;
        p += 2;
        continue;
      }
      if (c < 0x20) *traits |= kHasControl;
      if (c >= 0x80) *traits |= kHasHigh;
      ++p;
    }
  }

  static const char* skip_blank(const char* p) {
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t') ++p;
    return p;
  }

  // The next quote, bracket or brace.
  static const char* next_structure(const char* p) {
    while (*p != '"' && *p != '[' && *p != ']' && *p != '{' && *p != '}') ++p;
    return p;
  }
};

}  // namespace lanewise::trace::kineto_json
