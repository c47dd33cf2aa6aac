// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/clock.h"

#include <atomic>
#include <ctime>

namespace lanewise::trace::record {
namespace {

constexpr int64_t kStepNs = 1'000'000;

int64_t read_clock(clockid_t clock) noexcept {
  timespec t{};
  clock_gettime(clock, &t);
  return t.tv_sec * 1'000'000'000ll + t.tv_nsec;
}

// The closest of a few pairs: a thread that loses its core between two reads would shift the axis.
int64_t read_offset() {
  int64_t best = 0, best_width = -1;
  for (int i = 0; i < 5; ++i) {
    const int64_t before = read_clock(CLOCK_BOOTTIME);
    const int64_t wall = read_clock(CLOCK_REALTIME);
    const int64_t width = read_clock(CLOCK_BOOTTIME) - before;
    if (best_width >= 0 && width >= best_width) continue;
    best_width = width;
    best = wall - before - width / 2;
  }
  return best;
}

std::atomic<int64_t> g_offset_ns{read_offset()};

}  // namespace

int64_t steady_ns() noexcept { return read_clock(CLOCK_BOOTTIME); }
int64_t clock_offset_ns() noexcept { return g_offset_ns.load(std::memory_order_relaxed); }
int64_t now_ns() noexcept { return steady_ns() + clock_offset_ns(); }

bool follow_wall_clock() {
  const int64_t offset = read_offset();
  const int64_t step = offset - clock_offset_ns();
  if (step <= kStepNs && step >= -kStepNs) return false;
  g_offset_ns.store(offset, std::memory_order_relaxed);
  return true;
}

void internal::shift_clock(int64_t by_ns) { g_offset_ns.fetch_add(by_ns, std::memory_order_relaxed); }

}  // namespace lanewise::trace::record
