// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/core.h"

#include <string>

namespace lanewise::runtime::sim_driver {

Result<std::shared_ptr<MemoryBlock>> Core::allocate_for_program(int64_t bytes) {
  auto block = MemoryBlock::allocate(memory, bytes);
  if (block.ok() || block.status().code() != StatusCode::resource_exhausted) return block;
  release_idle();
  // On the worker the hook could wait for work that only the worker can do.
  if (!inbox.on_worker()) {
    std::lock_guard lock(hook_mutex_);
    if (hook_) hook_();
  }
  return MemoryBlock::allocate(memory, bytes);
}

Result<std::shared_ptr<MemoryBlock>> Core::scratch(int64_t bytes) {
  {
    std::lock_guard lock(scratch_mutex_);
    if (scratch_ && scratch_->bytes() >= bytes) return scratch_;
  }
  // Not under the lock: the hook may come back to this device.
  LW_ASSIGN_OR_RETURN(std::shared_ptr<MemoryBlock> block, allocate_for_program(bytes));
  std::shared_ptr<MemoryBlock> old;   // freed after the lock
  std::lock_guard lock(scratch_mutex_);
  if (!scratch_ || scratch_->bytes() < bytes) {
    old = std::move(scratch_);
    scratch_ = block;
  }
  return block;
}

void Core::release_idle() {
  programs.clear();
  std::shared_ptr<MemoryBlock> old;   // freed after the lock
  std::lock_guard lock(scratch_mutex_);
  old.swap(scratch_);
}

void Core::set_pressure_hook(std::function<void()> hook) {
  std::lock_guard lock(hook_mutex_);
  hook_ = std::move(hook);
}

}  // namespace lanewise::runtime::sim_driver
