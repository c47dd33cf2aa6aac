// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Unions of spans of time, and the runs of each engine.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/device/profile.h"

namespace lanewise::trace::device_analysis {

struct Interval {
  Picos begin, end;
  bool operator==(const Interval&) const = default;
};

// Sorted, without overlaps; touching ones become one, empty ones go.
std::vector<Interval> merged(std::vector<Interval> intervals);
Picos total(const std::vector<Interval>& merged);
Picos total_overlap(const std::vector<Interval>& merged_a, const std::vector<Interval>& merged_b);

// One engine of one core with its runs in the order in which they began.
struct Lane {
  uint16_t core = 0;
  isa::Engine engine = isa::Engine::sync;
  std::vector<uint32_t> runs;   // index in DeviceProfile::instructions
};
// Every engine of every core, core by core, those without runs too.
std::vector<Lane> lanes(const device::DeviceProfile& profile);

// Of the lane, or of the DMAs of a core: the union of begin..end.
std::vector<Interval> busy(const device::DeviceProfile& profile, const Lane& lane);
std::vector<Interval> dma_busy(const device::DeviceProfile& profile, uint16_t core);

// Cores that the profile shows: of the program, or more when a run says so.
uint16_t core_count(const device::DeviceProfile& profile);

// How many of them ran anything; at least 1.
int64_t active_cores(const device::DeviceProfile& profile);

// The end of what is looked at: the capture's duration, or the last end when that is later.
Picos whole(const device::DeviceProfile& profile);

// When whoever waits for a DMA may go on: `visible`, or `end` when the capture does not say.
inline Picos done(const device::DmaRun& run) { return run.visible.value >= 0 ? run.visible : run.end; }

}  // namespace lanewise::trace::device_analysis
