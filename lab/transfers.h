// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What each DMA trigger of a captured program gives the DMA engines: the descriptors that the runtime cut, as the unit
// of the simulator takes them (sim/unit/dma/rings.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "machine/machine.h"
#include "sim/unit/dma/rings.h"
#include "trace/device/profile.h"

namespace lanewise::lab {

struct Transfer {
  int semaphore = -1;
  // By DMA engine of the core, in the order of its ring; `tag` is the index in DeviceProfile::dmas.
  std::map<uint16_t, std::vector<sim::dma::Descriptor>> descriptors;
  uint32_t queue = trace::device::kNone;
  bool io = false;             // moves an input or an output of the program
  int32_t visible = 0;         // recorded descriptors that update the semaphore, yet to do so
  int32_t lost = 0;            // updates whose descriptors were not recorded
};

// By index of the trigger in Program::instructions. A page of device memory is new to the first descriptor that reads
// it, in the order of the triggers' queues; every execution begins with none read.
std::map<uint32_t, Transfer> transfers_of(const trace::device::DeviceProfile& captured, const machine::Machine& machine);

}  // namespace lanewise::lab
