// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// DMAs: how large their descriptors are, what bandwidth they reach, where small ones cost time.
#pragma once

#include <string>
#include <vector>

#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

// Below the first size a descriptor's fixed cost shows, from the second on it does not. Source: public DMA bandwidth guide, "fair"
// from 2 KiB on, full from 4 KiB on.
inline constexpr int64_t kFairDescriptorBytes = 2048, kFullDescriptorBytes = 4096;

// A stretch of DMAs, one after the other in order of their begin on one core, whose descriptors are all small.
struct SmallRegion {
  uint16_t core = 0;
  Picos begin, end;          // of the first, of the last to end
  Picos active;              // union
  int64_t transfers = 0, descriptors = 0, bytes = 0;
  Picos at_full_rate;        // what the same bytes take at the rate of the core's HBM share
};
std::vector<SmallRegion> small_regions(const Subject& subject);
int64_t average_bytes(const SmallRegion& region);       // of a descriptor
// What it is and what to do: "812 descriptors of 512 B on average; ...".
std::string region_sentence(const SmallRegion& region);

// Tables: sizes (histogram by bytes of a descriptor), queues, small_regions, transfers.
Result<std::vector<Table>> dma_tables(const Subject& subject);

}  // namespace lanewise::trace::device_analysis
