// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What generic ATen code asks about the accelerator. Nothing here may make the device as a side effect, except init().
#include <algorithm>

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>

#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/device_allocator.h"
#include "torch_backend/csrc/generator.h"
#include "torch_backend/csrc/pinned_allocator.h"
#include "torch_backend/csrc/storage.h"

namespace lanewise::torch_backend {
namespace {

struct Hooks final : public at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device_count() > 0; }
  void init() const override { device_state(current_device()); }
  bool hasPrimaryContext(c10::DeviceIndex index) const override { return device_initialized(index); }

  c10::DeviceIndex deviceCount() const override { return static_cast<c10::DeviceIndex>(device_count()); }
  c10::DeviceIndex getCurrentDevice() const override { return static_cast<c10::DeviceIndex>(current_device()); }
  void setCurrentDevice(c10::DeviceIndex index) const override { set_current_device(index); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    const int previous = current_device();
    set_current_device(index);
    return static_cast<c10::DeviceIndex>(previous);
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    return index < 0 ? getCurrentDevice() : exchangeDevice(index);
  }

  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override { return default_generator(index); }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return new_generator(index < 0 ? current_device() : index);
  }

  at::Allocator* getPinnedMemoryAllocator() const override { return &pinned_allocator(); }
  bool isPinnedPtr(const void* pointer) const override { return is_pinned(pointer); }

  at::Device getDeviceFromPtr(void* pointer) const override {
    for (int i = 0; i < kMaxDevices; ++i) {
      if (!device_initialized(i)) continue;
      int64_t bytes = 0;
      if (device_state(i).allocator->block_of(reinterpret_cast<runtime::DeviceAddress>(pointer), &bytes) != 0)
        return at::Device(at::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(i));
    }
    TORCH_CHECK_VALUE(false, "the pointer is not memory of a neuron device");
  }

  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override { resize_storage(storage, bytes); }
};

[[maybe_unused]] const bool kRegistered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  return true;
}();

}  // namespace
}  // namespace lanewise::torch_backend
