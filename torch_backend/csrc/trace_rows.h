// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From the events of a capture to the rows of a framework trace. No Kineto here, so that the rules are tested alone.
//
// A piece of device work belongs to the profile when it was *submitted* inside the window, whenever the device ended it:
// so a profile is right with pacing off too, and the warm-up's late kernels do not leak in. A hardware event without a
// submission in the window has no row and is counted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/record/event.h"

namespace lanewise::torch_backend {

enum class RowKind : uint8_t { kernel, memcpy, memset, runtime };
enum class FlowEnd : uint8_t { none, start, end };

// Row ids start far above the ids that the framework gives its operators: PyTorch before 2.15 takes a small one for the
// id of an operator and counts its device time twice.
inline constexpr int32_t kFirstRowId = 1 << 24;

struct Row {
  RowKind kind = RowKind::runtime;
  std::string name;                    // printable ASCII, no quotes, no backslash
  int32_t id = 0;                      // runtime row and device row of one launch share it
  FlowEnd flow = FlowEnd::none;
  const trace::record::Event* event = nullptr;   // times, core, thread, overheads, bytes
};

struct RowSet {
  std::vector<Row> rows;               // in order of the events
  uint64_t outside = 0;                // device work submitted before or after the window
  uint64_t launches = 0;               // kernel rows
  int64_t device_ns = 0;               // sum of kernel rows, overheads included
  int64_t sim_lag_ns = 0;              // how long the simulator held the device back; in no row
};

// `events` must outlive the rows. The window is inclusive, ns since the Unix epoch.
RowSet select_rows(std::span<const trace::record::Event> events, int64_t window_start_ns, int64_t window_end_ns);

// What survives every version of Kineto's JSON writer: other characters become '_'.
std::string printable_name(std::string_view name);

// `text` as a JSON string, quotes included.
std::string json_string(std::string_view text);

}  // namespace lanewise::torch_backend
