// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The series of trace/device_analysis/counter_series.h as lanes; semaphores are hidden until asked for.
#pragma once

#include <vector>

#include "machine/machine.h"
#include "server/timeline/lane.h"
#include "trace/device/profile.h"

namespace lanewise::server::device {

// Groups `counters` and `semaphores`.
std::vector<timeline::Lane> counter_lanes(const trace::device::DeviceProfile& profile, const machine::Machine& machine, uint16_t cores);

}  // namespace lanewise::server::device
