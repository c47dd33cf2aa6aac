// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals completions no earlier than their end on the wall clock, in order of end (so in queue order too: within a
// queue ends never go back). Sleeps by absolute deadlines, never spins. With pacing off it signals at once, in the
// calling thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "runtime/driver/sim/work.h"

namespace lanewise::runtime::sim_driver {

class Pacer {
 public:
  // `finish` signals one completion; called from the worker's or the pacer's thread, never under a lock of ours.
  Pacer(bool pacing, std::function<void(Completion)> finish);
  ~Pacer();   // close() and join

  // `deadline_ns`: when to signal, on trace::record::steady_ns(). From one thread: the worker.
  void add(Completion completion, int64_t deadline_ns);
  // From now on everything is signalled at once, also what waits.
  void close();

 private:
  struct Item {
    int64_t deadline_ns;
    uint64_t order;
    Completion completion;
  };
  struct Later {
    bool operator()(const Item& a, const Item& b) const {
      return a.deadline_ns != b.deadline_ns ? a.deadline_ns > b.deadline_ns : a.order > b.order;
    }
  };
  void run();

  const bool pacing_;
  const std::function<void(Completion)> finish_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::priority_queue<Item, std::vector<Item>, Later> items_;
  uint64_t order_ = 0;
  bool busy_ = false;      // an item is out of the heap and not signalled yet
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace lanewise::runtime::sim_driver
