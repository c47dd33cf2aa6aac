// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The explicit list of drivers, and what the environment says about them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/hal/device.h"
#include "runtime/hal/known_gap.h"

namespace lanewise::runtime {

struct DriverOptions {
  std::string machine;          // spec; empty = LANEWISE_MACHINE or trn2
  int devices = 0;              // 0 = LANEWISE_DEVICES, NEURON_RT_VISIBLE_CORES, NEURON_RT_NUM_CORES, else 2
  bool pacing = true;           // LANEWISE_PACING=off sets false
  bool check_hazards = false;   // LANEWISE_CHECK_HAZARDS=1
  int queue_depth = 1024;       // work in flight per queue
  int64_t memory_bytes = 0;     // per device, LANEWISE_DEVICE_MEMORY ("4g"); 0 = a share of host memory
};

// Reads the environment once, at this call. Errors name the variable, what it holds and what is accepted.
//
//   LANEWISE_MACHINE          a machine spec, "trn2,exec_overhead_ns=0" (checked when a driver is made)
//   LANEWISE_DEVICES          a number from 1; goes before the next two
//   NEURON_RT_VISIBLE_CORES   "0", "0,1", "0-3", "0,2-3": how many different cores are named. Simulated cores are alike and
//                             devices count from neuron:0, whatever the first core's number is
//   NEURON_RT_NUM_CORES       a number from 1
//   LANEWISE_PACING           on, off (1, 0)
//   LANEWISE_CHECK_HAZARDS    1, 0 (on, off)
//   LANEWISE_DEVICE_MEMORY    bytes, or with k, m, g, t (powers of 1024)
Result<DriverOptions> options_from_environment();

// Errors: not_found (lists the names), what the machine loader says, out_of_range (more devices than cores).
Result<std::unique_ptr<Driver>> create_driver(std::string_view name, const DriverOptions& options);
std::vector<std::string_view> driver_names();

// Tests of runtime/conformance that a driver cannot pass.
std::vector<KnownGap> driver_gaps(std::string_view name);

}  // namespace lanewise::runtime
