// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The semaphores of one core as plain counters, and the report of a deadlock.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "isa/program.h"

namespace lanewise::sim::core {

class Semaphores {
 public:
  bool satisfied(const isa::SemaphoreWait& wait) const {
    return wait.semaphore < 0 || value_[wait.semaphore] >= wait.at_least;
  }
  void apply(const isa::SemaphoreUpdate& update) {
    if (update.semaphore >= 0) value_[update.semaphore] += update.increment;
  }
  uint64_t value(int semaphore) const { return value_[semaphore]; }

 private:
  std::array<uint64_t, isa::kSemaphores> value_{};
};

// One waiting engine for the deadlock report.
struct Waiter {
  isa::Engine engine;
  uint32_t index;
  const isa::Instruction* instruction;
  uint64_t value;   // of the semaphore it waits for
};
// "deadlock: vector waits at instruction 3 (text) for semaphore 5 >= 2, which is 1; ..."
Status deadlock(const Waiter* waiters, int count);

}  // namespace lanewise::sim::core
