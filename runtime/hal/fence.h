// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A fence is signalled once, with the Status of the work it stands for. Failures travel on it to whoever waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/status.h"

namespace lanewise::runtime {

class Fence {
 public:
  bool signalled() const { return done_.load(std::memory_order_acquire); }
  // Device time of the work, ns since the Unix epoch; 0 before the signal.
  int64_t start_ns() const { return start_ns_; }
  int64_t end_ns() const { return end_ns_; }

  // Blocks until signalled. Returns the failure of the work, if any.
  Status wait() const;
  // Called once, by the driver.
  void signal(Status status, int64_t start_ns, int64_t end_ns);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::atomic<bool> done_{false};
  Status status_;
  int64_t start_ns_ = 0, end_ns_ = 0;
};

}  // namespace lanewise::runtime
