// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/clock.h"

#include <gtest/gtest.h>

#include <chrono>

namespace lanewise::trace::record {
namespace {

int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

TEST(Clock, shows_wall_time) {
  const int64_t before = wall_ns(), now = now_ns(), after = wall_ns();
  EXPECT_GE(now, before - 1'000'000);
  EXPECT_LE(now, after + 1'000'000);
}

TEST(Clock, follows_a_step_of_the_wall_clock_only_when_asked) {
  EXPECT_FALSE(follow_wall_clock());
  internal::shift_clock(3'600'000'000'000);
  EXPECT_GT(now_ns(), wall_ns() + 3'500'000'000'000);
  EXPECT_TRUE(follow_wall_clock());
  EXPECT_LE(now_ns(), wall_ns() + 1'000'000);
}

}  // namespace
}  // namespace lanewise::trace::record
