// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How long data lies in SBUF and PSUM, and how full they are.
//
// A lifetime begins with the first write into a region (by an instruction, or by a DMA) and ends with the last read before the
// region is written anew. Writes into a region that nobody has read yet belong to the same life (accumulation, a tile that is
// filled in parts). Regions are boxes (partitions x bytes): a pattern with gaps counts with its gaps.
#pragma once

#include <vector>

#include "trace/device_analysis/operands.h"
#include "trace/device_analysis/options.h"

namespace lanewise::trace::device_analysis {

struct Lifetime {
  uint16_t core = 0;
  Box box;
  Picos begin, end;                       // first write begins, last read (or write, if never read) ends
  int64_t writes = 0, reads = 0;
  uint32_t writer = device::kNone;        // instruction that wrote first: index in Program::instructions; of a DMA its trigger
  bool by_dma = false;
};
// By begin.
std::vector<Lifetime> lifetimes(const device::DeviceProfile& profile);

// Bytes that live from `at` to the next sample.
struct Occupancy {
  Picos at;
  uint16_t core = 0;
  int64_t sbuf = 0, psum = 0;
};
// By core, then time; a sample where it changes.
std::vector<Occupancy> occupancy(const std::vector<Lifetime>& lifetimes);
// The same as of lifetimes(profile), which are millions in a long profile and are not kept here.
std::vector<Occupancy> occupancy(const device::DeviceProfile& profile);

// Tables: tensors (HBM traffic by tensor), totals (minimum, actual, reloads, spills), spaces (SBUF and PSUM: capacity, peak, mean),
// occupancy, lifetimes.
Result<std::vector<Table>> memory_tables(const Subject& subject);

}  // namespace lanewise::trace::device_analysis
