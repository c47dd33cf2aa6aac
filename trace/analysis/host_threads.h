// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What each host thread of a file was doing at any moment, as far as it was recorded: waiting for a device (a sync call),
// in a copy call, inside any other slice, or in none.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/analysis/model.h"

namespace lanewise::trace::analysis {

enum class HostState : uint8_t { none, busy, copy, sync };

struct HostSpan {
  int64_t begin_ns = 0, end_ns = 0;  // session time
  HostState state = HostState::none;
  schema::Row row = kNoRow;  // the call; for busy the outermost operator there, else the outermost slice
};

struct HostThread {
  uint32_t track = 0;
  std::vector<HostSpan> spans;  // ascending and apart; never `none`
};

// Threads that have host slices, by track.
std::vector<HostThread> host_threads(const Model& model, uint32_t part);

}  // namespace lanewise::trace::analysis
