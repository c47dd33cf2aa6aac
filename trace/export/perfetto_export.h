// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A session as a Perfetto trace (TrackEvent), for ui.perfetto.dev and for our own importer.
//
//   one file      a track a (pid, tid): a thread of its process where both are numbers, else a named track
//   several files a named track a file and pid ("rank 1 pid 0"), the threads below it, since pids of ranks are not distinct
//   slices        begin and end; those that cross on a track go to tracks beside it ("7 (overlap 1)")
//   instants, counters (a track a counter), flows (at the slice they bind to), names of processes and threads
//   annotations   correlation, External id, device, stream and the args that are columns (LW_ARG_COLUMNS), by their keys
//
// Times: Unix ns (clock REALTIME) when the files have a base time; else the files' own clock, moved up when it is below zero.
// What a Perfetto trace of this form has no place for is counted in the report, never dropped in silence.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/status.h"
#include "trace/session/session.h"

namespace lanewise::trace::exporting {

struct PerfettoReport {
  uint64_t slices = 0, instants = 0, counters = 0, names = 0;
  uint64_t flows = 0;         // arrow events that are at a slice
  uint64_t other_lanes = 0;   // slices that were put beside their track, since they cross another one
  uint64_t loose_flows = 0;   // flow ends with no slice to bind to: left out
  uint64_t backward_flows = 0;  // arrows that end before they start; Perfetto draws arrows forward in time only
  uint64_t without_time = 0;  // events without a time, or one beyond schema::kLargestTime: left out
  uint64_t other_phases = 0;  // async, object, sample and other events: left out
  uint64_t odd_counters = 0;  // counters without a number: left out
  int64_t moved_ns = 0;       // by how much all times were moved up
};

// `write` takes the bytes in order; its failure ends the export.
Result<PerfettoReport> write_perfetto(const session::Session& session, const std::function<Status(std::string_view)>& write);

}  // namespace lanewise::trace::exporting
