// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/launches.h"

#include "trace/analysis/analysis_fixture.h"

namespace lanewise::trace::analysis {
namespace {

const DeviceLaunches launches_of(const Model& model) {
  const auto filter = Filter::make(model, {});
  EXPECT_TRUE(filter.ok());
  auto found = find_launches(model, *filter);
  EXPECT_EQ(found.size(), 1u);
  return found.at(0);
}

TEST(Launches, LatencyIsQueueAndOwn) {
  TraceText t;
  t.call("cudaLaunchKernel", 0, 1, 1).call("cudaLaunchKernel", 10, 11, 2).call("cudaLaunchKernel", 20, 21, 3);
  t.kernel("a", 5, 50, 1).kernel("b", 50, 60, 2).kernel("c", 64, 70, 3, 8);
  const DeviceLaunches own = launches_of(*open_model(t));
  ASSERT_EQ(own.launches.size(), 3u);
  EXPECT_EQ(own.launches[0].latency_ns(), 5000);
  EXPECT_EQ(own.launches[0].queued_ns, 0);
  EXPECT_EQ(own.launches[0].depth, 0);
  EXPECT_EQ(own.launches[1].latency_ns(), 40000);
  EXPECT_EQ(own.launches[1].queued_ns, 40000);  // a ran until 50
  EXPECT_EQ(own.launches[1].depth, 1);
  EXPECT_EQ(own.launches[2].latency_ns(), 44000);
  EXPECT_EQ(own.launches[2].queued_ns, 0);      // nothing before it on its stream
  EXPECT_EQ(own.launches[2].depth, 2);
  EXPECT_TRUE(own.stretches.empty());
}

TEST(Launches, AGraphIsOneLaunchOfManyKernels) {
  TraceText t;
  t.call("cudaGraphLaunch", 0, 4, 9).kernel("k1", 10, 12, 9).kernel("k2", 15, 17, 9).kernel("k3", 20, 25, 9);
  const DeviceLaunches own = launches_of(*open_model(t));
  ASSERT_EQ(own.launches.size(), 1u);
  EXPECT_EQ(own.launches[0].device_events, 3u);
  EXPECT_EQ(own.launches[0].latency_ns(), 10000);
  EXPECT_EQ(own.launches[0].busy_ns, 9000);
  EXPECT_EQ(own.launches[0].end_ns - own.launches[0].start_ns, 15000);
}

// Ten launches, each found an empty queue; between each two kernels of 3 us the device waits 7 us.
TEST(Launches, AStretchInWhichTheDeviceWaitsForEachLaunch) {
  TraceText t;
  for (int i = 0; i < 10; ++i) {
    t.op("aten::add", i * 10, i * 10 + 9).call("cudaLaunchKernel", i * 10 + 1, i * 10 + 2, i + 1);
    t.kernel("k", i * 10 + 4, i * 10 + 7, i + 1);
  }
  const auto model = open_model(t);
  const DeviceLaunches own = launches_of(*model);
  ASSERT_EQ(own.stretches.size(), 1u);
  EXPECT_EQ(own.stretches[0].first, 0u);
  EXPECT_EQ(own.stretches[0].last, 9u);
  EXPECT_EQ(own.stretches[0].busy_ns, 30000);
  EXPECT_EQ(own.stretches[0].idle_ns, 63000);
  const auto tables = launches_tables(*model);
  ASSERT_TRUE(tables.ok());
  EXPECT_EQ((*tables)[1]["op"].texts[0], "aten::add");
  EXPECT_DOUBLE_EQ((*tables)[0]["empty_share"].reals[0], 100.0);
}

TEST(Launches, ADeepQueueEndsAStretch) {
  TraceText t;
  for (int i = 0; i < 8; ++i) {
    t.call("cudaLaunchKernel", i * 10 + 1, i * 10 + 2, i + 1).kernel("k", i * 10 + 4, i * 10 + 7, i + 1);
  }
  t.call("cudaLaunchKernel", 81, 82, 9).kernel("long", 84, 200, 9);
  t.call("cudaLaunchKernel", 90, 91, 10).kernel("queued", 200, 210, 10);
  const DeviceLaunches own = launches_of(*open_model(t));
  ASSERT_EQ(own.stretches.size(), 1u);
  EXPECT_EQ(own.stretches[0].last, 8u);
  EXPECT_EQ(own.launches[9].depth, 1);
}

TEST(Launches, AKernelBeforeItsCallIsEarlyAndInNoStatistic) {
  TraceText t;
  t.call("cudaLaunchKernel", 10, 11, 1).kernel("a", 5, 8, 1).call("cudaLaunchKernel", 20, 21, 2).kernel("b", 26, 28, 2);
  const auto tables = launches_tables(*open_model(t));
  ASSERT_TRUE(tables.ok());
  const Table& devices = (*tables)[0];
  EXPECT_EQ(devices["early"].integers[0], 1);
  EXPECT_EQ(devices["latency_median_ns"].integers[0], 6000);
  EXPECT_EQ(devices["latency_max_ns"].integers[0], 6000);
}

TEST_F(SharedTraces, EveryLinkedDeviceEventOfRealFilesIsBehindOneLaunch) {
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    int64_t linked = 0;
    for (const DeviceEvent& event : model->file(0).links.device_events) linked += static_cast<bool>(event.call);
    const auto filter = Filter::make(*model, {});
    int64_t behind = 0;
    for (const DeviceLaunches& own : find_launches(*model, *filter)) {
      for (const Launch& launch : own.launches) {
        behind += launch.device_events;
        EXPECT_GE(launch.depth, 0);
        EXPECT_LE(launch.busy_ns, launch.end_ns - launch.start_ns);
      }
      for (const Stretch& stretch : own.stretches) {
        EXPECT_GE(stretch.last - stretch.first + 1, kStretch);
        EXPECT_GE(stretch.idle_ns, 0);
      }
    }
    EXPECT_EQ(behind, linked);
  }
}

}  // namespace
}  // namespace lanewise::trace::analysis
