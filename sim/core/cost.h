// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a timing model says about one instruction.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"
#include "isa/operand.h"

namespace lanewise::sim::core {

// latency: begin to end. interval: begin to the earliest begin of the next, independent instruction of the engine.
// Both follow facts of the public documents and captures: latency = fixed + cost, interval = max(minimum, cost).
struct Cost {
  Picos interval;
  Picos latency;
};

inline Cost pipelined(Clock clock, int64_t fixed_cycles, int64_t cycles, int64_t minimum_cycles) {
  return {clock.to_picos(Cycles(std::max(cycles, minimum_cycles))), clock.to_picos(Cycles(fixed_cycles + cycles))};
}

// Elements lie next to each other in the innermost dimension.
inline bool adjacent(const isa::Tile& t) {
  return t.rank == 0 || t.dims[t.rank - 1].stride == 1 || t.dims[t.rank - 1].count == 1;
}

}  // namespace lanewise::sim::core
