// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// An engine with a datapath as two stages with room for elements between them: one reads and computes, one writes.
// Instructions begin `front` apart while there is room and end `back` apart once the writing stage never idles; so what
// follows closely takes longer from begin to end than what runs alone, as captures show.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace lanewise::sim::core {

struct Stages {
  Picos latency;   // begin to end of the instruction alone
  Picos front;     // begin to the earliest begin of the next
  Picos back;      // end to the earliest end of the next: what this one holds the writing stage
  Picos ahead;     // the next one begins no earlier than this after the end of the one before this
};

// What SBUF makes of an instruction's patterns (sim/unit/sbuf/access.h).
struct Patterns {
  bool wide_read = false;       // a source's innermost stride reaches `wide_stride_bytes`
  bool partial_write = false;   // the target's does, and its elements are smaller than a word of 4 bytes
};

class Pipeline {
 public:
  Picos earliest(Picos ready) const { return std::max({ready, front_free_, room_}); }

  // Begins at `begin`, which is no earlier than earliest(). Returns the end.
  Picos run(const Stages& s, Picos begin) {
    const Picos end = std::max(begin + s.latency, end_ + s.back);
    front_free_ = begin + s.front;
    room_ = end_ + s.ahead;
    end_ = end;
    return end;
  }

 private:
  static constexpr Picos kLongAgo{INT64_MIN / 4};
  Picos front_free_{kLongAgo}, room_{kLongAgo}, end_{kLongAgo};
};

}  // namespace lanewise::sim::core
