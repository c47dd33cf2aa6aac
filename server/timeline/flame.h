// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Flame: the slices of lanes within a span, those with the same way of names from the top added up. A slice counts with the part
// of it that lies in the span.
//
// Bottom-up: the top is a name with its self times, below it who called it; total is the self time of that name on this way.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "server/timeline/timeline.h"

namespace lanewise::server::timeline {

struct FlameNode {
  uint32_t name = 0, depth = 0;
  int32_t parent = -1;
  int64_t start_ns = 0;  // of its box: children side by side from the start of their parent, the costliest first
  int64_t total_ns = 0, self_ns = 0;
  uint64_t calls = 0;
  std::optional<trace::schema::EventId> event;  // when it is one call
};

struct FlameQuery {
  std::vector<uint32_t> lanes;  // index; the lanes of one thread are one stack
  int64_t from = 0, to = 0;
  bool bottom_up = false;
};

inline constexpr size_t kMostFlameNodes = 50000;
inline constexpr uint32_t kMostFlameDepth = 200;

// Parents before children. `left_out`: nodes that were too small, when there are more than kMostFlameNodes.
std::vector<FlameNode> make_flame(const Timeline& timeline, const FlameQuery& query, uint64_t* left_out);

}  // namespace lanewise::server::timeline
