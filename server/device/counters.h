// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes of values over time, per core:
//
//   SBUF, PSUM          bytes that hold data somebody will still read (trace/device_analysis/lifetimes.h)
//   HBM, DMA            GB/s: each run moves its bytes evenly from its begin to its end; HBM counts those that read or write it
//   pending DMAs        ordered and not ended yet
//   PE limit            share of the tensor engine's full clock: as the capture's limiter tells it, else as the last matmul or load had it
//                       (1 / pe.throttle_factor of the machine while throttled)
//   semaphores          their values; hidden until asked for
#pragma once

#include <vector>

#include "machine/machine.h"
#include "server/timeline/lane.h"
#include "trace/device/profile.h"

namespace lanewise::server::device {

// Groups `counters` and `semaphores`.
std::vector<timeline::Lane> counter_lanes(const trace::device::DeviceProfile& profile, const machine::Machine& machine, uint16_t cores);

}  // namespace lanewise::server::device
