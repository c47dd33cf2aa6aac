// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Semaphores on the time axis. An update that an engine makes at its end is visible `semaphore_post_ps` later (a DMA's
// when its completion is written); a waiting instruction starts `semaphore_wake_ps` after that.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "isa/instruction.h"
#include "machine/machine.h"

namespace lanewise::sim::sync {

inline constexpr Picos kNever{INT64_MAX};

class SemaphoreClock {
 public:
  explicit SemaphoreClock(const machine::Machine& machine)
      : post_(machine.sync.semaphore_post_ps), wake_(machine.sync.semaphore_wake_ps) {}

  // An update that becomes visible at `time`, which is not before anything that was already applied.
  void schedule(const isa::SemaphoreUpdate& update, Picos time);
  // Time of the next scheduled update, kNever when there is none.
  Picos next() const { return pending_.empty() ? kNever : pending_.front().time; }
  // Makes it visible; returns its semaphore.
  int apply();

  uint64_t value(int semaphore) const { return value_[semaphore]; }
  // Earliest start of an instruction at the head of its queue since `ready`; kNever while the semaphore is too low.
  Picos start(const isa::SemaphoreWait& wait, Picos ready) const;

  Picos post() const { return post_; }
  Picos wake() const { return wake_; }

 private:
  struct Pending {
    Picos time;
    uint64_t order;   // equal times in the order of scheduling
    isa::SemaphoreUpdate update;
  };
  struct Reached {
    Picos time;
    uint64_t value;
  };
  static bool later(const Pending& a, const Pending& b) {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  }

  Picos post_, wake_;
  uint64_t order_ = 0;
  std::vector<Pending> pending_;   // heap
  std::array<uint64_t, isa::kSemaphores> value_{};
  std::array<std::vector<Reached>, isa::kSemaphores> history_;   // the latest changes only
};

// Sequencer instructions (waits, increments, loops) occupy their engine for `dispatch_ps`.
inline Picos dispatch(const machine::Machine& machine) { return Picos(machine.sync.dispatch_ps); }

}  // namespace lanewise::sim::sync
