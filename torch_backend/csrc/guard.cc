// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// c10's device guard: current device, streams and events of `neuron`.
//
// An event is the fence of a marker on its queue, so its time is the device time at which everything before it was
// done; elapsed_time is the difference of two of those, never of host clocks.
#include <memory>

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "runtime/hal/fence.h"
#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/device_allocator.h"
#include "torch_backend/csrc/dtypes.h"
#include "torch_backend/csrc/status.h"
#include "torch_backend/csrc/streams.h"

namespace lanewise::torch_backend {
namespace {

struct Event {
  std::shared_ptr<runtime::Fence> fence;
  bool timing = false;
};

Event& event_of(void* event) {
  TORCH_CHECK(event != nullptr, "this event has not been recorded yet");
  return *static_cast<Event*>(event);
}

struct Guard final : public c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::DeviceType::PrivateUse1; }

  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device previous = getDevice();
    setDevice(device);
    return previous;
  }
  c10::Device getDevice() const override {
    return c10::Device(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(current_device()));
  }
  void setDevice(c10::Device device) const override {
    TORCH_CHECK(device.is_privateuseone(), "expected a neuron device, got ", device);
    if (device.has_index()) set_current_device(device.index());
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) set_current_device_unchecked(device.index());
  }
  c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(device_count()); }

  c10::DeviceCapability getDeviceCapability(c10::Device) const override {
    c10::DeviceCapability capability;
    capability.capability_data.capability_bits = supported_scalar_type_bits();
    return capability;
  }

  c10::Stream getStream(c10::Device device) const override { return current_stream(index_of(device)); }
  c10::Stream getDefaultStream(c10::Device device) const override { return default_stream(index_of(device)); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return new_stream(index_of(device)); }
  c10::Stream getNewStream(c10::Device device, int) const override { return new_stream(index_of(device)); }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    check_stream(stream);
    return exchange_stream(stream);
  }
  void* getStreamNativeHandle(const c10::Stream stream) const override { return &queue_of(stream); }
  bool queryStream(const c10::Stream& stream) const override { return queue_of(stream).idle(); }
  void synchronizeStream(const c10::Stream& stream) const override { check(queue_of(stream).synchronize()); }
  void synchronizeDevice(const c10::DeviceIndex index) const override {
    check(device_state(index < 0 ? current_device() : index).device->synchronize());
  }

  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex, const c10::EventFlag flag) const override {
    auto fence = take(queue_of(stream).marker());
    if (*event == nullptr) *event = new Event;
    auto& target = *static_cast<Event*>(*event);
    target.fence = std::move(fence);
    target.timing = flag == c10::EventFlag::BACKEND_DEFAULT;
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event != nullptr) check(queue_of(stream).wait_for(event_of(event).fence));
  }
  bool queryEvent(void* event) const override { return event == nullptr || event_of(event).fence->signalled(); }
  void synchronizeEvent(void* event) const override {
    if (event != nullptr) check(event_of(event).fence->wait());
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }

  double elapsedTime(void* first, void* second, const c10::DeviceIndex) const override {
    const Event& start = event_of(first);
    const Event& end = event_of(second);
    TORCH_CHECK_VALUE(start.timing && end.timing, "elapsed_time needs events made with enable_timing=True");
    TORCH_CHECK(start.fence->signalled() && end.fence->signalled(),
                "elapsed_time needs both events to be done: synchronize() them first");
    return static_cast<double>(end.fence->end_ns() - start.fence->end_ns()) / 1e6;
  }

  void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& stream) const override {
    device_allocator().recordStream(data, stream);
  }

 private:
  static int index_of(c10::Device device) { return device.has_index() ? device.index() : current_device(); }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

}  // namespace
}  // namespace lanewise::torch_backend
