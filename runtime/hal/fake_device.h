// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: a device with memory that is only counted, and queues whose markers are signalled by hand.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/hal/device.h"

namespace lanewise::runtime {

class FakeQueue final : public Queue {
 public:
  explicit FakeQueue(int id) : id_(id) {}
  int id() const override { return id_; }
  Result<std::shared_ptr<Fence>> marker() override {
    if (refuse_markers) return resource_exhausted("full");
    std::lock_guard lock(mutex_);
    fences_.push_back(std::make_shared<Fence>());
    ++markers_;
    return fences_.back();
  }
  bool idle() const override { return !busy; }
  void signal_all() {
    std::lock_guard lock(mutex_);
    for (auto& fence : fences_) fence->signal(ok_status(), 1, 2);
    fences_.clear();
    busy = false;
  }
  size_t markers() const { return markers_; }

  Result<std::shared_ptr<Fence>> execute(ExecuteRequest) override { return none(); }
  Result<std::shared_ptr<Fence>> write(DeviceAddress, const void*, int64_t, bool, Origin) override { return none(); }
  Result<std::shared_ptr<Fence>> read(void*, DeviceAddress, int64_t, Origin) override { return none(); }
  Result<std::shared_ptr<Fence>> copy(DeviceAddress, DeviceAddress, int64_t, Origin) override { return none(); }
  Result<std::shared_ptr<Fence>> fill(DeviceAddress, uint8_t, int64_t, Origin) override { return none(); }
  Status wait_for(std::shared_ptr<Fence>) override { return none(); }
  Result<std::shared_ptr<Fence>> host_call(std::function<Status()>) override { return none(); }
  Status synchronize() override { return none(); }

  std::atomic<bool> busy{false}, refuse_markers{false};

 private:
  static Status none() { return unimplemented("a fake queue has markers only"); }
  const int id_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Fence>> fences_;
  std::atomic<size_t> markers_{0};
};

class FakeDevice final : public Device {
 public:
  explicit FakeDevice(int64_t capacity) : capacity_(capacity) {
    for (int i = 0; i < 2; ++i) queues_.push_back(std::make_unique<FakeQueue>(i));
  }
  int index() const override { return 0; }
  const machine::Machine& machine() const override { return machine_; }
  Result<DeviceAddress> allocate(int64_t bytes) override {
    std::lock_guard lock(mutex_);
    if (bytes > capacity_ - used_) return resource_exhausted("full");
    used_ += bytes;
    ++allocations;
    DeviceAddress address = next_;
    next_ += static_cast<uintptr_t>(bytes);
    blocks_[address] = bytes;
    return address;
  }
  Status free(DeviceAddress address) override {
    std::lock_guard lock(mutex_);
    auto block = blocks_.find(address);
    if (block == blocks_.end()) return invalid_argument("not a block");
    used_ -= block->second;
    blocks_.erase(block);
    return ok_status();
  }
  MemoryInfo memory() const override { return {capacity_, used()}; }
  void set_memory_pressure_hook(std::function<void()> hook) override { hook_ = std::move(hook); }
  bool on_device_thread() const override { return on_thread; }
  Result<std::shared_ptr<Executable>> load(const isa::Program&, std::string_view) override { return unimplemented("fake"); }
  Result<std::shared_ptr<Queue>> create_queue() override { return unimplemented("fake"); }
  Queue& default_queue() override { return *queues_[0]; }
  Status synchronize() override { return ok_status(); }
  int64_t launches_open() const override { return 0; }
  std::vector<uint32_t> open_launch_names(size_t) const override { return {}; }

  FakeQueue& queue(size_t i) { return *queues_[i]; }
  int64_t used() const {
    std::lock_guard lock(mutex_);
    return used_;
  }
  void press() { hook_(); }
  int allocations = 0;
  bool on_thread = false;

 private:
  const int64_t capacity_;
  const machine::Machine machine_{};
  mutable std::mutex mutex_;
  int64_t used_ = 0;
  DeviceAddress next_ = 0x10000;
  std::map<DeviceAddress, int64_t> blocks_;
  std::vector<std::unique_ptr<FakeQueue>> queues_;
  std::function<void()> hook_;
};

}  // namespace lanewise::runtime
