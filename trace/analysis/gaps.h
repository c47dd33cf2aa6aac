// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// gaps: every nanosecond of a device is busy or has exactly one cause; busy + causes = wall.
//
// wall is the window of the session (Model::begin_ns, end_ns), the same for every device; with a selection of steps or time, what
// of it lies in them. busy is the union of all kernels, copies and fills of the device over all streams, without the overhead
// that our captures tell inside an execution.
//
// A moment that is not busy gets the first cause that holds:
//   overhead           inside an execution, before or after the program itself (args `overhead before ns`, `overhead after ns`; with
//                      only `exec overhead ns` and `capture overhead ns`: their sum at the start; a system trace: its overhead_ rows)
//   sim_lag            the simulator was slower than the device it simulates
//   profiler           a host thread was in a row of the profiler's own overhead
//   copy_wait          work for this device was submitted and has not started, and the oldest of it is a copy
//   launch_latency     the same, and the oldest is a kernel or a fill. Submitted: from the start of the call on, at the latest when
//                      the work starts
//   queue_empty_start  nothing was submitted, before the first event of the device
//   queue_empty_end    nothing was submitted, after the last one
// Else nothing was submitted, between two events. Then it counts what the thread did that made the next submission:
//   synchronize        it was in a sync call
//   copy_wait          it was in a copy call
//   host_busy          it was in any other recorded slice: an operator, a runtime call, Python, an annotation
// When that thread was in no slice, what any other thread of the process did counts, in the same order; when no thread was in
// one, but the submitting thread had slices before and after: host_busy as well, without an operator (user code ran).
//   unknown            no rule holds; so it is when the next event is linked to no call: nothing tells what it waited for
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

enum class Cause : uint8_t {
  host_busy, launch_latency, synchronize, copy_wait, queue_empty_start, queue_empty_end, profiler, overhead, sim_lag, unknown,
  count
};
inline constexpr size_t kCauses = static_cast<size_t>(Cause::count);
std::string_view cause_name(Cause cause);

// A stretch of time with one cause, as long as it gets.
struct Gap {
  uint32_t device = 0;
  int64_t start_ns = 0, dur_ns = 0;  // session time
  Cause cause = Cause::unknown;
  schema::Row event = kNoRow;  // behind the longest piece: the call waited in or made, the operator, the device event, ...
  uint32_t event_part = 0;     // of `event`
  schema::Row op = kNoRow;     // the operator behind it, in the device's file
};

struct DeviceGaps {
  uint32_t device = 0;
  int64_t wall_ns = 0, device_window_ns = 0, idle_inside_ns = 0, busy_ns = 0;
  std::array<int64_t, kCauses> causes = {};
  std::vector<Gap> gaps;  // by start
};

struct StepGaps {
  uint32_t device = 0;
  int64_t number = 0;
  int64_t start_ns = 0, wall_ns = 0, busy_ns = 0;
  std::array<int64_t, kCauses> causes = {};
};

struct GapsReport {
  std::vector<DeviceGaps> devices;
  std::vector<StepGaps> steps;  // every step of the selection on every device of its file
};

Result<GapsReport> find_gaps(const Model& model, const Selection& selection = {});

// devices: device, part, rank, wall_ns, device_window_ns, idle_inside_ns, busy_ns, causes.*
// gaps:    device, part, start (ns from the start of the window), dur_ns, cause, op, event; longest first
// steps:   step, device, part, start, wall_ns, busy_ns, causes.*
Table gaps_device_table(const Model& model, const GapsReport& report);
std::vector<Table> gaps_tables(const Model& model, const GapsReport& report);

}  // namespace lanewise::trace::analysis
