// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/pe/limiter.h"

namespace lanewise::sim::pe {

Limiter::Limiter(const machine::Machine& machine, Picos phase)
    : clock_(machine.pe.clock), factor_(machine.pe.throttle_factor), release_(machine.pe.throttle_release_permille),
      engage_(machine.pe.throttle_engage_permille), window_(machine.pe.throttle_window_ps),
      window_end_(window_.value > 0 ? Picos(phase.value % window_.value) : Picos(0)),
      limited_(machine.pe.throttle_factor > 1 && window_.value > 0) {
  if (window_end_.value <= 0) window_end_ += window_;
}

void Limiter::advance(Picos time) {
  if (factor_ <= 1 || window_.value <= 0) return;
  while (window_end_ <= time) {
    if (limited_ && busy_.value * 1000 >= window_.value * release_) limited_ = false;
    else if (!limited_ && busy_.value * 1000 < window_.value * engage_) limited_ = true;
    busy_ = Picos(0);
    window_end_ += window_;
    // Nothing was busy in the windows up to `time`: the first of them decides for all.
    if (window_end_ <= time && (limited_ || engage_ == 0)) {
      const int64_t idle = (time - window_end_).value / window_.value;
      window_end_ += window_ * idle;
    }
  }
}

bool Limiter::limited(Picos time) {
  advance(time);
  return limited_;
}

Picos Limiter::run(Picos begin, Cycles cycles) {
  advance(begin);
  Picos at = begin;
  if (factor_ <= 1 || window_.value <= 0) return at + clock_.to_picos(cycles);
  for (Cycles left = cycles; left.value > 0;) {
    const Picos need = duration(left);
    const Picos room = window_end_ - at;
    if (need <= room) {
      busy_ += need;
      return at + need;
    }
    busy_ += room;
    const int64_t per_cycle = 1'000'000'000 * (limited_ ? factor_ : 1);
    left -= Cycles(room.value * clock_.khz / per_cycle);
    at = window_end_;
    advance(at);
  }
  return at;
}

}  // namespace lanewise::sim::pe
