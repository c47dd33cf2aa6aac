// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/hal/fence.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lanewise::runtime {
namespace {

TEST(Fence, has_no_times_before_its_signal) {
  Fence fence;
  EXPECT_FALSE(fence.signalled());
  EXPECT_EQ(fence.start_ns(), 0);
  EXPECT_EQ(fence.end_ns(), 0);
  EXPECT_EQ(fence.planned_end_ns(), 0);
  fence.signal(ok_status(), 3, 5);
  EXPECT_TRUE(fence.signalled());
  EXPECT_EQ(fence.start_ns(), 3);
  EXPECT_EQ(fence.end_ns(), 5);
  EXPECT_EQ(fence.planned_end_ns(), 5);
  EXPECT_TRUE(fence.wait().ok());
}

TEST(Fence, plan_is_for_drivers_only) {
  Fence fence;
  EXPECT_FALSE(fence.wait_planned(1000));
  EXPECT_TRUE(fence.planned_status().ok());
  fence.plan(data_loss("planned"), 3, 5);
  EXPECT_TRUE(fence.wait_planned(0));
  EXPECT_EQ(fence.planned_status().message(), "planned");
  EXPECT_EQ(fence.planned_end_ns(), 5);
  EXPECT_FALSE(fence.signalled());
  EXPECT_EQ(fence.end_ns(), 0);
  fence.signal(data_loss("planned"), 3, 5);
  EXPECT_EQ(fence.end_ns(), 5);
  EXPECT_EQ(fence.wait().message(), "planned");
}

TEST(Fence, every_waiter_gets_the_failure) {
  Fence fence;
  std::vector<Status> seen(8);
  std::vector<std::thread> waiters;
  for (Status& status : seen) waiters.emplace_back([&] { status = fence.wait(); });
  std::thread planner([&] { EXPECT_TRUE(fence.wait_planned(int64_t{60} * 1'000'000'000)); });
  fence.plan(data_loss("why"), 1, 2);
  fence.signal(data_loss("why"), 1, 2);
  for (auto& waiter : waiters) waiter.join();
  planner.join();
  for (const Status& status : seen) EXPECT_EQ(status.message(), "why");
}

TEST(FenceDeathTest, second_signal_is_a_bug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Fence fence;
  fence.signal(ok_status(), 1, 2);
  EXPECT_DEATH(fence.signal(ok_status(), 1, 2), "signalled once");
  Fence planned;
  planned.plan(ok_status(), 1, 2);
  EXPECT_DEATH(planned.signal(ok_status(), 1, 3), "planned status and times");
  EXPECT_DEATH(planned.signal(data_loss("late"), 1, 2), "planned status and times");
}

}  // namespace
}  // namespace lanewise::runtime
