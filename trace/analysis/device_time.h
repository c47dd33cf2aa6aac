// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// When a device was occupied, and with what. Session time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trace/analysis/intervals.h"
#include "trace/analysis/model.h"

namespace lanewise::trace::analysis {

struct DeviceTimeline {
  uint32_t device = 0;
  std::vector<const DeviceEvent*> events;  // by start, then row; they belong to the model
  Intervals occupied;                      // kernels, copies and fills, overhead included
  Intervals work;                          // the same without overhead
  Intervals lag;                           // the simulator was slower than the device
  Intervals profiler;                      // the profiler's own overhead on the host

  // The rows behind the moment (part and row of a lag; row of the device's file).
  std::pair<uint32_t, schema::Row> lag_row(int64_t moment) const;
  schema::Row profiler_row(int64_t moment) const;

  struct Source {
    Interval span;
    uint32_t part;
    schema::Row row;
  };
  std::vector<Source> lag_sources, profiler_sources;  // by start
};

DeviceTimeline device_timeline(const Model& model, uint32_t device);

// What device events of one lane share, and no others of the file: the real stream where the track is a made-up one
// (args.original_stream), else the track.
uint64_t lane_of(const schema::EventTable& events, schema::Row row);

// Overhead at the start and at the end of a device event, by its args; together at most its duration.
std::pair<int64_t, int64_t> overhead_of(const schema::EventTable& events, const DeviceEvent& event);

}  // namespace lanewise::trace::analysis
