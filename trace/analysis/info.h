// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// info: what is in a trace, counted. Needs no links; every number can be checked with a plain script.
//
//   total, by_phase      every event, metadata events too; phase "(none)" without ph, "(other)" with a ph of several letters
//   by_category          without metadata events (ph M); "(none)" without cat
//   flows                distinct (cat, id, name) of the phases s, t, f; reused = several starts or several ends
//   correlation          distinct args.correlation of complete runtime events, of complete device events, of both
//   unattributed         complete device events whose correlation is on no runtime event
//   overlapping          complete events that start inside another of the same (pid, tid) and end after it
//   cut_fractions        ts and dur of complete events with digits beyond a nanosecond
//   devices              by args.device, else by pid: kernels, copies and fills; busy = their union over all streams, overhead
//                        included; first and last relative to the first complete event of the file
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "trace/session/session.h"

namespace lanewise::trace::analysis {

struct FlowCounts {
  uint64_t ids = 0, paired = 0, start_only = 0, end_only = 0, reused = 0;
};
struct CorrelationCounts {
  uint64_t runtime = 0, device = 0, both = 0;
};
struct DeviceTime {
  uint64_t events = 0;
  int64_t sum_ns = 0, busy_ns = 0, first_ns = 0, last_ns = 0;
};

struct FileInfo {
  uint64_t total = 0;
  std::map<std::string, uint64_t> by_phase, by_category;
  FlowCounts flows;
  CorrelationCounts correlation;
  uint64_t unattributed = 0, overlapping = 0, overlapping_device = 0, cut_fractions = 0;
  std::map<std::string, DeviceTime> devices;
  int64_t span_ns = 0;  // first start to last end of complete events
};

FileInfo file_info(const session::Session& session, uint32_t part);

}  // namespace lanewise::trace::analysis
