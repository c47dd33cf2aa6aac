// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/event.h"

#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lanewise::trace::record {
namespace {

TEST(EventTest, EveryKindHasItsOwnName) {
  std::set<std::string_view> names;
  for (int k = 0; k < kEventKindCount; ++k) names.insert(event_kind_name(static_cast<EventKind>(k)));
  EXPECT_EQ(names.size(), static_cast<size_t>(kEventKindCount));
  EXPECT_EQ(event_kind_name(EventKind::nrt_tensor_allocate), "nrt_tensor_allocate");
  EXPECT_EQ(event_kind_name(EventKind::nrta_execute_schedule), "nrta_execute_schedule");
  EXPECT_EQ(event_kind_name(EventKind::host_fallback), "host_fallback");
  EXPECT_EQ(event_kind_name(EventKind::nc_exec_running), "nc_exec_running");
  EXPECT_EQ(event_kind_name(EventKind::sim_lag), "sim_lag");
}

TEST(EventTest, TextsKeepTheirIds) {
  EXPECT_EQ(intern(""), 0u);
  EXPECT_EQ(interned(0), "");
  const uint32_t mul = intern("aten::mul");
  EXPECT_NE(mul, 0u);
  EXPECT_EQ(intern(std::string("aten::") + "mul"), mul);
  EXPECT_NE(intern("aten::add"), mul);
  EXPECT_EQ(interned(mul), "aten::mul");
  EXPECT_EQ(interned(4'000'000'000u), "");
}

TEST(EventTest, ThreadsAgreeOnIds) {
  constexpr int kThreads = 4, kTexts = 3000;
  std::vector<std::vector<uint32_t>> ids(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&ids, t] {
      for (int i = 0; i < kTexts; ++i) ids[t].push_back(intern("shared name " + std::to_string(i)));
    });
  }
  for (auto& t : threads) t.join();
  for (int i = 0; i < kTexts; ++i) {
    EXPECT_EQ(interned(ids[0][i]), "shared name " + std::to_string(i));
    for (int t = 1; t < kThreads; ++t) EXPECT_EQ(ids[t][i], ids[0][i]);
  }
}

TEST(EventTest, LaunchIdsRise) {
  const uint64_t first = new_launch_id();
  EXPECT_GT(first, 0u);
  EXPECT_EQ(new_launch_id(), first + 1);
  EXPECT_EQ(last_launch_id(), first + 1);
}

}  // namespace
}  // namespace lanewise::trace::record
