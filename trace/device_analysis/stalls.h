// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where each engine's time went: busy + stall + idle = whole, to the picosecond.
//
//   busy   the union of its runs
//   idle   after its last run: its stream is empty. An engine without runs is idle throughout
//   stall  every other gap. Engines are in order, so the run after the gap is the one that waited; its reason:
//
//     data         a result of another engine that it reads
//     dma          data that a DMA brings, or (a wait only) the end of a DMA
//     queue        that DMA could have begun, but one before it in its queue still moved
//     buffer_free  it overwrites what another engine or a DMA still had to read (or write)
//     order        a semaphore whose setter shares no operand with it: a barrier
//     pipeline     a result in its own pipeline, or the least distance between two instructions
//     other        nothing recorded held it
//
// A wait speaks for the instructions from it on to the next wait of its stream, an update for those back to the update before.
#pragma once

#include <string_view>
#include <vector>

#include "trace/device_analysis/dependencies.h"
#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

enum class StallReason : uint8_t { data, dma, queue, buffer_free, order, pipeline, other };
inline constexpr int kStallReasons = 7;
std::string_view stall_reason_name(StallReason reason);

struct Stall {
  uint16_t core = 0;
  isa::Engine engine = isa::Engine::sync;
  Picos begin, end;
  StallReason reason = StallReason::other;
  uint32_t run = device::kNone;      // that waited: index in DeviceProfile::instructions
  uint32_t update = device::kNone;   // of a semaphore: index in DeviceProfile::semaphores
  uint32_t setter = device::kNone;   // node of Dependencies
};

struct EngineTime {
  uint16_t core = 0;
  isa::Engine engine = isa::Engine::sync;
  Picos busy, stall, idle;
  Picos by_reason[kStallReasons];
};

struct StallReport {
  std::vector<EngineTime> engines;   // every engine of every core
  std::vector<Stall> stalls;         // by core, engine, time
};
StallReport find_stalls(const Dependencies& dependencies);
// The part of a report of `profile` that lies in a span of it, cut at its edges: for each engine busy + stall + idle = its length.
StallReport report_within(const StallReport& report, const device::DeviceProfile& profile, const Interval& span);

// Tables: engines, causes (stalls with the same engine, reason and pair of opcodes as one row), stalls.
Result<std::vector<Table>> stalls_tables(const Subject& subject);

}  // namespace lanewise::trace::device_analysis
