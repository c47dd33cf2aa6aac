// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulator's records as the plain data that a capture stores: trace never sees the simulator.
#pragma once

#include "sim/chip/chip.h"
#include "trace/record/device_profile.h"

namespace lanewise::runtime::sim_driver {

trace::record::DeviceProfile device_profile(const sim::Timing& timing);

}  // namespace lanewise::runtime::sim_driver
