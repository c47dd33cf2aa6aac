// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/hal/runtime_event.h"

#include <unistd.h>

#include <atomic>

namespace lanewise::runtime {

uint64_t next_launch_id() {
  constexpr uint64_t kFirst = uint64_t{1} << 24;
  constexpr uint64_t kCount = (uint64_t{1} << 31) - kFirst;
  static std::atomic<uint64_t> count{0};
  return kFirst + count.fetch_add(1, std::memory_order_relaxed) % kCount;
}

uint32_t os_thread_id() {
  thread_local const uint32_t id = static_cast<uint32_t>(gettid());
  return id;
}

}  // namespace lanewise::runtime
