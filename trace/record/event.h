// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One thing that happened in the runtime or on the hardware. Plain data: the runtime fills it, a capture stores it,
// the Kineto plug-in and the file writers read it.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanewise::trace::record {

enum class EventKind : uint8_t {
  // Runtime events: host time, measured, on the calling thread.
  nrt_tensor_allocate,
  nrt_tensor_free,
  nrt_tensor_write,        // host side of a host-to-device copy
  nrt_tensor_read,         // host side of a device-to-host copy
  nrt_tensor_copy,         // host side of a device-to-device copy or fill
  nrt_load,                // program made resident: first use on a device
  nrta_execute_schedule,   // submit of one launch
  nrt_synchronize,
  queue_full,              // a submitter had to wait for room
  compile,                 // lowering + emit of one program; never device time
  host_fallback,           // an op without a lowering ran on the host
  // Hardware events: simulated time on the host's axis.
  nc_exec_running,
  dma_h2d,
  dma_d2h,
  dma_d2d,
  dma_fill,
  sim_lag,                 // the simulator was slower than the device it simulates; never device time
};
inline constexpr int kEventKindCount = 17;
constexpr bool is_hardware(EventKind k) { return k >= EventKind::nc_exec_running; }

// "nrta_execute_schedule", "nc_exec_running", "dma_h2d" ...
std::string_view event_kind_name(EventKind kind);

struct Event {
  EventKind kind = EventKind::nrt_synchronize;
  uint16_t nc = 0;                  // physical core = neuron:N
  uint16_t stream = 0;              // 0 = default stream of the core
  uint32_t thread = 0;              // OS thread id; 0 for hardware events
  int64_t start_ns = 0;             // Unix epoch
  int64_t end_ns = 0;
  uint64_t launch_id = 0;           // joins runtime and hardware event of one submission (`new_launch_id`); 0 = none
  uint64_t external_id = 0;         // what the framework profiler had on the thread's correlation stack; 0 = none
  uint32_t name = 0;                // interned text: program or op name (`intern`)
  uint32_t site = 0;                // of a launch of a compiled graph: where its nodes come from (source_sites.h); 0 = not known
  uint64_t program_hash = 0;        // nc_exec_running, nrta_execute_schedule, nrt_load, compile
  int64_t bytes = 0;                // copies and allocations
  // nc_exec_running only; sub-intervals at its two ends. exec + capture part of each.
  int64_t exec_before_ns = 0, capture_before_ns = 0;
  int64_t exec_after_ns = 0, capture_after_ns = 0;
};

// The number of a submission (launch or copy): 1, 2, ... process-wide, never reused, in order of submission. A capture
// notes the last one given before it started and keeps no hardware event of that or an earlier one.
uint64_t new_launch_id();
uint64_t last_launch_id();

// Process-wide, append only, thread-safe text interning; id 0 is "". At most 4,194,303 texts; later ones all get the
// id of "(too many names)", so that a program that makes names without end does not take the memory.
uint32_t intern(std::string_view text);
std::string_view interned(uint32_t id);

}  // namespace lanewise::trace::record
