// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/device_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/hal/memory_guard.h"

namespace lanewise::runtime::sim_driver {
namespace {

// Smaller freed blocks keep their pages: giving back and faulting in again would cost more than it saves.
constexpr int64_t kGiveBackBytes = int64_t{1} << 20;

constexpr int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

}  // namespace

Result<std::shared_ptr<DeviceMemory>> DeviceMemory::reserve(int device, int64_t capacity) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  const auto bytes = static_cast<size_t>(capacity);
  void* range = mmap(nullptr, 2 * bytes, PROT_NONE, kFlags, -1, 0);
  if (range == MAP_FAILED || mprotect(static_cast<char*>(range) + bytes, bytes, PROT_READ | PROT_WRITE) != 0) {
    Status status = resource_exhausted("cannot reserve " + std::to_string(capacity) + " bytes of address space for neuron:" +
                                       std::to_string(device) + ": " + std::strerror(errno));
    if (range != MAP_FAILED) munmap(range, 2 * bytes);
    return status;
  }
  // A core dump or a forked child has no use for it. Both are hints.
  (void)madvise(static_cast<char*>(range) + bytes, bytes, MADV_DONTDUMP);
  auto base = reinterpret_cast<DeviceAddress>(range);
  if (Status status = guard_range(base, bytes, device); !status.ok()) {
    munmap(range, 2 * bytes);
    return status;
  }
  return std::shared_ptr<DeviceMemory>(new DeviceMemory(device, base, capacity));
}

DeviceMemory::DeviceMemory(int device, DeviceAddress base, int64_t capacity)
    : device_(device), base_(base), capacity_(capacity) {
  insert_free(0, capacity);
}

DeviceMemory::~DeviceMemory() {
  unguard_range(base_);
  munmap(reinterpret_cast<void*>(base_), 2 * static_cast<size_t>(capacity_));
}

Result<DeviceAddress> DeviceMemory::allocate(int64_t bytes) {
  if (bytes < 1) return invalid_argument("an allocation has at least 1 byte, not " + std::to_string(bytes));
  std::lock_guard lock(mutex_);
  auto fit = free_by_size_.end();
  if (bytes <= capacity_) {
    bytes = round_up(bytes, kAlignment);
    fit = free_by_size_.lower_bound({bytes, 0});
  }
  if (fit == free_by_size_.end()) {
    int64_t largest = free_by_size_.empty() ? 0 : free_by_size_.rbegin()->first;
    return resource_exhausted("neuron:" + std::to_string(device_) + " has no room for " + std::to_string(bytes) +
                              " bytes: capacity " + std::to_string(capacity_) + ", free " +
                              std::to_string(capacity_ - used_bytes_) + ", largest free block " +
                              std::to_string(largest) + " (LANEWISE_DEVICE_MEMORY sets the capacity)");
  }
  auto [block_bytes, offset] = *fit;
  erase_free(free_.find(offset));
  if (block_bytes > bytes) insert_free(offset + bytes, block_bytes - bytes);
  used_.emplace(offset, bytes);
  used_bytes_ += bytes;
  return base_ + static_cast<uintptr_t>(offset);
}

Status DeviceMemory::free(DeviceAddress address) {
  int64_t offset = 0, bytes = 0;
  {
    std::lock_guard lock(mutex_);
    auto block = contains(address, 1) ? used_.find(static_cast<int64_t>(address - base_)) : used_.end();
    if (block == used_.end())
      return invalid_argument("no block of neuron:" + std::to_string(device_) + " starts at the address to free");
    std::tie(offset, bytes) = *block;
    used_.erase(block);
  }
  // While the block is in neither list nobody can be given its pages.
  if (bytes >= kGiveBackBytes) {
    constexpr uintptr_t kPage = 4096;
    auto first = reinterpret_cast<uintptr_t>(host_pointer(address));
    uintptr_t last = (first + static_cast<uintptr_t>(bytes)) / kPage * kPage;
    first = (first + kPage - 1) / kPage * kPage;
    (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
  std::lock_guard lock(mutex_);
  used_bytes_ -= bytes;
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + bytes) {
    bytes += next->second;
    auto merged = next++;
    erase_free(merged);
  }
  if (next != free_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      bytes += previous->second;
      erase_free(previous);
    }
  }
  insert_free(offset, bytes);
  return ok_status();
}

MemoryInfo DeviceMemory::info() const {
  std::lock_guard lock(mutex_);
  return {capacity_, used_bytes_};
}

void DeviceMemory::insert_free(int64_t offset, int64_t bytes) {
  free_.emplace(offset, bytes);
  free_by_size_.emplace(bytes, offset);
}

void DeviceMemory::erase_free(std::map<int64_t, int64_t>::iterator block) {
  free_by_size_.erase({block->second, block->first});
  free_.erase(block);
}

Result<std::shared_ptr<MemoryBlock>> MemoryBlock::allocate(std::shared_ptr<DeviceMemory> memory, int64_t bytes) {
  LW_ASSIGN_OR_RETURN(DeviceAddress address, memory->allocate(bytes));
  return std::make_shared<MemoryBlock>(std::move(memory), address, bytes);
}

MemoryBlock::~MemoryBlock() {
  Status status = memory_->free(address_);
  LW_CHECK(status.ok(), status.message());
}

}  // namespace lanewise::runtime::sim_driver
