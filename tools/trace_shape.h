// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a synthetic trace that costs a reader what a given real one costs: the same mix of events, bytes an event, share of
// args, distinct names, layout and links between events, but names of its own, other ids and other times.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace lanewise::tools {

// What a reader pays for.
struct TraceShape {
  uint64_t events = 0, event_bytes = 0, args_bytes = 0, text_bytes = 0, stored_bytes = 0;
  uint64_t unique_names = 0;
};

struct GenerateOptions {
  std::string like, out;  // out: .gz is packed, anything else is plain
  uint64_t events = 0;
  uint64_t seed = 1;
};
struct Generated {
  TraceShape real, made;
};

// The same options and file give the same bytes. `like` must be a JSON trace; its text is held in memory meanwhile.
//
// The real events are repeated, each round later than the one before and with ids of its own, so every launch keeps its
// device event. The last round is a share of the events in file order, and so its links may lack an end.
Result<Generated> generate_trace(const GenerateOptions& options);

}  // namespace lanewise::tools
