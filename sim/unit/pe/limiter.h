// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The activity limiter of the tensor engine as captures show it. It looks at windows of `throttle_window_ps` on a clock
// of its own: after a window that was at least `throttle_release_permille` busy the array runs at full clock, after one
// below `throttle_engage_permille` it runs `throttle_factor` times slower. The change is at the window's end, also in
// the middle of an instruction.
#pragma once

#include "base/units.h"
#include "machine/machine.h"

namespace lanewise::sim::pe {

class Limiter {
 public:
  // A window begins at `phase` (and every window before and after it). The array starts limited.
  Limiter(const machine::Machine& machine, Picos phase);

  // Clock of the array from `time` on. Calls must not go back in time.
  bool limited(Picos time);
  // Runs `cycles` of the array from `begin`; returns their end.
  Picos run(Picos begin, Cycles cycles);

 private:
  void advance(Picos time);
  Picos duration(Cycles cycles) const { return clock_.to_picos(cycles * (limited_ ? factor_ : 1)); }

  Clock clock_;
  int64_t factor_, release_, engage_;
  Picos window_, window_end_, busy_;
  bool limited_;
};

}  // namespace lanewise::sim::pe
