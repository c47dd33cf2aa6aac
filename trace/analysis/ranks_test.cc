// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/ranks.h"

#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/trace_on_disk.h"

namespace lanewise::trace::analysis {
namespace {

// A rank whose k-th all-reduce starts at starts[k]; all end together at 100 k + 90. `ahead`: how far its clock is ahead.
TraceText rank(int number, std::vector<int> starts, int ahead) {
  TraceText t;
  t.root = "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " + std::to_string(number) + ", \"world_size\": 2}, ";
  for (int k = 0; k < static_cast<int>(starts.size()); ++k) {
    t.slice("user_annotation", "ProfilerStep#" + std::to_string(k), "1", "1", 100 * k + ahead, 100);
    t.kernel("gemm", 100 * k + ahead, 100 * k + 20 + ahead, -1);
    const int start = starts[static_cast<size_t>(k)];
    t.kernel("ncclDevKernel_AllReduce", start + ahead, 100 * k + 90 + ahead, -1, 9);
  }
  return t;
}

TEST(Ranks, WhoComesLastAndWhatTheOthersWait) {
  const TraceOnDisk trace({rank(0, {40, 140, 240, 350}, 0), rank(1, {70, 170, 270, 330}, 1000)});
  const auto tables = ranks_tables(*trace.model);
  ASSERT_TRUE(tables.ok());
  const Table& ranks = (*tables)[0];
  ASSERT_EQ(ranks.rows(), 2u);
  EXPECT_EQ(ranks["skew_ns"].integers[1], 1000000);
  // Rank 0 waits 30 us in each of the first three, rank 1 waits 20 us in the last.
  EXPECT_EQ(ranks["wait_ns"].integers[0], 90000);
  EXPECT_EQ(ranks["wait_ns"].integers[1], 20000);
  EXPECT_EQ(ranks["waited_for_ns"].integers[1], 90000);
  EXPECT_EQ(ranks["last"].integers[0], 1);
  EXPECT_EQ(ranks["last"].integers[1], 3);
  EXPECT_EQ(ranks["straggler"].integers[0], 0);
  EXPECT_EQ(ranks["straggler"].integers[1], 1);
  EXPECT_EQ(ranks["late_ns"].integers[1], 22500);
  EXPECT_EQ(ranks["step_ns"].integers[0], 100000);
  EXPECT_EQ(ranks["compute_ns"].integers[0], 80000);
  const Table& collectives = (*tables)[1];
  ASSERT_EQ(collectives.rows(), 4u);
  EXPECT_EQ(collectives["last_rank"].integers[0], 1);
  EXPECT_EQ(collectives["spread_ns"].integers[0], 30000);
  EXPECT_EQ(collectives["work_ns"].integers[0], 20000);
  EXPECT_EQ(collectives["last_rank"].integers[3], 0);
}

TEST(Ranks, ACollectiveThatOneRankCalledLessOftenIsNotMatched) {
  const TraceOnDisk trace({rank(0, {40, 140}, 0), rank(1, {70}, 0)});
  const auto tables = ranks_tables(*trace.model);
  ASSERT_TRUE(tables.ok());
  EXPECT_EQ((*tables)[1].rows(), 0u);
  ASSERT_EQ((*tables)[2].rows(), 1u);
  EXPECT_EQ((*tables)[2]["counts"].texts[0], "0:2, 1:1");
}

TEST(Ranks, OneFileWaitsForNobody) {
  const TraceOnDisk trace(rank(0, {40, 140}, 0));
  const auto tables = ranks_tables(*trace.model);
  ASSERT_TRUE(tables.ok());
  EXPECT_EQ((*tables)[0].rows(), 1u);
  EXPECT_EQ((*tables)[1].rows(), 0u);
}

TEST(Ranks, TwoRealRanksOf128) {
  std::vector<std::string> two;
  for (const std::string& path : shared_traces()) {
    if (path.find("of_128") != std::string::npos) two.push_back(path);
  }
  if (two.size() != 2) GTEST_SKIP() << "skipped: the public trace files are not there; set LANEWISE_SHARED";
  auto session = session::Session::open(two);
  ASSERT_TRUE(session.ok());
  const auto tables = ranks_tables(*Model::build(*session));
  ASSERT_TRUE(tables.ok());
  const Table& ranks = (*tables)[0];
  ASSERT_EQ(ranks.rows(), 2u);
  EXPECT_EQ(ranks["rank"].integers[0], 0);
  EXPECT_EQ(ranks["rank"].integers[1], 1);
  int64_t waits = 0;
  for (const int64_t ns : (*tables)[1]["wait_ns"].integers) waits += ns;
  EXPECT_EQ(waits, ranks["wait_ns"].integers[0] + ranks["wait_ns"].integers[1]);
  EXPECT_GT((*tables)[1].rows() + (*tables)[2].rows(), 0u);
}

}  // namespace
}  // namespace lanewise::trace::analysis
