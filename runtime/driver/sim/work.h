// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One piece of submitted work, from the submitter through the worker to its fence.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/driver/sim/executable.h"
#include "runtime/hal/device.h"
#include "runtime/hal/fence.h"
#include "sim/chip/chip.h"

namespace lanewise::runtime::sim_driver {

struct QueueState {
  explicit QueueState(int id) : id(id) {}
  const int id;

  // Under the inbox's lock.
  int in_flight = 0;                  // submitted, fence not signalled
  std::shared_ptr<Fence> last;        // of the newest submission
  Status failure;                     // the first that nobody has collected

  // The worker's own.
  int64_t device_ns = 0;              // device time of the queue, on the axis of ...
  int64_t clock_offset_ns = 0;        // ... this clock_offset_ns()
  std::shared_ptr<Fence> previous;    // of the work before
};

enum class WorkKind : uint8_t { execute, write, read, copy, fill, marker, wait, host_call };

inline constexpr uint64_t kNotALaunch = ~uint64_t{0};

struct Work {
  WorkKind kind = WorkKind::marker;
  bool captured = false;              // a capture was on at submission: its hardware events are kept
  bool device_capture = false;        // DEVICE capture was on: costs device_capture_overhead_ns
  uint8_t fill_value = 0;
  std::shared_ptr<QueueState> queue;
  std::shared_ptr<Fence> fence;
  int64_t submitted_ns = 0;
  int64_t clock_offset_ns = 0;        // of the axis of submitted_ns
  uint64_t launch_id = 0;
  uint64_t open_launch = kNotALaunch; // sequence number in the inbox's list of open launches
  Origin origin;

  DeviceAddress to = 0, from = 0;     // copies
  void* host = nullptr;
  int64_t bytes = 0;
  std::unique_ptr<std::byte[]> staging;

  std::shared_ptr<SimExecutable> executable;
  std::vector<DeviceAddress> buffers;
  std::vector<ParameterValue> parameters;
  std::shared_ptr<MemoryBlock> scratch;

  std::shared_ptr<Fence> after;       // wait
  std::function<Status()> function;   // host_call
};

// What is left of work when its values are done: to be signalled at its end.
struct Completion {
  std::shared_ptr<QueueState> queue;
  std::shared_ptr<Fence> fence;
  Status status;
  int64_t start_ns = 0, end_ns = 0;
  uint64_t open_launch = kNotALaunch;
};

}  // namespace lanewise::runtime::sim_driver
