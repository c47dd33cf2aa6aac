// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Lane: one strip of the timeline with its slices or samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/timeline/bit_mask.h"
#include "server/timeline/slices.h"
#include "trace/schema/event_id.h"

namespace lanewise::server::timeline {

// The last three are those of a device profile.
enum class Group : uint8_t { annotations, framework, runtime, hardware, counters, engines, dma, semaphores };
std::string_view group_name(Group group);

enum class LaneKind : uint8_t { slices, counter, steps, gaps };
std::string_view lane_kind_name(LaneKind kind);

// A value that holds from its time on.
struct Sample {
  int64_t at = 0;
  double value = 0;
};

// A slice that is no event of its own, or one that is drawn in a second place: what lanes of gaps, steps and projections hold.
struct OwnSlice {
  uint32_t name = 0;                            // index into Names
  std::optional<trace::schema::EventId> event;  // shown when it is clicked
};

struct Lane {
  uint32_t id = 0;
  // What makes the id, the same in every run: "part/pid/tid/class".
  std::string key;
  Group group = Group::framework;
  LaneKind kind = LaneKind::slices;
  std::optional<int64_t> rank;
  uint32_t part = 0;
  std::string pid, tid, title, subtitle;
  std::string device, stream;  // "" = none

  Slices slices;                   // ordinals are event rows of the part, or places in `own`
  std::vector<uint32_t> names;     // by place: index into Names
  std::vector<OwnSlice> own;       // not empty: this lane shows no events of its own
  BitMask repaired, overhead;      // by place
  std::vector<Sample> samples;     // of a counter, by time
  bool hidden = false;             // shown only when it is asked for
  bool has_own() const { return kind == LaneKind::gaps || kind == LaneKind::steps || !own.empty(); }
  uint64_t events() const { return kind == LaneKind::counter ? samples.size() : slices.size(); }
};

}  // namespace lanewise::server::timeline
