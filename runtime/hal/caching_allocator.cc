// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/hal/caching_allocator.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <mutex>
#include <set>
#include <string>

#include "runtime/hal/block_pool.h"
#include "runtime/hal/runtime_event.h"

namespace lanewise::runtime {

using trace::record::EventKind;

namespace {

void grow(AllocatorStats::Counter& counter, int64_t by) {
  counter.current += by;
  counter.allocated += by;
  counter.peak = std::max(counter.peak, counter.current);
}

void shrink(AllocatorStats::Counter& counter, int64_t by) {
  counter.current -= by;
  counter.freed += by;
}

// "1.50 GiB", as PyTorch writes sizes.
std::string size_text(int64_t bytes) {
  char text[48];
  if (bytes < 1024) std::snprintf(text, sizeof text, "%lld bytes", static_cast<long long>(bytes));
  else if (bytes < (int64_t{1} << 20)) std::snprintf(text, sizeof text, "%.2f KiB", static_cast<double>(bytes) / 1024);
  else if (bytes < (int64_t{1} << 30)) std::snprintf(text, sizeof text, "%.2f MiB", static_cast<double>(bytes) / (1 << 20));
  else std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

}  // namespace

struct CachingAllocator::Impl {
  explicit Impl(Device& device) : device(device) {}

  // A freed block and another queue that has to pass it. Without a fence (the queue was full) an idle queue has passed.
  struct Passing {
    Block* block;
    Queue* queue;
    std::shared_ptr<Fence> fence;
    bool done() const { return fence ? fence->signalled() : queue->idle(); }
  };

  Device& device;
  mutable std::mutex mutex;
  BlockPool pool;
  std::deque<Passing> passing;
  AllocatorStats stats;

  // Under the lock.
  void collect_passed() {
    for (auto it = passing.begin(); it != passing.end();) {
      if (!it->done()) {
        ++it;
        continue;
      }
      if (--it->block->open_fences == 0) pool.put_back(it->block);
      it = passing.erase(it);
    }
  }

  Result<DeviceAddress> device_allocate(int64_t bytes, const Queue& queue) {
    CallEvent call(EventKind::nrt_tensor_allocate, device.index());
    if (call.on()) {
      call.event.stream = static_cast<uint16_t>(queue.id());
      call.event.bytes = bytes;
    }
    auto address = device.allocate(bytes);
    if (!address.ok()) call.drop();
    return address;
  }

  void device_free(DeviceAddress address, int64_t bytes) {
    CallEvent call(EventKind::nrt_tensor_free, device.index());
    if (call.on()) call.event.bytes = bytes;
    Status status = device.free(address);
    LW_CHECK(status.ok(), status.message());
  }

  void release_cached();
  Status out_of_memory(int64_t wanted);
};

// Cached blocks may still be used by work that their queue has not done, so their memory goes back to the device only
// when the queue has passed this point. While we wait the blocks are in nobody's reach and the lock is free: host
// functions on the device's thread may allocate and free.
void CachingAllocator::Impl::release_cached() {
  if (device.on_device_thread()) return;
  std::vector<std::shared_ptr<Fence>> fences;
  {
    std::lock_guard lock(mutex);
    for (const Passing& p : passing)
      if (p.fence) fences.push_back(p.fence);
  }
  for (const auto& fence : fences) (void)fence->wait();   // its failure is its queue's to report
  std::vector<Block*> segments;
  {
    std::lock_guard lock(mutex);
    collect_passed();
    segments = pool.take_idle_segments();
  }
  std::set<Queue*> queues;
  for (Block* block : segments) queues.insert(block->queue);
  for (Queue* queue : queues) {
    if (queue->idle()) continue;
    auto marker = queue->marker();
    if (marker.ok()) (void)(*marker)->wait();   // a closed device refuses, and does no more work
  }
  for (Block* block : segments) device_free(block->address, block->bytes);
  std::lock_guard lock(mutex);
  for (Block* block : segments) {
    shrink(stats.reserved_bytes, block->bytes);
    shrink(stats.segments, 1);
    pool.forget(block);
  }
}

Status CachingAllocator::Impl::out_of_memory(int64_t wanted) {
  const MemoryInfo info = device.memory();
  std::lock_guard lock(mutex);
  ++stats.out_of_memory;
  const int64_t allocated = stats.allocated_bytes.current;
  const std::string name = "neuron:" + std::to_string(device.index());
  return resource_exhausted(
      "neuron out of memory. Tried to allocate " + size_text(wanted) + ". " + name + " has a total capacity of " +
      size_text(info.capacity) + " of which " + size_text(info.capacity - info.used) +
      " is free. Of the allocated memory " + size_text(allocated) + " is allocated by PyTorch, and " +
      size_text(stats.reserved_bytes.current - allocated) +
      " is reserved by PyTorch but unallocated. The capacity is a share of this host's memory unless "
      "LANEWISE_DEVICE_MEMORY sets it.");
}

CachingAllocator::CachingAllocator(Device& device) : impl_(std::make_unique<Impl>(device)) {
  device.set_memory_pressure_hook([impl = impl_.get()] { impl->release_cached(); });
}

CachingAllocator::~CachingAllocator() {
  impl_->device.set_memory_pressure_hook(nullptr);
  impl_->release_cached();
  // What is left is in use by somebody who will not give it back: the last owner of the device's memory goes.
  for (const auto& [address, bytes] : impl_->pool.segments()) impl_->device_free(address, bytes);
}

Result<DeviceAddress> CachingAllocator::allocate(int64_t bytes, Queue& queue) {
  if (bytes == 0) return DeviceAddress{0};
  if (bytes < 0) return invalid_argument("an allocation of " + std::to_string(bytes) + " bytes");
  Impl& impl = *impl_;
  // Beyond this the sum of roundings could overflow; no device is that large.
  if (bytes > (int64_t{1} << 60)) return impl.out_of_memory(bytes);
  const int64_t rounded = BlockPool::round_up(bytes);
  auto serve = [&]() -> DeviceAddress {
    std::lock_guard lock(impl.mutex);
    if (!impl.passing.empty()) impl.collect_passed();
    Block* block = impl.pool.take(rounded, &queue);
    if (!block) return 0;
    grow(impl.stats.allocated_bytes, block->bytes);
    grow(impl.stats.allocations, 1);
    return block->address;
  };
  if (DeviceAddress address = serve()) return address;

  // A small device may have room for the request but not for the comfortable segment, so the last try is exact.
  int64_t segment = BlockPool::segment_bytes(rounded);
  auto made = impl.device_allocate(segment, queue);
  if (!made.ok() && made.status().code() == StatusCode::resource_exhausted) {
    {
      std::lock_guard lock(impl.mutex);
      ++impl.stats.retries;
    }
    impl.release_cached();
    made = impl.device_allocate(segment, queue);
    if (!made.ok() && segment != rounded) {
      segment = rounded;
      made = impl.device_allocate(segment, queue);
    }
  }
  if (!made.ok())
    return made.status().code() == StatusCode::resource_exhausted ? impl.out_of_memory(bytes) : made.status();

  std::lock_guard lock(impl.mutex);
  grow(impl.stats.reserved_bytes, segment);
  grow(impl.stats.segments, 1);
  impl.pool.add_segment(*made, segment, &queue, BlockPool::is_small(rounded));
  Block* block = impl.pool.take(rounded, &queue);
  LW_CHECK(block, "a segment serves the request that it was made for");
  grow(impl.stats.allocated_bytes, block->bytes);
  grow(impl.stats.allocations, 1);
  return block->address;
}

void CachingAllocator::free(DeviceAddress address) {
  if (address == 0) return;
  Impl& impl = *impl_;
  Block* block = nullptr;
  std::vector<Queue*> uses;
  {
    std::lock_guard lock(impl.mutex);
    block = impl.pool.find(address);
    LW_CHECK(block && block->address == address && block->state == Block::State::used,
             "free of an address that the caching allocator did not give");
    shrink(impl.stats.allocated_bytes, block->bytes);
    shrink(impl.stats.allocations, 1);
    if (block->uses.empty()) return impl.pool.put_back(block);
    block->state = Block::State::pending;
    uses.swap(block->uses);
    block->open_fences = static_cast<int>(uses.size());
  }
  // A marker may have to wait for room in its queue, so not under the lock.
  std::vector<Impl::Passing> passing;
  for (Queue* queue : uses) {
    auto marker = queue->marker();
    passing.push_back({block, queue, marker.ok() ? *marker : nullptr});
  }
  std::lock_guard lock(impl.mutex);
  impl.passing.insert(impl.passing.end(), passing.begin(), passing.end());
}

void CachingAllocator::record_use(DeviceAddress address, Queue& queue) {
  if (address == 0) return;
  std::lock_guard lock(impl_->mutex);
  Block* block = impl_->pool.find(address);
  LW_CHECK(block && block->state == Block::State::used, "use of an address that the caching allocator did not give");
  auto& uses = block->uses;
  if (&queue != block->queue && std::find(uses.begin(), uses.end(), &queue) == uses.end()) uses.push_back(&queue);
}

void CachingAllocator::empty_cache() { impl_->release_cached(); }

DeviceAddress CachingAllocator::block_of(DeviceAddress address, int64_t* bytes) const {
  std::lock_guard lock(impl_->mutex);
  const Block* block = impl_->pool.find(address);
  if (bytes) *bytes = block ? block->bytes : 0;
  return block ? block->address : 0;
}

AllocatorStats CachingAllocator::stats() const {
  std::lock_guard lock(impl_->mutex);
  AllocatorStats stats = impl_->stats;
  stats.largest_free_block = impl_->pool.largest_cached();
  return stats;
}

void CachingAllocator::reset_peak() {
  std::lock_guard lock(impl_->mutex);
  auto& s = impl_->stats;
  for (auto* counter : {&s.allocated_bytes, &s.reserved_bytes, &s.allocations, &s.segments})
    counter->peak = counter->current;
}

void CachingAllocator::reset_accumulated() {
  std::lock_guard lock(impl_->mutex);
  auto& s = impl_->stats;
  for (auto* counter : {&s.allocated_bytes, &s.reserved_bytes, &s.allocations, &s.segments})
    counter->allocated = counter->freed = 0;
  s.out_of_memory = s.retries = 0;
}

}  // namespace lanewise::runtime
