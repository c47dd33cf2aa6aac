// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <latch>
#include <thread>

#include "runtime/conformance/suite.h"

namespace lanewise::runtime::conformance {

TEST_P(Conformance, queues_have_ids_of_their_own) {
  EXPECT_EQ(queue_->id(), 0);
  auto a = take(device_->create_queue()), b = take(device_->create_queue());
  EXPECT_NE(a->id(), 0);
  EXPECT_NE(a->id(), b->id());
  int id = a->id();
  a.reset();
  EXPECT_EQ(take(device_->create_queue())->id(), id);
}

TEST_P(Conformance, work_of_a_queue_runs_in_order) {
  std::vector<int> order;
  for (int i = 0; i < 100; ++i)
    (void)take(queue_->host_call([&order, i] {
      order.push_back(i);
      return ok_status();
    }));
  EXPECT_TRUE(queue_->synchronize().ok());
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST_P(Conformance, fence_is_signalled_after_the_work_before_it) {
  DeviceAddress a = allocate(4096);
  auto write = take(queue_->fill(a, 1, 4096, {}));
  auto marker = take(queue_->marker());
  EXPECT_TRUE(marker->wait().ok());
  EXPECT_TRUE(write->signalled());
  EXPECT_TRUE(write->wait().ok());
  EXPECT_TRUE(queue_->idle());
}

TEST_P(Conformance, synchronize_leaves_nothing_open) {
  auto other = take(device_->create_queue());
  std::vector<std::shared_ptr<Fence>> fences;
  DeviceAddress a = allocate(4096);
  for (int i = 0; i < 50; ++i) fences.push_back(take((i % 2 ? *other : *queue_).fill(a, 1, 4096, {})));
  EXPECT_TRUE(device_->synchronize().ok());
  for (const auto& fence : fences) EXPECT_TRUE(fence->signalled());
  EXPECT_TRUE(queue_->idle());
  EXPECT_TRUE(other->idle());
}

TEST_P(Conformance, queues_wait_for_each_other) {
  auto other = take(device_->create_queue());
  DeviceAddress a = upload(ramp(10'000)), b = allocate(40'000);
  for (int round = 0; round < 20; ++round) {
    auto filled = take(queue_->fill(a, static_cast<uint8_t>(round), 40'000, {}));
    EXPECT_TRUE(other->wait_for(filled).ok());
    auto copied = take(other->copy(b, a, 40'000, {}));
    EXPECT_TRUE(queue_->wait_for(copied).ok());
    EXPECT_TRUE(copied->wait().ok());
    EXPECT_GE(copied->start_ns(), filled->end_ns());
  }
  std::vector<uint8_t> bytes(40'000);
  EXPECT_TRUE(take(other->read(bytes.data(), b, 40'000, {}))->wait().ok());
  EXPECT_EQ(bytes, std::vector<uint8_t>(40'000, 19));
}

TEST_P(Conformance, devices_wait_for_each_other) {
  Device* second = take(driver_->device(1));
  DeviceAddress a = allocate(4096);
  auto filled = take(queue_->fill(a, 1, 4096, {}));
  EXPECT_TRUE(second->default_queue().wait_for(filled).ok());
  auto marker = take(second->default_queue().marker());
  EXPECT_TRUE(marker->wait().ok());
  EXPECT_GE(marker->start_ns(), filled->end_ns());
}

TEST_P(Conformance, queue_waits_for_a_fence_made_by_hand) {
  auto gate = std::make_shared<Fence>();
  std::thread opener([gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate->signal(internal_error("a failed fence opens the gate all the same"), 1, 2);
  });
  EXPECT_TRUE(queue_->wait_for(gate).ok());
  bool open = false;
  (void)take(queue_->host_call([&] {
    open = gate->signalled();
    return ok_status();
  }));
  EXPECT_EQ(queue_->synchronize().code(), StatusCode::internal);
  EXPECT_TRUE(open);
  opener.join();
  EXPECT_EQ(queue_->wait_for(nullptr).code(), StatusCode::invalid_argument);
}

TEST_P(Conformance, wait_for_returns_at_once) {
  auto gate = std::make_shared<Fence>();
  EXPECT_TRUE(queue_->wait_for(gate).ok());
  auto marker = take(queue_->marker());
  EXPECT_FALSE(marker->signalled());
  gate->signal(ok_status(), 1, 2);
  EXPECT_TRUE(marker->wait().ok());
}

TEST_P(Conformance, queue_is_not_idle_while_work_runs) {
  std::latch go(1);
  auto call = take(queue_->host_call([&] {
    go.wait();
    return ok_status();
  }));
  EXPECT_FALSE(queue_->idle());
  EXPECT_FALSE(call->signalled());
  EXPECT_EQ(call->start_ns(), 0);
  EXPECT_EQ(call->end_ns(), 0);
  go.count_down();
  EXPECT_TRUE(call->wait().ok());
  EXPECT_TRUE(queue_->idle());
  EXPECT_GT(call->start_ns(), 0);
}

TEST_P(Conformance, markers_tell_device_time) {
  DeviceAddress a = allocate(1 << 20);
  std::vector<char> host(1 << 20);
  auto before = take(queue_->marker());
  auto copy = take(queue_->read(host.data(), a, 1 << 20, {}));
  auto after = take(queue_->marker());
  EXPECT_TRUE(queue_->synchronize().ok());
  EXPECT_EQ(before->start_ns(), before->end_ns());
  EXPECT_LE(before->end_ns(), copy->start_ns());
  EXPECT_EQ(after->start_ns(), after->end_ns());
  EXPECT_GE(after->start_ns(), copy->end_ns());
}

TEST_P(Conformance, host_call_sees_the_work_before_it) {
  DeviceAddress a = upload(ramp(1000));
  std::vector<float> host(1000);
  auto read = take(queue_->read(host.data(), a, 4000, {}));
  bool done = false, same = false;
  (void)take(queue_->host_call([&] {
    done = read->signalled();
    same = host == ramp(1000);
    return ok_status();
  }));
  EXPECT_TRUE(queue_->synchronize().ok());
  EXPECT_TRUE(done);
  EXPECT_TRUE(same);
  EXPECT_EQ(queue_->host_call(nullptr).status().code(), StatusCode::invalid_argument);
}

}  // namespace lanewise::runtime::conformance
