// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// launches: from the runtime call to the start on the device.
//
//   latency    start of the first device event behind a call minus start of the call. It holds the time in the queue
//   queued     the part of it in which an earlier event of the same lane (lane_of) was still running
//   own        latency - queued: what the launch itself took
//   depth      submissions of that device that were made before the call and whose last device event had not ended when it began
//   launch-bound stretch: at least kStretch launches of a device in a row that found depth 0 while the device then waited for
//              them: the host is slower than the device. idle_ns is the time between the device events of the stretch
// A latency below 0 says that the clocks of host and device disagree; it is counted in `early` and left out of the statistics.
//
//   devices    device, part, launches, device_events, early, latency_median_ns, latency_p95_ns, latency_max_ns, own_median_ns,
//              depth_mean, depth_max, empty_share (percent of launches that found depth 0), stretches, stretch_idle_ns
//   stretches  device, part, start (from the start of the window), dur_ns, launches, busy_ns, idle_ns, op, file, line (of the
//              launch behind the longest wait), event (that device event); longest idle first
//   rows       name (of the call), device, part, calls, device_events, host_ns (sum of durations), latency_median_ns, latency_p95_ns,
//              latency_max_ns, own_median_ns, depth_mean, event (the call with the largest latency); by calls
#pragma once

#include <cstdint>
#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

inline constexpr size_t kStretch = 8;

struct Launch {
  const RuntimeCall* call = nullptr;
  const DeviceEvent* first = nullptr;             // of the device events behind it
  int64_t begin_ns = 0, start_ns = 0, end_ns = 0; // session time: call, first start, last end on the device
  int64_t busy_ns = 0;                            // union of its device events
  int64_t queued_ns = 0;
  int64_t depth = 0;
  uint32_t device_events = 0;
  int64_t latency_ns() const { return start_ns - begin_ns; }
};

struct Stretch {
  size_t first = 0, last = 0;  // launches, both inside
  int64_t busy_ns = 0, idle_ns = 0;
  size_t longest_wait = 0;     // the launch that the device waited for longest
};

struct DeviceLaunches {
  uint32_t device = 0;
  std::vector<Launch> launches;  // by begin, then row of the call
  std::vector<Stretch> stretches;
};

// Devices of files that repeat another one are left out.
std::vector<DeviceLaunches> find_launches(const Model& model, const Filter& filter);

Result<std::vector<Table>> launches_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
