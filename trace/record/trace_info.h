// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// trace_info.pb: what a capture folder is, who made it and what is missing from it. docs/formats/trace_info.md has the
// field numbers. Written at the start (complete = false), after a crash, and at the stop.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "trace/record/capture.h"
#include "trace/record/event_ring.h"
#include "trace/record/perfetto_writer.h"

namespace lanewise::trace::record {

inline constexpr uint32_t kTraceInfoVersion = 1;

struct ProgramFiles {
  uint64_t hash = 0;
  uint16_t nc = 0;
  uint32_t instance = 0;
  uint64_t launch_id = 0;          // the execution that the .ntff shows
  std::string program, neff, ntff; // name of the program; file names in the folder
  bool neff_from_cache = false;
  uint32_t site = 0;               // of that execution (source_sites.h); 0 = not known
  bool operator==(const ProgramFiles&) const = default;
};

struct CoreCounters {
  int nc = 0;
  EventRing::Counters counters;
};

struct TraceInfo {
  uint32_t version = kTraceInfoVersion;
  bool complete = false;
  Producer producer;
  std::string instance_id;         // "i-" and the machine id
  std::string host_name;
  int64_t pid = 0;
  int64_t start_ns = 0, stop_ns = 0;
  std::vector<ClockPair> clocks;
  std::vector<CoreCounters> cores;
  uint64_t dropped = 0, open_launches = 0;
  CaptureOptions options;
  std::vector<ProgramFiles> programs;
  std::vector<std::string> problems;  // files that could not be written
};

std::string write_trace_info(const TraceInfo& info);

// Unknown fields are skipped. Errors: data_loss with byte offset; `out` holds what was read before.
// unimplemented: a version newer than ours.
Status read_trace_info(std::string_view bytes, TraceInfo* out);

}  // namespace lanewise::trace::record
