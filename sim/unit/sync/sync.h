// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Semaphores on the time axis. An update that an engine makes at its end is visible its sequencer's `post_ps` later (a
// DMA's when its completion is written); a waiting instruction begins `wake_ps` of its own sequencer after that.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "isa/instruction.h"

namespace lanewise::sim::sync {

inline constexpr Picos kNever{INT64_MAX};

class SemaphoreClock {
 public:
  // An update that becomes visible at `time`, which is not before anything that was already applied.
  void schedule(const isa::SemaphoreUpdate& update, Picos time);
  // Time of the next scheduled update, kNever when there is none.
  Picos next() const { return pending_.empty() ? kNever : pending_.front().time; }
  // Makes it visible; returns its semaphore.
  int apply();

  uint64_t value(int semaphore) const { return value_[semaphore]; }
  // Earliest begin of an instruction at the head of its queue since `ready`; kNever while the semaphore is too low.
  Picos start(const isa::SemaphoreWait& wait, Picos ready, Picos wake) const;

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

  uint64_t order_ = 0;
  std::vector<Pending> pending_;   // heap
  std::array<uint64_t, isa::kSemaphores> value_{};
  std::array<std::vector<Reached>, isa::kSemaphores> history_;   // the latest changes only
};

}  // namespace lanewise::sim::sync
