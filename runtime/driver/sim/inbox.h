// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The one list of submitted work of a device, in submission order over all its queues, and the books about it: how much
// each queue has in flight (bounded), which launches are open, which failure is not collected yet.
//
// Locks: one mutex, held for moves and counters only. The worker is notified only when it sleeps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/driver/sim/ring.h"
#include "runtime/driver/sim/work.h"

namespace lanewise::runtime::sim_driver {

class Inbox {
 public:
  Inbox(int device, int queue_depth);

  // When a submitter found its queue full; both 0 when it did not wait.
  struct Waited {
    int64_t from_ns = 0, to_ns = 0;
  };
  // Waits for room in work.queue, then takes the work. `open_launch` is set here, and `submitted_ns` again after a wait.
  // Errors: failed_precondition (closed, or in a forked child), resource_exhausted (the worker itself found it full).
  Status push(Work& work, Waited* waited);

  // The worker's side: the next work, after sleeping if need be; false when closed and empty.
  bool pop(Work* work);
  void bind_worker();                 // called by the worker thread before it pops
  bool on_worker() const { return std::this_thread::get_id() == worker_.load(std::memory_order_acquire); }

  // Keeps the books and signals the fence.
  void finish(Completion completion);

  // A failure of the queue, kept until `drain` unless there is one already; and what is kept.
  void fail(QueueState& queue, const Status& status);
  Status failure(const QueueState& queue) const;

  // No work is taken any more; submitters that wait for room give up.
  void close();
  bool closed() const { return closed_.load(std::memory_order_acquire); }

  // Waits for everything submitted so far on the queue, then takes its failure.
  Status drain(QueueState& queue);
  // What `drain` and `push` refuse with: in a forked child, or on the worker. ok otherwise.
  Status usable() const;

  bool idle(const QueueState& queue) const;
  bool forgettable(const QueueState& queue) const;   // idle, and no failure waits for whoever synchronizes
  int64_t launches_open() const;
  std::vector<uint32_t> open_launch_names(size_t limit) const;

 private:
  struct OpenLaunch {
    uint32_t name = 0;
    bool done = false;
  };
  void poll_for_work() const;

  const int device_;
  const int queue_depth_;
  mutable std::mutex mutex_;
  std::condition_variable work_added_, room_made_;
  Ring<Work> work_;
  Ring<OpenLaunch> open_;
  int64_t open_count_ = 0;
  int room_waiters_ = 0;
  bool worker_sleeps_ = false;
  std::atomic<bool> has_work_{false}, closed_{false};
  std::atomic<std::thread::id> worker_{};
};

}  // namespace lanewise::runtime::sim_driver
