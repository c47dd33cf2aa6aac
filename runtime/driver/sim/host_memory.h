// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory the host can give to simulated devices.
#pragma once

#include <cstdint>

namespace lanewise::runtime::sim_driver {

// Bytes that the process can still use without swapping or being killed: MemAvailable of /proc/meminfo, or what the
// memory limit of the control group leaves, whichever is smaller. 0 when neither can be read.
int64_t available_host_memory();

// Capacity of one of `devices` devices: `wanted` when positive; else the smaller of the preset's HBM share and half of
// `available` divided by the devices (the other half is for the program itself, whose tensors live there too).
// At least 64 MiB, so that a small host still runs the examples.
int64_t device_capacity(int64_t wanted, int64_t hbm_bytes, int64_t available, int devices);

}  // namespace lanewise::runtime::sim_driver
