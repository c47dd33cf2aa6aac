// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/pipeline.h"

#include <gtest/gtest.h>

namespace lanewise::sim::core {
namespace {

TEST(Pipeline, AloneTakesItsLatencyDenseOnesEndEveryBack) {
  Pipeline p;
  const Stages s{Picos(266), Picos(157), Picos(170), Picos(-1'000'000)};
  Picos begin, end, before;
  EXPECT_EQ(p.run(s, p.earliest(Picos(0))), Picos(266));
  for (int i = 0; i < 3; ++i) {
    begin = p.earliest(Picos(0));
    before = end;
    end = p.run(s, begin);
  }
  EXPECT_EQ(end - before, Picos(170));
  EXPECT_EQ(begin, Picos(3 * 157));
  EXPECT_EQ(end - begin, Picos(266 + 3 * 13));
}

TEST(Pipeline, RoomComesWithTheEndOfTheOneBefore) {
  Pipeline p;
  const Stages s{Picos(700), Picos(200), Picos(550), Picos(60)};
  p.run(s, Picos(0));                          // ends at 700
  EXPECT_EQ(p.run(s, p.earliest(Picos(0))), Picos(1250));
  EXPECT_EQ(p.earliest(Picos(0)), Picos(760));
}

}  // namespace
}  // namespace lanewise::sim::core
