// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/streams.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include <c10/util/Exception.h>

#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/status.h"

namespace lanewise::torch_backend {
namespace {

struct Pool {
  std::mutex mutex;
  int next = 0;   // round robin over 1 .. kStreamsPerDevice
  std::array<std::shared_ptr<runtime::Queue>, kStreamsPerDevice + 1> owned;
  std::array<std::atomic<runtime::Queue*>, kStreamsPerDevice + 1> queues{};
};

// Never destroyed, as the context.
std::array<Pool, kMaxDevices>& pools() {
  static auto* all = new std::array<Pool, kMaxDevices>;
  return *all;
}

thread_local std::array<int8_t, kMaxDevices> t_stream{};

c10::Stream make_stream(int device, int id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(device)), id);
}

void check_index(int device) {
  TORCH_CHECK_VALUE(device >= 0 && device < kMaxDevices, "device index ", device, " is out of range");
}

runtime::Queue& queue_by_id(int device, int64_t id) {
  DeviceState& state = device_state(device);
  if (id == 0) return state.device->default_queue();
  TORCH_CHECK(id > 0 && id <= kStreamsPerDevice, "neuron:", device, " has no stream ", id);
  runtime::Queue* queue = pools()[device].queues[id].load(std::memory_order_acquire);
  TORCH_CHECK(queue != nullptr, "neuron:", device, " has no stream ", id, ": it was not made by torch.Stream");
  return *queue;
}

}  // namespace

void check_stream(const c10::Stream& stream) {
  check_index(stream.device_index());
  TORCH_CHECK_VALUE(stream.id() >= 0 && stream.id() <= kStreamsPerDevice, "neuron:", stream.device_index(), " has no stream ", stream.id());
}

c10::Stream default_stream(int device) {
  check_index(device);
  return make_stream(device, 0);
}

c10::Stream current_stream(int device) {
  check_index(device);
  return make_stream(device, t_stream[device]);
}

c10::Stream exchange_stream(const c10::Stream& stream) noexcept {
  const int device = stream.device_index();
  const int previous = t_stream[device];
  t_stream[device] = static_cast<int8_t>(stream.id());
  return make_stream(device, previous);
}

c10::Stream new_stream(int device) {
  DeviceState& state = device_state(device);
  Pool& pool = pools()[device];
  std::lock_guard lock(pool.mutex);
  const int id = 1 + pool.next;
  pool.next = (pool.next + 1) % kStreamsPerDevice;
  if (pool.owned[id] == nullptr) {
    pool.owned[id] = take(state.device->create_queue());
    pool.queues[id].store(pool.owned[id].get(), std::memory_order_release);
  }
  return make_stream(device, id);
}

runtime::Queue& queue_of(const c10::Stream& stream) { return queue_by_id(stream.device_index(), stream.id()); }
runtime::Queue& current_queue(int device) { return queue_by_id(device, t_stream[device]); }

}  // namespace lanewise::torch_backend
