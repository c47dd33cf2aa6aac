// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/pacer.h"

#include <sys/prctl.h>

#include <chrono>

#include "runtime/driver/sim/service_thread.h"
#include "trace/record/clock.h"

namespace lanewise::runtime::sim_driver {

Pacer::Pacer(bool pacing, std::function<void(Completion)> finish) : pacing_(pacing), finish_(std::move(finish)) {
  if (pacing_) thread_ = start_service_thread("lw-pacer", [this] { run(); });
}

Pacer::~Pacer() {
  close();
  if (thread_.joinable()) thread_.join();
}

void Pacer::add(Completion completion, int64_t deadline_ns) {
  if (!pacing_) return finish_(std::move(completion));
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    // Nothing before it is open, and its end has passed: the detour through the other thread would only cost time.
    bool direct = items_.empty() && !busy_ && (closed_ || trace::record::steady_ns() >= deadline_ns);
    if (!direct) {
      // Before the item is visible to the other thread: a plan comes before its signal.
      completion.fence->plan(completion.status, completion.start_ns, completion.end_ns);
      wake = items_.empty() || deadline_ns < items_.top().deadline_ns;
      items_.push({deadline_ns, order_++, std::move(completion)});
    }
  }
  if (completion.fence) return finish_(std::move(completion));
  if (wake) changed_.notify_one();
}

void Pacer::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
}

void Pacer::run() {
  // The default slack of 50 us is longer than most launches.
  (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (items_.empty()) {
      if (closed_) return;
      changed_.wait(lock);
      continue;
    }
    int64_t left_ns = closed_ ? 0 : items_.top().deadline_ns - trace::record::steady_ns();
    if (left_ns > 0) {
      changed_.wait_until(lock, std::chrono::steady_clock::now() + std::chrono::nanoseconds(left_ns));
      continue;
    }
    Completion completion = std::move(const_cast<Item&>(items_.top()).completion);
    items_.pop();
    busy_ = true;
    lock.unlock();
    finish_(std::move(completion));
    lock.lock();
    busy_ = false;
  }
}

}  // namespace lanewise::runtime::sim_driver
