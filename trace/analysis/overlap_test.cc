// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/overlap.h"

#include "trace/analysis/analysis_fixture.h"

namespace lanewise::trace::analysis {
namespace {

TEST(Overlap, CommunicationIsHiddenWhereAKernelRuns) {
  TraceText t;
  t.slice("user_annotation", "ProfilerStep#1", "1", "1", 0, 60).slice("user_annotation", "ProfilerStep#2", "1", "1", 60, 60);
  t.kernel("gemm", 0, 40, 1, 7).kernel("ncclDevKernel_AllReduce", 30, 70, 2, 9).kernel("gemm", 65, 75, 3, 7);
  t.kernel("ncclDevKernel_AllReduce", 80, 90, 4, 9);
  t.slice("gpu_memcpy", "Memcpy HtoD", "0", "8", 50, 10, "\"device\":0,\"stream\":8");
  const auto tables = overlap_tables(*open_model(t));
  ASSERT_TRUE(tables.ok());
  const Table& devices = (*tables)[0];
  EXPECT_EQ(devices["compute_ns"].integers[0], 50000);
  EXPECT_EQ(devices["communication_ns"].integers[0], 50000);
  EXPECT_EQ(devices["hidden_ns"].integers[0], 15000);
  EXPECT_EQ(devices["exposed_ns"].integers[0], 35000);  // the copy hides nothing
  EXPECT_DOUBLE_EQ(devices["hidden_share"].reals[0], 30.0);
  EXPECT_EQ(devices["copy_ns"].integers[0], 10000);
  const Table& rows = (*tables)[1];
  ASSERT_EQ(rows.rows(), 1u);
  EXPECT_EQ(rows["calls"].integers[0], 2);
  EXPECT_EQ(rows["longest_exposed_ns"].integers[0], 25000);
  const Table& steps = (*tables)[2];
  ASSERT_EQ(steps.rows(), 2u);
  EXPECT_EQ(steps["exposed_ns"].integers[0], 20000);  // 40 to 60
  EXPECT_EQ(steps["hidden_ns"].integers[1], 5000);
  EXPECT_EQ(steps["exposed_ns"].integers[1], 15000);  // 60 to 65, 80 to 90
}

TEST_F(SharedTraces, RealFilesAddUp) {
  int64_t with_communication = 0;
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    const auto filter = Filter::make(*model, {});
    for (const DeviceOverlap& own : find_overlap(*model, *filter)) {
      with_communication += !own.communication.empty();
      Intervals either = own.compute;
      either.insert(either.end(), own.communication.begin(), own.communication.end());
      EXPECT_EQ(length_of(join_intervals(either)), length_of(own.compute) + length_of(own.communication) - own.hidden_ns());
    }
  }
  EXPECT_GE(with_communication, 4);
}

}  // namespace
}  // namespace lanewise::trace::analysis
