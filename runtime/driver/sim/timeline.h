// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// When things happen on one device: simulated durations on the host's time axis (ns since the Unix epoch).
//
//   execution  start = max(submitted + launch latency, end of the previous execution on the core, queue)
//              end   = start + overhead before + program + overhead after
//   h2d, d2h   start = max(submitted, end of the previous copy in that direction, queue)
//              end   = start + link latency + bytes / link bandwidth
//   hbm        start = max(submitted + launch latency, end of the previous one, queue): copies and fills inside the device
//              end   = start + DMA start-up and completion + bytes read and written / HBM bandwidth
//
// "queue" is the end of the work before on the same queue and of the fences it waited for. The overheads are
// exec_overhead_ns (always) and device_capture_overhead_ns (submitted under DEVICE capture), each split by
// overhead_before_percent. Divisions round up, once. Not thread-safe: the worker owns it.
#pragma once

#include <cstdint>

#include "machine/machine.h"

namespace lanewise::runtime::sim_driver {

struct Span {
  int64_t start_ns = 0, end_ns = 0;
};

struct ExecuteSpan : Span {
  int64_t exec_before_ns = 0, exec_after_ns = 0;
  int64_t capture_before_ns = 0, capture_after_ns = 0;
};

class Timeline {
 public:
  enum class Track : uint8_t { h2d, d2h, hbm };

  explicit Timeline(const machine::Machine& machine);

  // `queue_ns` is the queue's device time: read as a bound, set to the end.
  ExecuteSpan execute(int64_t& queue_ns, int64_t submitted_ns, int64_t program_ns, bool device_capture);
  // `bytes` that cross the track: for a copy inside the device they are read and written, so twice its size.
  Span transfer(int64_t& queue_ns, Track track, int64_t submitted_ns, int64_t bytes);
  // Start = end = the device time of the queue, at least `submitted_ns`.
  Span marker(int64_t& queue_ns, int64_t submitted_ns);
  // The axis was moved: everything so far lies `by_ns` later on it.
  void shift(int64_t by_ns);

 private:
  struct Rate {
    int64_t fixed_ns = 0;
    int64_t bytes_per_second = 0;
    int64_t latency_ns = 0;    // submission to the earliest start
    int64_t free_ns = 0;       // end of the previous one
  };
  machine::Machine::Host host_;
  int64_t core_free_ns_ = 0;
  Rate tracks_[3];
};

}  // namespace lanewise::runtime::sim_driver
