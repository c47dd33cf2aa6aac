// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/dma/rings.h"

#include <gtest/gtest.h>

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
Rings::Slowdown none() {
  return [](int, const Descriptor&) { return 0.0; };
}

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

TEST(Rings, TheMemorysPaceHoldsBackTheNextStartNotTheReading) {
  Rings free(trn2(), 16, none()), slow(trn2(), 16, [](int, const Descriptor&) { return 2.0; });
  Descriptor d;
  d.bytes = 4096;
  d.read_run = 512;
  for (Rings* r : {&free, &slow}) r->add(0, 0, Picos(1'000'000), {d, d});
  const auto a = play(free), b = play(slow);
  EXPECT_EQ(a[0].read - a[0].start, b[0].read - b[0].start);
  EXPECT_GT(b[1].start - b[0].start, (a[1].start - a[0].start) + Picos(100'000));
}

}  // namespace
}  // namespace lanewise::sim::dma
