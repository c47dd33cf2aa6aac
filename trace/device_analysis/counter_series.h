// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Values over time, per core. A value holds from its sample to the next one.
//
//   SBUF, PSUM          bytes that hold data somebody will still read (lifetimes.h)
//   HBM, DMA            GB/s: each run moves its bytes evenly from its begin to its end; HBM counts those that read or write it
//   pending DMAs        ordered and not ended yet
//   PE limit            share of the tensor engine's full clock: as the capture's limiter tells it, else as the last matmul or load had it
//                       (1 / pe.throttle_factor of the machine while throttled)
//   semaphores          their values
#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"
#include "trace/device/profile.h"

namespace lanewise::trace::device_analysis {

struct CounterSample {
  Picos at;
  double value = 0;
};

struct CounterSeries {
  uint16_t core = 0;
  std::string name;                     // "SBUF", "HBM bandwidth", of semaphores "s12"
  std::string unit;                     // in words: "bytes in use", "GB/s"
  std::vector<CounterSample> samples;   // by time
};

// All but the semaphores, of cores 0 to cores - 1. A tensor engine that did nothing has no PE limit.
std::vector<CounterSeries> counter_series(const device::DeviceProfile& profile, const machine::Machine& machine, uint16_t cores);
// Of those that changed, by core and number.
std::vector<CounterSeries> semaphore_series(const device::DeviceProfile& profile);

}  // namespace lanewise::trace::device_analysis
