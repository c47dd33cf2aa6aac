// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Exact numbers from decimal text of any form that traces hold: sign, digits, point, exponent. Never through a double.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanewise::trace::kineto_json {

struct DecimalValue {
  int64_t value = 0;
  bool cut = false;      // digits beyond the unit were not zero: the value was rounded toward zero
  bool clipped = false;  // did not fit; value is the nearest that does
};

// text times 10^scale as an integer. Blanks around are allowed. False: not a finite number.
bool parse_decimal(std::string_view text, int scale, DecimalValue* out);

// Microseconds to ns.
inline bool parse_micros(std::string_view text, DecimalValue* out) { return parse_decimal(text, 3, out); }

// True when `text` is an integer in canonical form (no sign but '-', no leading zero) that fits int64.
bool parse_canonical_integer(std::string_view text, int64_t* out);

}  // namespace lanewise::trace::kineto_json
