// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The clock of every event. Its axis is the wall clock (ns since the Unix epoch, as framework profilers write), but it runs on
// CLOCK_BOOTTIME plus an offset that stands still, so a step of the wall clock (NTP, an administrator, a virtual machine that
// was moved) neither stops a device that waits for a deadline nor turns an event around. The offset is read when the process
// starts, and again by `follow_wall_clock` when a capture starts, so that rows of one capture share the profiler's axis.
//
//   now_ns() == steady_ns() + clock_offset_ns()
#pragma once

#include <cstdint>

namespace lanewise::trace::record {

// Async-signal-safe.
int64_t now_ns() noexcept;
int64_t steady_ns() noexcept;
int64_t clock_offset_ns() noexcept;

// Takes the wall clock's offset anew if it has stepped by more than a millisecond. True if so.
bool follow_wall_clock();

namespace internal {
// For tests: shifts the axis as a step of the wall clock followed by `follow_wall_clock` would.
void shift_clock(int64_t by_ns);
}  // namespace internal

}  // namespace lanewise::trace::record
