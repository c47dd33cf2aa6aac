// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/annotations.h"

#include "trace/analysis/analysis_fixture.h"

namespace lanewise::trace::analysis {
namespace {

TEST(Annotations, WorkBelongsToTheRangeThatAskedForIt) {
  TraceText t;
  t.slice("user_annotation", "outer", "1", "1", 0, 60).slice("user_annotation", "forward", "1", "1", 5, 20);
  t.op("aten::mul", 6, 15, "\"Sequence number\":5").call("cudaLaunchKernel", 7, 8, 1).kernel("k1", 100, 110, 1);
  t.op("aten::add", 30, 40).call("cudaLaunchKernel", 31, 32, 2).kernel("k2", 105, 125, 2, 8);
  // Backward, on another thread and outside of both ranges.
  t.slice("cpu_op", "MulBackward0", "1", "2", 70, 20, "\"Sequence number\":5,\"Fwd thread id\":1");
  t.call("cudaLaunchKernel", 75, 76, 3, "2").kernel("k3", 130, 137, 3);
  t.slice("gpu_user_annotation", "forward", "0", "7", 100, 10, "\"device\":0");
  const auto model = open_model(t);
  const auto tables = annotations_tables(*model);
  ASSERT_TRUE(tables.ok());
  const Table& rows = (*tables)[0];
  ASSERT_EQ(rows.rows(), 2u);
  EXPECT_EQ(rows["name"].texts[0], "outer");
  EXPECT_EQ(rows["kernels"].integers[0], 2);
  EXPECT_EQ(rows["device_ns"].integers[0], 30000);
  EXPECT_EQ(rows["busy_ns"].integers[0], 25000);
  EXPECT_EQ(rows["backward_ns"].integers[0], 7000);
  EXPECT_TRUE(rows.is_null(*rows.find("recorded_ns"), 0));
  EXPECT_EQ(rows["name"].texts[1], "forward");
  EXPECT_EQ(rows["kernels"].integers[1], 1);
  EXPECT_EQ(rows["device_ns"].integers[1], 10000);
  EXPECT_EQ(rows["backward_kernels"].integers[1], 1);
  EXPECT_EQ(rows["recorded_ns"].integers[1], 10000);
  const Table& ranges = (*tables)[1];
  ASSERT_EQ(ranges.rows(), 2u);
  EXPECT_EQ(ranges["device_start"].integers[0], 100000);
  EXPECT_EQ(ranges["device_end"].integers[0], 125000);
}

TEST_F(SharedTraces, NoRangeOfARealFileHoldsMoreThanAllDeviceWork) {
  int64_t with_work = 0;
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    int64_t all = 0;
    for (const DeviceEvent& event : model->file(0).links.device_events) all += event.end_ns - event.start_ns;
    const auto tables = annotations_tables(*model);
    ASSERT_TRUE(tables.ok());
    const Table& ranges = (*tables)[1];
    for (size_t row = 0; row < ranges.rows(); ++row) {
      with_work += ranges["kernels"].integers[row] > 0;
      EXPECT_LE(ranges["device_ns"].integers[row] + ranges["backward_ns"].integers[row], all);
      EXPECT_LE(ranges["busy_ns"].integers[row], ranges["device_ns"].integers[row]);
    }
  }
  EXPECT_GT(with_work, 50);
}

}  // namespace
}  // namespace lanewise::trace::analysis
