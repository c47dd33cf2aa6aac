// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/pinned_allocator.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/hal/fence.h"
#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/status.h"
#include "torch_backend/csrc/streams.h"

namespace lanewise::torch_backend {
namespace {

constexpr size_t kPage = 4096;

struct Block {
  void* pointer = nullptr;
  size_t bytes = 0;
  bool in_use = false;
  std::vector<std::shared_ptr<runtime::Fence>> pending;

  bool reusable() {
    std::erase_if(pending, [](const auto& fence) { return fence->signalled(); });
    return !in_use && pending.empty();
  }
};

size_t rounded(size_t bytes) {
  size_t size = kPage;
  while (size < bytes) size *= 2;
  return size;
}

void release(void* pointer);

class Allocator final : public at::HostAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &release, c10::Device(c10::DeviceType::CPU)};
    const size_t size = rounded(bytes);
    std::lock_guard lock(mutex_);
    Block* block = nullptr;
    for (auto& [address, candidate] : blocks_)
      if (candidate.bytes == size && candidate.reusable()) block = &candidate;
    if (block == nullptr) {
      void* pointer = std::aligned_alloc(kPage, size);
      if (pointer == nullptr) throw_status(resource_exhausted(c10::str("host memory is exhausted: ", size, " bytes of pinned memory wanted")));
      block = &blocks_[pointer];
      *block = {pointer, size, false, {}};
      stats_.allocations.increase(1);
      stats_.allocated_bytes.increase(size);
    }
    block->in_use = true;
    stats_.active_requests.increase(1);
    stats_.active_bytes.increase(size);
    return {block->pointer, block->pointer, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  void free(void* pointer) {
    std::lock_guard lock(mutex_);
    auto found = blocks_.find(pointer);
    if (found == blocks_.end()) return;
    found->second.in_use = false;
    stats_.active_requests.decrease(1);
    stats_.active_bytes.decrease(found->second.bytes);
  }

  bool record_event(void* pointer, void*, c10::Stream stream) override {
    auto fence = take(queue_of(stream).marker());
    std::lock_guard lock(mutex_);
    Block* block = block_of(pointer);
    if (block == nullptr) return false;
    block->pending.push_back(std::move(fence));
    return true;
  }

  void empty_cache() override {
    std::lock_guard lock(mutex_);
    for (auto it = blocks_.begin(); it != blocks_.end();) {
      if (!it->second.reusable()) {
        ++it;
        continue;
      }
      stats_.allocations.decrease(1);
      stats_.allocated_bytes.decrease(it->second.bytes);
      std::free(it->first);
      it = blocks_.erase(it);
    }
  }

  at::HostStats get_stats() override {
    std::lock_guard lock(mutex_);
    return stats_;
  }
  void reset_accumulated_stats() override {
    std::lock_guard lock(mutex_);
    for (auto* stat : all_stats()) stat->reset_accumulated();
  }
  void reset_peak_stats() override {
    std::lock_guard lock(mutex_);
    for (auto* stat : all_stats()) stat->reset_peak();
  }

  bool owns(const void* pointer) {
    std::lock_guard lock(mutex_);
    return block_of(pointer) != nullptr;
  }

 private:
  Block* block_of(const void* pointer) {
    auto after = blocks_.upper_bound(const_cast<void*>(pointer));
    if (after == blocks_.begin()) return nullptr;
    Block& block = std::prev(after)->second;
    const auto* start = static_cast<const char*>(block.pointer);
    return static_cast<const char*>(pointer) < start + block.bytes ? &block : nullptr;
  }
  std::vector<c10::CachingAllocator::Stat*> all_stats() {
    return {&stats_.active_requests, &stats_.active_bytes, &stats_.allocations, &stats_.allocated_bytes};
  }

  std::mutex mutex_;
  std::map<void*, Block> blocks_;
  at::HostStats stats_;
};

Allocator& instance() {
  static auto* allocator = new Allocator;
  return *allocator;
}

void release(void* pointer) {
  if (pointer != nullptr && !in_bad_fork()) instance().free(pointer);
}

REGISTER_HOST_ALLOCATOR(at::kPrivateUse1, &instance());

}  // namespace

at::HostAllocator& pinned_allocator() noexcept { return instance(); }
bool is_pinned(const void* pointer) noexcept { return pointer != nullptr && !in_bad_fork() && instance().owns(pointer); }

}  // namespace lanewise::torch_backend
