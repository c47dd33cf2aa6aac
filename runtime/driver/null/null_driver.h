// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The skeleton to copy for a new driver: memory and copies work, on host memory and at once in the calling thread;
// execute is `unimplemented`, through the fence. To add a driver: copy this folder, rename, fill in execute, and add one
// line to the list in runtime/driver/drivers.cc and one to its CMakeLists.txt. The conformance suite then runs on it.
#pragma once

#include <memory>
#include <vector>

#include "machine/machine.h"
#include "runtime/hal/device.h"
#include "runtime/hal/known_gap.h"

namespace lanewise::runtime {

// Errors: out_of_range (no device, or more than the machine has cores).
Result<std::unique_ptr<Driver>> create_null_driver(const machine::Machine& machine, int devices);

std::vector<KnownGap> null_driver_gaps();

}  // namespace lanewise::runtime
