// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "lab/whatif.h"
#include "tests/device/captured.h"

namespace lanewise::test {
namespace {

TEST(WhatIf, TheSameMachineGivesTheCaptureAgain) {
  const auto c = capture_graph(rms_norm_graph(4, 512), "rms_norm");
  ASSERT_TRUE(c.ok()) << c.status().to_string();
  const auto captured = profile_of(rms_norm_graph(4, 512), "rms_norm");
  const auto again = lab::timed_profile(c->program, "trn2");
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  EXPECT_EQ(again->duration, captured->duration);
  EXPECT_EQ(again->instructions.size(), captured->instructions.size());
  EXPECT_EQ(again->semaphores.size(), captured->semaphores.size());
}

TEST(WhatIf, TheDifferencesOfThePartsAddUpToTheDifference) {
  const auto c = capture_graph(add_graph(1 << 22), "add");
  ASSERT_TRUE(c.ok());
  for (const char* spec : {"trn2,dma.hbm_bytes_per_second=184000000000", "trn2,dma.start_ps=0", "trn2,vector.clock_khz=480000", "trn2"}) {
    const auto result = lab::what_if(c->program, "trn2", spec);
    ASSERT_TRUE(result.ok()) << result.status().to_string();
    const auto& parts = result->tables[1];
    int64_t delta = 0;
    for (const int64_t d : parts["delta_ps"].integers) delta += d;
    EXPECT_EQ(delta, (result->after.duration - result->before.duration).value) << spec;
    EXPECT_FALSE(result->sentence.empty());
  }
}

TEST(WhatIf, HalfTheBandwidthOfAMemoryBoundProgramShowsInTheTransfers) {
  const auto c = capture_graph(add_graph(1 << 22), "add");
  ASSERT_TRUE(c.ok());
  const auto result = lab::what_if(c->program, "trn2", "trn2,dma.hbm_bytes_per_second=184000000000");
  ASSERT_TRUE(result.ok());
  EXPECT_GT(result->after.duration, result->before.duration);
  EXPECT_EQ(result->tables[1]["part"].texts[0], "DMA transfer");
}

TEST(WhatIf, AnUnknownNumberIsNamed) {
  const auto c = capture_graph(add_graph(4096), "add");
  ASSERT_TRUE(c.ok());
  const auto result = lab::what_if(c->program, "trn2", lab::changed_spec("trn2", "", {"dma.hbm=1"}));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("dma.hbm"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::test
