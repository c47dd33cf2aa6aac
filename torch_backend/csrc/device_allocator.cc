// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/device_allocator.h"

#include <array>
#include <utility>

#include "runtime/hal/caching_allocator.h"
#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/status.h"
#include "torch_backend/csrc/streams.h"

namespace lanewise::torch_backend {
namespace {

c10::Device torch_device(int index) {
  return c10::Device(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(index));
}

// Only while somebody profiles memory: statistics are under the allocator's lock.
void report(const DeviceState& state, runtime::DeviceAddress address, int64_t signed_bytes) {
  const auto stats = state.allocator->stats();
  c10::reportMemoryUsageToProfiler(reinterpret_cast<void*>(address), signed_bytes,
                                   static_cast<size_t>(stats.allocated_bytes.current),
                                   static_cast<size_t>(stats.reserved_bytes.current), torch_device(state.index));
}

void free_on(DeviceState& state, void* pointer) {
  const auto address = reinterpret_cast<runtime::DeviceAddress>(pointer);
  if (!c10::memoryProfilingEnabled()) [[likely]] return state.allocator->free(address);
  int64_t bytes = 0;
  state.allocator->block_of(address, &bytes);
  state.allocator->free(address);
  report(state, address, -bytes);
}

// A deleter is a plain function without state, so each device has its own instance: no allocation per tensor.
template <int kDevice>
void free_block(void* pointer) {
  // Memory of the parent process: its allocator's locks may be held by threads that do not exist here.
  if (pointer == nullptr || in_bad_fork()) return;
  free_on(device_state(kDevice), pointer);
}

template <int... kDevices>
constexpr std::array<c10::DeleterFnPtr, sizeof...(kDevices)> make_deleters(std::integer_sequence<int, kDevices...>) {
  return {&free_block<kDevices>...};
}
constexpr auto kDeleters = make_deleters(std::make_integer_sequence<int, kMaxDevices>{});

// For raw_allocate, whose caller keeps no device: the block is searched.
void free_anywhere(void* pointer) {
  if (pointer == nullptr || in_bad_fork()) return;
  for (int i = 0; i < kMaxDevices; ++i) {
    if (!device_initialized(i)) continue;
    DeviceState& state = device_state(i);
    int64_t bytes = 0;
    if (state.allocator->block_of(reinterpret_cast<runtime::DeviceAddress>(pointer), &bytes) != 0)
      return free_on(state, pointer);
  }
}

c10::CachingAllocator::StatArray to_stat(const runtime::AllocatorStats::Counter& counter) {
  c10::CachingAllocator::StatArray out;
  auto& all = out[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
  all.current = counter.current;
  all.peak = counter.peak;
  all.allocated = counter.allocated;
  all.freed = counter.freed;
  return out;
}

class Allocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override { return allocate_on(current_device(), bytes); }
  c10::DeleterFnPtr raw_deleter() const override { return &free_anywhere; }

  void copy_data(void* to, const void* from, size_t bytes) const override {
    const int device = current_device();
    check(current_queue(device)
              .copy(reinterpret_cast<runtime::DeviceAddress>(to), reinterpret_cast<runtime::DeviceAddress>(from),
                    static_cast<int64_t>(bytes), {})
              .status());
  }

  bool initialized() override { return context_initialized(); }

  void emptyCache(c10::MempoolId_t) override {
    for (int i = 0; i < kMaxDevices; ++i)
      if (device_initialized(i)) device_state(i).allocator->empty_cache();
  }

  void recordStream(const c10::DataPtr& data, c10::Stream stream) override {
    if (data.get() == nullptr) return;
    device_state(data.device().index())
        .allocator->record_use(reinterpret_cast<runtime::DeviceAddress>(data.get()), queue_of(stream));
  }

  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex index) override {
    const auto stats = device_state(index).allocator->stats();
    c10::CachingDeviceAllocator::DeviceStats out;
    out.allocation = out.active = to_stat(stats.allocations);
    out.segment = to_stat(stats.segments);
    out.allocated_bytes = out.active_bytes = out.requested_bytes = to_stat(stats.allocated_bytes);
    out.reserved_bytes = to_stat(stats.reserved_bytes);
    out.num_alloc_retries = stats.retries;
    out.num_ooms = stats.out_of_memory;
    out.num_device_alloc = stats.segments.allocated;
    out.num_device_free = stats.segments.freed;
    return out;
  }
  void resetAccumulatedStats(c10::DeviceIndex index) override { device_state(index).allocator->reset_accumulated(); }
  void resetPeakStats(c10::DeviceIndex index) override { device_state(index).allocator->reset_peak(); }

  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override {
    const auto memory = device_state(index < 0 ? current_device() : index).device->memory();
    return {static_cast<size_t>(memory.capacity - memory.used), static_cast<size_t>(memory.capacity)};
  }
};

Allocator& instance() {
  static auto* allocator = new Allocator;
  return *allocator;
}

REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, &instance());

}  // namespace

c10::DeviceAllocator& device_allocator() noexcept { return instance(); }

c10::DataPtr allocate_on(int device, size_t bytes) {
  DeviceState& state = device_state(device);
  if (bytes == 0) return {nullptr, nullptr, kDeleters[device], torch_device(device)};
  auto result = state.allocator->allocate(static_cast<int64_t>(bytes), current_queue(device));
  if (!result.ok()) [[unlikely]] {
    const auto stats = state.allocator->stats();
    c10::reportOutOfMemoryToProfiler(static_cast<int64_t>(bytes), static_cast<size_t>(stats.allocated_bytes.current),
                                     static_cast<size_t>(stats.reserved_bytes.current), torch_device(device));
    throw_status(result.status());
  }
  void* pointer = reinterpret_cast<void*>(*result);
  if (c10::memoryProfilingEnabled()) [[unlikely]] {
    int64_t block = 0;
    state.allocator->block_of(*result, &block);
    report(state, *result, block);
  }
  return {pointer, pointer, kDeleters[device], torch_device(device)};
}

}  // namespace lanewise::torch_backend
