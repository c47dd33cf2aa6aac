// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Caching allocator of one device, with PyTorch's statistics. Freed blocks are kept per queue and reused by it at once;
// a block used on another queue (`record_use`) comes back when that queue has passed it.
//
// Blocks are cut from segments: requests up to 1 MiB from segments of 2 MiB, up to 10 MiB from segments of 20 MiB, larger
// ones get their own. nrt_tensor_allocate and nrt_tensor_free are the events of segments, which is when the device is
// asked; what the cache serves has no event. Queues and device live longer than the allocator. Thread-safe; never waits
// for the device while it holds its lock.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/hal/device.h"

namespace lanewise::runtime {

struct AllocatorStats {
  struct Counter { int64_t current = 0, peak = 0, allocated = 0, freed = 0; };   // bytes or blocks
  Counter allocated_bytes, reserved_bytes, allocations, segments;
  int64_t out_of_memory = 0, retries = 0, largest_free_block = 0;
};

class CachingAllocator {
 public:
  explicit CachingAllocator(Device& device);
  ~CachingAllocator();

  // At least `bytes` (0 gives address 0), usable on `queue`. On exhaustion cached blocks are released and it tries
  // again; then resource_exhausted with the sentence of PyTorch's own out-of-memory errors (wanted, capacity, free,
  // allocated, reserved).
  Result<DeviceAddress> allocate(int64_t bytes, Queue& queue);
  void free(DeviceAddress address);                      // any thread; unknown address is a bug of ours
  void record_use(DeviceAddress address, Queue& queue);
  void empty_cache();
  // Start and size of the block that holds an address, 0 if none.
  DeviceAddress block_of(DeviceAddress address, int64_t* bytes) const;

  AllocatorStats stats() const;
  void reset_peak();
  void reset_accumulated();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lanewise::runtime
