// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What this process has of the device: one driver, made at the first use (the environment is read then and not before),
// and per device its allocator. Never destroyed: threads may still run when the process ends.
//
// Fork: a child of a process that used the device has none of the driver's threads. Everything here then throws one
// sentence; frees of inherited tensors do nothing.
#pragma once

#include <memory>
#include <string>

#include "machine/machine.h"
#include "runtime/driver/drivers.h"
#include "runtime/hal/caching_allocator.h"
#include "runtime/hal/device.h"

namespace lanewise::torch_backend {

inline constexpr int kMaxDevices = 64;

struct DeviceState {
  int index = 0;
  runtime::Device* device = nullptr;
  std::unique_ptr<runtime::CachingAllocator> allocator;
};

// Makes driver and device if needed. Throws: index out of range (names the valid ones), fork, bad environment.
DeviceState& device_state(int index);

// The machine that programs are compiled for, and the options the driver was made with.
const machine::Machine& current_machine();
const runtime::DriverOptions& driver_options();

bool context_initialized() noexcept;
bool device_initialized(int index) noexcept;   // without making it
bool in_bad_fork() noexcept;

// Number of devices, before the first use from the environment alone. 0 when the environment cannot be read; the first
// use then says why.
int device_count() noexcept;

// Waits for all queues of all devices in use and raises the first failure.
void synchronize_all();

// Current device of this thread.
int current_device() noexcept;
void set_current_device(int index);              // checks the range
void set_current_device_unchecked(int index) noexcept;

// LANEWISE_BLOCKING=1, NEURON_LAUNCH_BLOCKING=1 or TORCH_NEURONX_ENABLE_ASYNC_NRT=0: every launch waits, so that a failure is raised where it was caused.
bool launch_blocking() noexcept;

}  // namespace lanewise::torch_backend
