// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The explicit list of drivers.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/hal/device.h"

namespace lanewise::runtime {

struct DriverOptions {
  std::string machine;          // spec; empty = LANEWISE_MACHINE or trn2
  int devices = 0;              // 0 = LANEWISE_DEVICES, NEURON_RT_VISIBLE_CORES, NEURON_RT_NUM_CORES, else 2
  bool pacing = true;           // LANEWISE_PACING=off sets false
  bool check_hazards = false;   // LANEWISE_CHECK_HAZARDS=1
  int queue_depth = 1024;       // launches in flight per queue
};

// Reads the environment once, at this call. Errors name variable and reason.
Result<DriverOptions> options_from_environment();

Result<std::unique_ptr<Driver>> create_driver(std::string_view name, const DriverOptions& options);
std::vector<std::string_view> driver_names();

}  // namespace lanewise::runtime
