// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/dma/rings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace lanewise::sim::dma {
namespace {

const machine::Machine& trn2() {
  static const machine::Machine m = machine::load_machine("trn2").value();
  return m;
}
double ns(Picos t) { return static_cast<double>(t.value) / 1000; }

std::vector<DescriptorRun> play(Rings& rings) {
  std::vector<DescriptorRun> runs;
  while (rings.next() < Picos(INT64_MAX)) rings.advance(rings.next(), &runs);
  return runs;
}
Rings::Others none() {
  return [] { return 0; };
}
machine::Machine with(const std::string& spec) { return machine::load_machine("trn2," + spec).value(); }

TEST(Rings, DescriptorsOf4000BytesStartEvery152Nanoseconds) {
  Rings rings(trn2(), 16, none());
  Descriptor d;
  d.bytes = 4000;
  rings.add(0, 0, Picos(1'000'000), {d, d, d});
  const auto runs = play(rings);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_NEAR(ns(runs[1].start - runs[0].start), 151.8, 1.2);
  EXPECT_NEAR(ns(runs[2].start - runs[1].start), 151.8, 1.2);
  EXPECT_NEAR(ns(runs[2].read - runs[2].start), 154.7, 1.2);
  EXPECT_EQ(runs[2].visible, Picos(-1));
}

TEST(Rings, TwoRingsTakeTurns) {
  Rings rings(trn2(), 16, none());
  Descriptor a, b;
  a.bytes = b.bytes = 512;
  a.tag = 1, b.tag = 2;
  rings.add(3, 0, Picos(1'000'000), {a, a});
  rings.add(3, 1, Picos(1'000'000), {b, b});
  const auto runs = play(rings);
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_NE(runs[0].tag, runs[1].tag);
  EXPECT_EQ(runs[0].tag, runs[2].tag);
}

TEST(Rings, SemaphoresOfAnEngineCompleteOneAfterAnother) {
  Rings rings(trn2(), 16, none());
  Descriptor d;
  d.bytes = 4100;
  d.semaphore = true;
  rings.add(0, 0, Picos(1'000'000), {d, d, d, d});
  const auto runs = play(rings);
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_NEAR(ns(runs[3].complete - runs[2].complete), 184, 2);   // captured 183 to 186
  EXPECT_EQ(runs[3].visible, runs[3].complete - Picos(trn2().dma.visible_before_complete_ps));
}

TEST(Rings, DeviceMemoryThatOthersUseHoldsBackTheNextStartNotTheReading) {
  Rings free(trn2(), 16, none()), shared(trn2(), 16, [] { return 16; });
  Descriptor d;
  d.bytes = 4096;
  d.read_run = 512;
  for (Rings* r : {&free, &shared}) r->add(0, 0, Picos(1'000'000), {d, d});
  const auto a = play(free), b = play(shared);
  EXPECT_EQ(a[0].read - a[0].start, b[0].read - b[0].start);
  EXPECT_GT(b[1].start - b[0].start, (a[1].start - a[0].start) + Picos(100'000));
  Rings contiguous(trn2(), 16, [] { return 15; });
  d.read_run = 4096;
  contiguous.add(0, 0, Picos(1'000'000), {d, d});
  const auto c = play(contiguous);
  EXPECT_EQ(c[1].start - c[0].start, a[1].start - a[0].start);   // captured: 16 engines as fast as one
}

TEST(Rings, NewPagesAreServedOneEngineAfterTheOther) {
  const auto twice = with("dma.page_ps=14000");
  Descriptor d;
  d.bytes = 4000;
  d.read_run = 4000;
  Picos last[3];
  int n = 0;
  for (const int64_t pages : {0, 2, 2}) {
    const machine::Machine& m = n == 2 ? twice : trn2();
    Rings rings(m, 16, none());
    d.new_pages = pages;
    for (int e = 0; e < 8; ++e) rings.add(e, 0, Picos(1'000'000), {d});
    const auto runs = play(rings);
    ASSERT_EQ(runs.size(), 8u);
    for (const auto& r : runs) last[n] = std::max(last[n], r.start);
    EXPECT_EQ(runs[0].read - runs[0].start, runs[7].read - runs[7].start);
    ++n;
  }
  EXPECT_GT(last[1], last[0]);
  EXPECT_GE(last[2] - last[1], Picos(14'000));   // its own two pages at least
}

TEST(Rings, WhatStartsBehindACastWaitsForIt) {
  Rings rings(trn2(), 16, none()), alone(trn2(), 16, none());
  Descriptor cast, plain;
  cast.bytes = 256, cast.cast_from = 128, cast.tag = 1;
  plain.bytes = 2308, plain.tag = 2;
  rings.add(0, 0, Picos(1'000'000), {cast, plain});
  alone.add(0, 0, Picos(1'000'000), {plain});
  const auto runs = play(rings), one = play(alone);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_NEAR(ns(runs[0].read - runs[0].start), 31.8, 1.2);
  EXPECT_NEAR(ns(runs[1].start - runs[0].start), 8.2, 1.3);   // captured
  EXPECT_NEAR(ns(runs[1].read - runs[1].start), 111.8, 2.4);   // captured; alone 94
  EXPECT_LT(one[0].read - one[0].start, runs[1].read - runs[1].start);
  EXPECT_GT(runs[1].read, runs[0].read);
}

TEST(Rings, BehindALateSemaphoreOthersCompleteAtTheRetireRate) {
  const auto slow = with("dma.retire_bytes_per_cycle=128");
  Descriptor told, d;
  told.bytes = 4004, told.semaphore = true;
  d.bytes = 4000;
  Rings a(trn2(), 16, none()), b(slow, 16, none());
  for (Rings* r : {&a, &b}) r->add(0, 0, Picos(1'000'000), {told, d});
  const auto fast = play(a), late = play(b);
  EXPECT_NEAR(ns(fast[1].complete - fast[0].complete), 18.8, 1.2);   // captured
  EXPECT_NEAR(ns(late[1].complete - late[0].complete), 37.6, 2.4);
}

TEST(Rings, ShortRowsSlowAnEngineOnceItsWritingIsBehind) {
  const auto even = with("dma.write_run_cycles=0");
  Descriptor d;
  d.bytes = 4100;
  d.semaphore = true;
  d.write_run = 512;
  Rings a(trn2(), 16, none()), b(even, 16, none());
  for (Rings* r : {&a, &b}) r->add(0, 0, Picos(1'000'000), std::vector<Descriptor>(20, d));
  const auto rows = play(a), none = play(b);
  EXPECT_NEAR(ns(rows[1].start - rows[0].start), 156.5, 1.2);
  EXPECT_NEAR(ns(rows[19].start - rows[18].start), 174.1, 2.4);   // captured
  EXPECT_NEAR(ns(none[19].start - none[18].start), 156.5, 1.2);
}

TEST(Rings, EnginesThatReadSbufShareAPath) {
  const auto narrow = with("dma.path_write_bytes_per_second=201800000000");
  Descriptor d;
  d.bytes = 4096;
  Picos read[2];
  int n = 0;
  for (const machine::Machine* m : {&trn2(), &narrow}) {
    Rings rings(*m, 16, none());
    for (int e = 0; e < 16; ++e) rings.add(e, 0, Picos(1'000'000), std::vector<Descriptor>(8, d));
    for (const auto& r : play(rings)) read[n] = std::max(read[n], r.read);
    ++n;
  }
  EXPECT_GT(read[1] - read[0], Picos(500'000));
}

}  // namespace
}  // namespace lanewise::sim::dma
