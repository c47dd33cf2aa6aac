// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/program_cache.h"

#include <gtest/gtest.h>

#include "runtime/driver/sim/ring.h"

namespace lanewise::runtime::sim_driver {
namespace {

std::shared_ptr<SimExecutable> executable(uint64_t hash) {
  machine::Machine machine;
  machine.memory.sbuf_partition_bytes = 1024;
  isa::Program program;
  program.name = "empty";
  auto made = SimExecutable::make(program, {}, hash, 0, machine, [] { return Result<Nanos>(Nanos(1)); },
                                  [](int64_t) { return Result<std::shared_ptr<MemoryBlock>>(internal_error("unused")); });
  EXPECT_TRUE(made.ok()) << made.status().to_string();
  return *made;
}

TEST(TimingCache, forgets_the_least_recently_used) {
  TimingCache cache(2);
  cache.insert(1, Nanos(10));
  cache.insert(2, Nanos(20));
  EXPECT_EQ(cache.find(1)->value, 10);
  cache.insert(3, Nanos(30));
  EXPECT_FALSE(cache.find(2).has_value());
  EXPECT_EQ(cache.find(1)->value, 10);
  EXPECT_EQ(cache.find(3)->value, 30);
  cache.insert(3, Nanos(31));   // the same program takes the same time
  EXPECT_EQ(cache.find(3)->value, 30);
}

TEST(ProgramCache, keeps_the_recent_ones_alive) {
  ProgramCache cache(2);
  std::weak_ptr<SimExecutable> one = cache.insert(executable(1)), two = cache.insert(executable(2));
  EXPECT_NE(cache.find(1), nullptr);
  cache.insert(executable(3));
  EXPECT_FALSE(one.expired());
  EXPECT_TRUE(two.expired());
  EXPECT_EQ(cache.find(2), nullptr);
}

TEST(ProgramCache, same_hash_is_the_same_object_as_long_as_somebody_holds_it) {
  ProgramCache cache(1);
  auto one = cache.insert(executable(1));
  for (uint64_t hash = 2; hash < 300; ++hash) cache.insert(executable(hash));   // sweeps too
  EXPECT_EQ(cache.find(1), one);
  EXPECT_EQ(cache.insert(executable(1)), one);
  EXPECT_EQ(cache.find(299), nullptr);
}

TEST(ProgramCache, clear_lets_go_of_what_nobody_else_holds) {
  ProgramCache cache(8);
  auto held = cache.insert(executable(1));
  cache.insert(executable(2));
  cache.clear();
  EXPECT_EQ(cache.find(1), held);
  EXPECT_EQ(cache.find(2), nullptr);
  cache.insert(executable(2));
  EXPECT_NE(cache.find(2), nullptr);
}

TEST(Ring, keeps_order_and_numbers_while_it_grows) {
  Ring<int> ring;
  uint64_t next = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(ring.push(i), static_cast<uint64_t>(i));
    if (i % 3 != 0) continue;
    EXPECT_EQ(ring.pop(), static_cast<int>(next++));
  }
  EXPECT_EQ(ring.head(), next);
  EXPECT_EQ(ring.at(700), 700);
  while (!ring.empty()) EXPECT_EQ(ring.pop(), static_cast<int>(next++));
  EXPECT_EQ(next, 1000u);
}

}  // namespace
}  // namespace lanewise::runtime::sim_driver
