// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of one simulated device.
//
// An address lies in a reserved range without access rights, so a host dereference faults. What is behind it lies one
// capacity further, in private memory that only the driver touches:
//
//   base                base + capacity            base + 2 * capacity
//   |  PROT_NONE        |  read, write, on demand  |
//   |  device addresses |  host_pointer(address) = address + capacity
//
// Blocks are 512-byte aligned, best fit, and merge when freed. Host pages of large freed blocks go back to the system.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/status.h"
#include "runtime/hal/device.h"

namespace lanewise::runtime::sim_driver {

class DeviceMemory {
 public:
  static constexpr int64_t kAlignment = 512;

  // `capacity` is a multiple of the page size. Errors: the address space cannot be had.
  static Result<std::shared_ptr<DeviceMemory>> reserve(int device, int64_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Errors: invalid_argument (bytes < 1), resource_exhausted (wanted, free, largest free block, capacity).
  Result<DeviceAddress> allocate(int64_t bytes);
  Status free(DeviceAddress address);   // invalid_argument: not the start of a block
  MemoryInfo info() const;

  // Whether [address, address + bytes) lies in the reserved range. An empty piece of memory lies everywhere.
  bool contains(DeviceAddress address, int64_t bytes) const {
    if (bytes <= 0) return bytes == 0;
    return address >= base_ && bytes <= capacity_ && address - base_ <= static_cast<uintptr_t>(capacity_ - bytes);
  }
  std::byte* host_pointer(DeviceAddress address) const {
    return reinterpret_cast<std::byte*>(address + static_cast<uintptr_t>(capacity_));
  }
  DeviceAddress base() const { return base_; }
  int64_t capacity() const { return capacity_; }

 private:
  DeviceMemory(int device, DeviceAddress base, int64_t capacity);
  void insert_free(int64_t offset, int64_t bytes);
  void erase_free(std::map<int64_t, int64_t>::iterator block);

  const int device_;
  const DeviceAddress base_;
  const int64_t capacity_;
  mutable std::mutex mutex_;
  std::map<int64_t, int64_t> used_;                    // offset -> bytes
  std::map<int64_t, int64_t> free_;                    // offset -> bytes, never adjacent
  std::set<std::pair<int64_t, int64_t>> free_by_size_;   // (bytes, offset)
  int64_t used_bytes_ = 0;
};

// A block that frees itself. Keeps the memory mapped as long as it lives.
class MemoryBlock {
 public:
  static Result<std::shared_ptr<MemoryBlock>> allocate(std::shared_ptr<DeviceMemory> memory, int64_t bytes);
  MemoryBlock(std::shared_ptr<DeviceMemory> memory, DeviceAddress address, int64_t bytes)
      : memory_(std::move(memory)), address_(address), bytes_(bytes) {}
  ~MemoryBlock();
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;

  std::byte* host() const { return memory_->host_pointer(address_); }
  int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<DeviceMemory> memory_;
  DeviceAddress address_;
  int64_t bytes_;
};

}  // namespace lanewise::runtime::sim_driver
