// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What one execution looked like inside the core: plain data, filled by whoever ran it, written to a .ntff.
// Times are ps from the start of the program.
#pragma once

#include <cstdint>
#include <vector>

namespace lanewise::trace::record {

struct InstructionSpan {
  uint8_t engine = 0;          // isa::Engine
  bool throttled = false;      // PE at reduced clock
  uint32_t index = 0;          // position in the engine's stream
  uint32_t iteration = 0;      // hardware loops
  int64_t ready_ps = 0;        // reached the head of its queue
  int64_t begin_ps = 0, end_ps = 0;
  int64_t table_load_ps = 0;   // part of begin..end that was an activation-table load
};

struct DmaSpan {
  uint8_t engine = 0;          // that triggered it
  uint8_t queue = 0;
  uint32_t index = 0, iteration = 0;
  int64_t trigger_ps = 0, begin_ps = 0, end_ps = 0, visible_ps = 0;
  int64_t bytes = 0, descriptors = 0;
};

struct DeviceProfile {
  int64_t duration_ps = 0;
  std::vector<InstructionSpan> instructions;
  std::vector<DmaSpan> dmas;
};

}  // namespace lanewise::trace::record
