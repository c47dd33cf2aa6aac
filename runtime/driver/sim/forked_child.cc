// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/forked_child.h"

#include <pthread.h>

#include <atomic>
#include <mutex>

namespace lanewise::runtime::sim_driver {
namespace {

std::atomic<bool> g_forked{false};

}  // namespace

void watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { g_forked.store(true); }); });
}

bool in_forked_child() { return g_forked.load(std::memory_order_relaxed); }

}  // namespace lanewise::runtime::sim_driver
