// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Work in flight: how much may be, who is told, and that every way out ends all waits.
#include <atomic>
#include <chrono>
#include <latch>
#include <thread>

#include "runtime/conformance/suite.h"

namespace lanewise::runtime::conformance {

// Holds the worker of a device until opened.
class Gate {
 public:
  std::function<Status()> call() {
    return [latch = latch_] {
      latch->wait();
      return ok_status();
    };
  }
  void open() {
    if (!std::exchange(opened_, true)) latch_->count_down();
  }
  ~Gate() { open(); }

 private:
  const std::shared_ptr<std::latch> latch_ = std::make_shared<std::latch>(1);
  bool opened_ = false;
};

TEST_P(Conformance, open_launches_are_counted_and_named) {
  auto program = take(device_->load(scale_program(8)));
  DeviceAddress x = allocate(4096);
  std::vector<uint32_t> names;
  for (const char* name : {"aten::a", "aten::b", "aten::c"}) names.push_back(trace::record::intern(name));
  Gate gate;
  (void)take(queue_->host_call(gate.call()));
  for (uint32_t name : names) (void)take(scale(*queue_, program, x, x, 1, {.name = name}));
  EXPECT_EQ(device_->launches_open(), 3);
  EXPECT_EQ(device_->open_launch_names(10), names);
  EXPECT_EQ(device_->open_launch_names(2), std::vector<uint32_t>(names.begin(), names.begin() + 2));
  gate.open();
  EXPECT_TRUE(device_->synchronize().ok());
  EXPECT_EQ(device_->launches_open(), 0);
  EXPECT_TRUE(device_->open_launch_names(10).empty());
}

TEST_P(Conformance, bounded_queue_makes_submitter_wait) {
  options_.queue_depth = 4;
  open(options_);
  auto other = take(device_->create_queue());
  DeviceAddress a = allocate(512);
  Gate gate;
  (void)take(queue_->host_call(gate.call()));
  for (int i = 0; i < 3; ++i) (void)take(queue_->fill(a, 1, 512, {}));
  EXPECT_TRUE(other->fill(a, 1, 512, {}).ok());   // has room of its own
  std::atomic<bool> submitted{false};
  std::thread submitter([&] {
    EXPECT_TRUE(queue_->fill(a, 2, 512, {}).ok());
    submitted = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(submitted);
  gate.open();
  submitter.join();
  EXPECT_TRUE(submitted);
  EXPECT_TRUE(device_->synchronize().ok());
}

TEST_P(Conformance, host_call_finds_queue_full) {
  options_.queue_depth = 2;
  open(options_);
  Status status;
  DeviceAddress a = allocate(512);
  (void)take(queue_->host_call([&] {
    (void)queue_->fill(a, 1, 512, {});
    auto third = queue_->fill(a, 1, 512, {});
    status = third.ok() ? ok_status() : third.status();
    return ok_status();
  }));
  EXPECT_TRUE(queue_->synchronize().ok());
  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
}

TEST_P(Conformance, host_call_cannot_wait_for_its_device) {
  Status queue_status, device_status;
  bool on_thread = false;
  (void)take(queue_->host_call([&] {
    on_thread = device_->on_device_thread();
    queue_status = queue_->synchronize();
    device_status = device_->synchronize();
    return ok_status();
  }));
  EXPECT_TRUE(queue_->synchronize().ok());
  EXPECT_TRUE(on_thread);
  EXPECT_FALSE(device_->on_device_thread());
  EXPECT_EQ(queue_status.code(), StatusCode::failed_precondition);
  EXPECT_EQ(device_status.code(), StatusCode::failed_precondition);
}

TEST_P(Conformance, destruction_ends_open_work) {
  for (bool pacing : {false, true}) {
    options_.pacing = pacing;
    options_.queue_depth = 8;
    open(options_);
    auto program = take(device_->load(scale_program(8)));
    auto never = std::make_shared<Fence>();
    DeviceAddress x = allocate(4096);
    std::vector<std::shared_ptr<Fence>> fences;
    std::thread waiter, blocked;
    {
      fences.push_back(take(scale(*queue_, program, x, x, 1)));
      EXPECT_TRUE(queue_->wait_for(never).ok());
      for (int i = 0; i < 6; ++i) fences.push_back(take(scale(*queue_, program, x, x, 1)));
      waiter = std::thread([fence = fences.back()] { EXPECT_EQ(fence->wait().code(), StatusCode::cancelled); });
    }
    driver_.reset();
    waiter.join();
    for (const auto& fence : fences) EXPECT_TRUE(fence->signalled());
    Status first = fences.front()->wait();
    EXPECT_TRUE(first.ok() || first.code() == StatusCode::cancelled) << first.to_string();
  }
}

TEST_P(Conformance, queue_outlives_its_device) {
  auto queue = take(device_->create_queue());
  auto program = take(device_->load(scale_program(8)));
  driver_.reset();
  EXPECT_EQ(queue->marker().status().code(), StatusCode::failed_precondition);
  EXPECT_TRUE(queue->synchronize().ok());
  EXPECT_TRUE(queue->idle());
  EXPECT_EQ(program->program().name, "scale");
}

}  // namespace lanewise::runtime::conformance
