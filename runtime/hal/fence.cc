// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/hal/fence.h"

#include <chrono>

namespace lanewise::runtime {

Status Fence::wait() const {
  if (!signalled()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return signalled(); });
  }
  return status_;
}

void Fence::plan(Status status, int64_t start_ns, int64_t end_ns) {
  std::lock_guard lock(mutex_);
  LW_CHECK(state_.load(std::memory_order_relaxed) == kOpen, "a fence is planned once, before its signal");
  status_ = std::move(status);
  start_ns_ = start_ns;
  end_ns_ = end_ns;
  state_.store(kPlanned, std::memory_order_release);
  changed_.notify_all();
}

void Fence::signal(Status status, int64_t start_ns, int64_t end_ns) {
  std::lock_guard lock(mutex_);
  int state = state_.load(std::memory_order_relaxed);
  LW_CHECK(state != kSignalled, "a fence is signalled once");
  if (state == kOpen) {
    status_ = std::move(status);
    start_ns_ = start_ns;
    end_ns_ = end_ns;
  } else {
    // Readers of the plan may look at it right now, so nothing is written again.
    LW_CHECK(start_ns_ == start_ns && end_ns_ == end_ns && status_.code() == status.code(),
             "a fence is signalled with its planned status and times");
  }
  state_.store(kSignalled, std::memory_order_release);
  changed_.notify_all();
}

bool Fence::wait_planned(int64_t timeout_ns) const {
  auto known = [this] { return state_.load(std::memory_order_acquire) != kOpen; };
  if (known()) return true;
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), known);
}

}  // namespace lanewise::runtime
