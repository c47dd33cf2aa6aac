// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Against single figures of public captures (docs/formats/ntff.md, "Real captures").
#include "sim/unit/pe/steps.h"

#include <gtest/gtest.h>

namespace lanewise::sim::pe {
namespace {

const machine::Machine& trn2() {
  static const machine::Machine m = machine::load_machine("trn2").value();
  return m;
}

double ns(Picos t) { return static_cast<double>(t.value) / 1000; }

TEST(Limiter, ReleasesAfterABusyWindowInTheMiddleOfAnInstruction) {
  Limiter limiter(trn2(), Picos(0));
  const Picos window(trn2().pe.throttle_window_ps);
  EXPECT_TRUE(limiter.limited(Picos(0)));
  // 8192 cycles at half clock take two windows; the first is fully busy, so the rest runs at full clock.
  const Picos end = limiter.run(Picos(0), Cycles(8192));
  EXPECT_NEAR(ns(end), ns(window) * 1.5, 2);
  EXPECT_FALSE(limiter.limited(end));
}

TEST(Limiter, EngagesAfterAnIdleWindowAndNotBeforeItsEnd) {
  Limiter limiter(trn2(), Picos(0));
  const Picos window(trn2().pe.throttle_window_ps);
  limiter.run(Picos(0), Cycles(8192));
  EXPECT_FALSE(limiter.limited(window + window - Picos(1)));
  EXPECT_TRUE(limiter.limited(window * 3));
}

TEST(Limiter, HalfBusyWindowsChangeNothing) {
  Limiter limiter(trn2(), Picos(0));
  const Picos window(trn2().pe.throttle_window_ps);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(limiter.limited(window * i));
    limiter.run(window * i, Cycles(2048));   // half of the window at half clock
  }
}

TEST(Steps, DenseColumnsAtHalfClock) {
  Steps steps(trn2(), Picos(0));
  StepRun last{}, before{};
  for (int i = 0; i < 4; ++i) {
    steps.load({128, 4, false, false}, Picos(0));
    before = last;
    last = steps.columns({420, 4}, Picos(0));
  }
  EXPECT_TRUE(last.limited);
  EXPECT_NEAR(ns(last.begin - before.begin), 700, 1);      // captured 700.0
  EXPECT_NEAR(ns(last.end - last.begin), 904.2, 904 * 0.01);
}

TEST(Steps, ShortPairOfFp16AloneAtHalfClock) {
  Steps steps(trn2(), Picos(0));
  const StepRun load = steps.load({128, 2, false, false}, Picos(0));
  const StepRun columns = steps.columns({128, 2}, Picos(0));
  EXPECT_NEAR(ns(load.end - load.begin), 104.2, 104 * 0.07);   // the pipeline is fitted to fp32 and fp16 alike
  EXPECT_NEAR(ns(columns.end - load.begin), 293.4, 293 * 0.03);
}

TEST(Steps, StridedWeightsLoadAtTheMemorysPace) {
  Steps steps(trn2(), Picos(0));
  const StepRun load = steps.load({128, 2, false, true}, Picos(0));
  EXPECT_NEAR(ns(load.end - load.begin), 137, 137 * 0.05);
}

}  // namespace
}  // namespace lanewise::sim::pe
