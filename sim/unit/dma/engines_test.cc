// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/dma/engines.h"

#include <gtest/gtest.h>

namespace lanewise::sim::dma {
namespace {

Transfer on(int engine, int64_t ps, int64_t hbm_bytes = 0) {
  Transfer t;
  t.busy_ps[static_cast<size_t>(engine)] = ps;
  t.hbm_bytes = hbm_bytes;
  return t;
}

std::vector<Finished> drain(Engines& e) {
  std::vector<Finished> f;
  while (e.next().value != INT64_MAX) e.advance(e.next(), &f);
  return f;
}

Engines free_of_memory() {
  machine::Machine m;
  return Engines(m, [](int64_t) { return int64_t{1} << 20; });
}

TEST(DmaEngines, OneTransferRunsAtFullRate) {
  Engines e = free_of_memory();
  e.add(0, Picos(500), on(3, 1000));
  const auto f = drain(e);
  ASSERT_EQ(f.size(), 1u);
  EXPECT_EQ(f[0].begin.value, 500);
  EXPECT_EQ(f[0].end.value, 1500);
}

TEST(DmaEngines, AQueueIsInOrderOnEachEngine) {
  Engines e = free_of_memory();
  e.add(0, Picos(0), on(0, 1000));
  e.add(0, Picos(0), on(0, 1000));
  e.add(0, Picos(0), on(1, 100));   // another engine is free
  const auto f = drain(e);
  ASSERT_EQ(f.size(), 3u);
  EXPECT_EQ(f[0].job, 2u);
  EXPECT_EQ(f[0].end.value, 100);
  EXPECT_EQ(f[1].end.value, 1000);
  EXPECT_EQ(f[2].begin.value, 1000);
  EXPECT_EQ(f[2].end.value, 2000);
}

TEST(DmaEngines, QueuesShareAnEngineEqually) {
  Engines e = free_of_memory();
  e.add(0, Picos(0), on(0, 1000));
  e.add(1, Picos(0), on(0, 3000));
  const auto f = drain(e);
  ASSERT_EQ(f.size(), 2u);
  EXPECT_NEAR(static_cast<double>(f[0].end.value), 2000, 2);
  EXPECT_NEAR(static_cast<double>(f[1].end.value), 4000, 4);   // alone after that: the engine never idles
}

TEST(DmaEngines, ASmallTransferDoesNotWaitForALargeOneOfAnotherQueue) {
  Engines e = free_of_memory();
  e.add(0, Picos(0), on(0, 1'000'000));
  e.add(1, Picos(10'000), on(0, 100));
  const auto f = drain(e);
  EXPECT_EQ(f[0].job, 1u);
  EXPECT_NEAR(static_cast<double>(f[0].end.value), 10'200, 2);
}

TEST(DmaEngines, DeviceMemorySlowsEverybodyDown) {
  machine::Machine m;
  // Half of what two engines at 1 byte per ps ask for.
  Engines e(m, [](int64_t demand) { return demand <= (1 << 20) ? int64_t{1} << 20 : (int64_t{1} << 40) / demand; });
  e.add(0, Picos(0), on(0, 1000, 1000));
  const auto alone = drain(e);
  EXPECT_EQ(alone[0].end.value, 1000);
  Transfer both;
  both.busy_ps[0] = both.busy_ps[1] = 1000;
  both.hbm_bytes = 2000;
  e.add(0, Picos(5000), both);
  const auto f = drain(e);
  EXPECT_NEAR(static_cast<double>(f[0].end.value), 7000, 4);
}

TEST(DmaEngines, ATransferIsFinishedWhenItsLastEngineIs) {
  Engines e = free_of_memory();
  Transfer t = on(0, 1000);
  t.busy_ps[5] = 4000;
  e.add(2, Picos(0), t);
  const auto f = drain(e);
  ASSERT_EQ(f.size(), 1u);
  EXPECT_EQ(f[0].end.value, 4000);
}

TEST(DmaEngines, ManyTransfersConserveWork) {
  Engines e = free_of_memory();
  int64_t work = 0;
  for (int i = 0; i < 500; ++i) {
    const int64_t ps = 100 + 37 * (i % 11);
    work += ps;
    e.add(i % 7, Picos(0), on(0, ps));
  }
  const auto f = drain(e);
  ASSERT_EQ(f.size(), 500u);
  EXPECT_GE(f.back().end.value, work);
  EXPECT_LE(f.back().end.value, work + 500 * 8);   // rounding of each step
}

}  // namespace
}  // namespace lanewise::sim::dma
