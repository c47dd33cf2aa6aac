// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver over the simulated NeuronCore: real values, simulated time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/machine.h"
#include "runtime/hal/device.h"
#include "runtime/hal/known_gap.h"

namespace lanewise::runtime {

struct SimDriverOptions {
  int devices = 1;
  bool pacing = true;           // fences are signalled no earlier than the simulated end, on the wall clock
  bool check_hazards = false;   // every run
  int queue_depth = 1024;       // work in flight per queue
  int64_t memory_bytes = 0;     // per device; 0 = the rule of host_memory.h
};

// Errors: out_of_range (more devices than cores), invalid_argument (a machine whose links have no bandwidth).
Result<std::unique_ptr<Driver>> create_sim_driver(const machine::Machine& machine, const SimDriverOptions& options);

std::vector<KnownGap> sim_driver_gaps();

}  // namespace lanewise::runtime
