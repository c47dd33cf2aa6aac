// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/pacer.h"

#include <gtest/gtest.h>

#include <thread>

#include "trace/record/clock.h"

namespace lanewise::runtime::sim_driver {
namespace {

constexpr int64_t kMs = 1'000'000, kHour = int64_t{3600} * 1000 * kMs;

struct PacerTest : testing::Test {
  void finish(Completion completion) {
    std::lock_guard lock(mutex);
    EXPECT_TRUE(closing || trace::record::now_ns() >= completion.end_ns);
    ends.push_back(completion.end_ns);
    threads.push_back(std::this_thread::get_id());
    completion.fence->signal(ok_status(), completion.start_ns, completion.end_ns);
  }
  std::shared_ptr<Fence> add(Pacer& pacer, int64_t end_ns) {
    Completion completion;
    completion.fence = std::make_shared<Fence>();
    completion.end_ns = end_ns;
    auto fence = completion.fence;
    pacer.add(std::move(completion), end_ns - trace::record::clock_offset_ns());
    return fence;
  }
  std::function<void(Completion)> finisher() {
    return [this](Completion completion) { finish(std::move(completion)); };
  }
  std::mutex mutex;
  std::atomic<bool> closing{false};
  std::vector<int64_t> ends;
  std::vector<std::thread::id> threads;
};

TEST_F(PacerTest, signals_no_earlier_than_the_end_and_in_order_of_ends) {
  Pacer pacer(true, finisher());
  const int64_t now = trace::record::now_ns();
  std::vector<std::shared_ptr<Fence>> fences;
  for (int64_t ms : {40, 10, 30, 20, 20}) fences.push_back(add(pacer, now + ms * kMs));
  for (auto& fence : fences) EXPECT_TRUE(fence->wait().ok());
  std::lock_guard lock(mutex);
  EXPECT_EQ(ends.size(), 5u);
  EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
}

TEST_F(PacerTest, waiting_work_is_planned) {
  Pacer pacer(true, finisher());
  const int64_t end = trace::record::now_ns() + kHour;
  auto fence = add(pacer, end);
  EXPECT_EQ(fence->planned_end_ns(), end);
  EXPECT_FALSE(fence->signalled());
  closing = true;
  pacer.close();
  EXPECT_TRUE(fence->wait().ok());
  EXPECT_TRUE(add(pacer, end)->wait().ok());   // after the close: at once
}

TEST_F(PacerTest, overdue_work_overtakes_nothing) {
  Pacer pacer(true, finisher());
  const int64_t now = trace::record::now_ns();
  EXPECT_TRUE(add(pacer, now)->signalled());   // nothing is open: at once, in this thread
  EXPECT_EQ(threads.at(0), std::this_thread::get_id());
  auto later = add(pacer, now + 20 * kMs);
  EXPECT_TRUE(add(pacer, now - 1)->wait().ok());
  EXPECT_TRUE(later->wait().ok());
  std::lock_guard lock(mutex);
  EXPECT_EQ(ends, (std::vector<int64_t>{now, now - 1, now + 20 * kMs}));
}

TEST_F(PacerTest, without_pacing_everything_is_signalled_at_once) {
  closing = true;   // ends are in the future
  Pacer pacer(false, finisher());
  EXPECT_TRUE(add(pacer, trace::record::now_ns() + kHour)->signalled());
}

}  // namespace
}  // namespace lanewise::runtime::sim_driver
