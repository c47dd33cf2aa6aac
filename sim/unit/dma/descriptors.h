// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a DMA costs the DMA engines, from its access patterns alone.
//
// A descriptor moves bytes that are contiguous on both sides; longer runs are split at `descriptor_max_bytes`. It
// occupies its engine for ceil(bytes / bytes_per_cycle) + descriptor_cycles, where a short one counts as
// `descriptor_min_bytes`. A transfer with a tile is spread by partition: each of the 16 engines serves 8. One without a
// tile deals its descriptors to the engines in turn. Where two patterns do not divide each other, runs are as long as
// their greatest common divisor.
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.h"
#include "machine/machine.h"

namespace lanewise::sim::dma {

inline constexpr int kMaxEngines = 32;

struct Transfer {
  std::array<int64_t, kMaxEngines> busy_ps{};   // at full rate, by DMA engine
  int64_t bytes = 0;                            // written
  int64_t descriptors = 0;
  int64_t hbm_bytes = 0;                        // read from and written to device memory
  int64_t indexed_rows = 0;                     // software descriptors
};

Transfer describe(const isa::Instruction& in, const machine::Machine& machine);

}  // namespace lanewise::sim::dma
