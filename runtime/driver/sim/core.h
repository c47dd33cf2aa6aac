// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a simulated device, its queues and its worker share. Queues keep it alive after the device is gone; then every
// submission is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "machine/machine.h"
#include "runtime/driver/sim/device_memory.h"
#include "runtime/driver/sim/inbox.h"
#include "runtime/driver/sim/program_cache.h"

namespace lanewise::runtime::sim_driver {

class Core {
 public:
  // Enough for every op of a large model; a program of a few hundred instructions takes tens of kilobytes.
  static constexpr size_t kPrograms = 1024;

  Core(int index, std::shared_ptr<const machine::Machine> machine, std::shared_ptr<DeviceMemory> memory, int queue_depth)
      : index(index), machine(std::move(machine)), memory(std::move(memory)), inbox(index, queue_depth),
        programs(kPrograms) {}

  const int index;
  const std::shared_ptr<const machine::Machine> machine;
  const std::shared_ptr<DeviceMemory> memory;
  Inbox inbox;

  ProgramCache programs;

  // Gives up what is only kept for later: the scratch block, and programs that nobody else holds.
  void release_idle();
  // For constants and scratch: gives up what is idle, then asks the hook to free memory, then fails.
  Result<std::shared_ptr<MemoryBlock>> allocate_for_program(int64_t bytes);
  // A block of at least `bytes`, the same for all launches: they run one after the other. Grows; the block before lives
  // until the launches that hold it are done.
  Result<std::shared_ptr<MemoryBlock>> scratch(int64_t bytes);

  void set_pressure_hook(std::function<void()> hook);

 private:
  std::mutex scratch_mutex_;
  std::shared_ptr<MemoryBlock> scratch_;
  std::mutex hook_mutex_;   // held while the hook runs: it cannot be taken away under its own feet
  std::function<void()> hook_;
};

}  // namespace lanewise::runtime::sim_driver
