// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A fence is signalled once, with the Status of the work it stands for. Failures travel on it to whoever waits.
//
// A driver that paces may know early how long the work takes on the device: then the fence is *planned* (its values are
// in device memory, its status and its times are fixed) before it is signalled (the wall clock has reached the end). Host code looks
// at `signalled` and `wait`; only drivers look at the plan, so that later work need not wait for the wall clock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/status.h"

namespace lanewise::runtime {

class Fence {
 public:
  bool signalled() const { return state_.load(std::memory_order_acquire) == kSignalled; }
  // Device time of the work, ns since the Unix epoch; 0 before the signal.
  int64_t start_ns() const { return signalled() ? start_ns_ : 0; }
  int64_t end_ns() const { return signalled() ? end_ns_ : 0; }

  // Blocks until signalled. Returns the failure of the work, if any.
  Status wait() const;
  // Called once, by the driver.
  void signal(Status status, int64_t start_ns, int64_t end_ns);

  // For drivers. `plan` is called at most once and before `signal`, which then gives the same status and times.
  void plan(Status status, int64_t start_ns, int64_t end_ns);
  // Waits up to `timeout_ns` until planned or signalled; false on timeout.
  bool wait_planned(int64_t timeout_ns) const;
  // End of the work as planned or signalled; 0 before.
  int64_t planned_end_ns() const { return state_.load(std::memory_order_acquire) == kOpen ? 0 : end_ns_; }
  // What `wait` will return, as planned or signalled; ok before.
  Status planned_status() const { return state_.load(std::memory_order_acquire) == kOpen ? ok_status() : status_; }

 private:
  enum State : int { kOpen, kPlanned, kSignalled };
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::atomic<int> state_{kOpen};
  // Written once, before state_ leaves kOpen.
  Status status_;
  int64_t start_ns_ = 0, end_ns_ = 0;
};

}  // namespace lanewise::runtime
