// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/trace_info.h"

#include <gtest/gtest.h>

#include "trace/record/proto_wire.h"

namespace lanewise::trace::record {
namespace {

TraceInfo full_info() {
  TraceInfo i;
  i.complete = true;
  i.producer = {"trn1", "trn1,hbm=2", "sim", "comp", "2.14.0", 15'000, 330'000};
  i.instance_id = "i-0123456789abcdef0";
  i.host_name = "box";
  i.pid = 4242;
  i.start_ns = 1'790'000'000'000'000'001;
  i.stop_ns = i.start_ns + 5;
  i.clocks = {{1, 2, 3}, {4, 5, 6}};
  i.cores = {{7, {100, 20, 30, 29, 1000, 2000}}};
  i.cores[0].counters.lost_begin_ns = 1000;
  i.dropped = 20;
  i.open_launches = 1;
  i.options.device = false;
  i.options.cpu_util = true;
  i.options.correlate_device_time = false;
  i.options.precache_node_info = false;
  i.options.max_events_per_nc = 500'000;
  i.options.cores = {0, 7};
  i.options.profile_output_dir = "./out";
  i.options.neff_cache_dir = "/cache";
  i.programs = {{0x7fffffffffffffffull, 7, 1, 99, "mul", "neff_1_vnc_7.neff", "1_instid_1_vnc_7.ntff", true}};
  i.problems = {"resource_exhausted: no room"};
  return i;
}

TEST(TraceInfoTest, EveryFieldComesBack) {
  const TraceInfo i = full_info();
  TraceInfo b;
  const Status status = read_trace_info(write_trace_info(i), &b);
  ASSERT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(b.version, kTraceInfoVersion);
  EXPECT_TRUE(b.complete);
  EXPECT_EQ(b.producer.machine_preset, "trn1");
  EXPECT_EQ(b.producer.machine_spec, "trn1,hbm=2");
  EXPECT_EQ(b.producer.simulator_version, "sim");
  EXPECT_EQ(b.producer.compiler_version, "comp");
  EXPECT_EQ(b.producer.torch_version, "2.14.0");
  EXPECT_EQ(b.producer.exec_overhead_ns, 15'000);
  EXPECT_EQ(b.producer.device_capture_overhead_ns, 330'000);
  EXPECT_EQ(b.instance_id, i.instance_id);
  EXPECT_EQ(b.host_name, "box");
  EXPECT_EQ(b.pid, 4242);
  EXPECT_EQ(b.start_ns, i.start_ns);
  EXPECT_EQ(b.stop_ns, i.stop_ns);
  ASSERT_EQ(b.clocks.size(), 2u);
  EXPECT_EQ(b.clocks[1].monotonic_ns, 5);
  EXPECT_EQ(b.clocks[1].boottime_ns, 6);
  ASSERT_EQ(b.cores.size(), 1u);
  EXPECT_EQ(b.cores[0].nc, 7);
  EXPECT_EQ(b.cores[0].counters.pushed, 100u);
  EXPECT_EQ(b.cores[0].counters.overwritten, 20u);
  EXPECT_EQ(b.cores[0].counters.launches_submitted, 30u);
  EXPECT_EQ(b.cores[0].counters.launches_finished, 29u);
  EXPECT_EQ(b.cores[0].counters.lost_begin_ns, 1000);
  EXPECT_EQ(b.cores[0].counters.lost_end_ns, 2000);
  EXPECT_EQ(b.dropped, 20u);
  EXPECT_EQ(b.open_launches, 1u);
  EXPECT_FALSE(b.options.device);
  EXPECT_TRUE(b.options.runtime);
  EXPECT_TRUE(b.options.cpu_util);
  EXPECT_FALSE(b.options.host_memory);
  EXPECT_FALSE(b.options.correlate_device_time);
  EXPECT_FALSE(b.options.precache_node_info);
  EXPECT_EQ(b.options.max_events_per_nc, 500'000u);
  EXPECT_EQ(b.options.cores, i.options.cores);
  EXPECT_EQ(b.options.profile_output_dir, "./out");
  EXPECT_EQ(b.options.neff_cache_dir, "/cache");
  EXPECT_EQ(b.programs, i.programs);
  EXPECT_EQ(b.problems, i.problems);
}

TEST(TraceInfoTest, ACutKeepsWhatWasRead) {
  const std::string bytes = write_trace_info(full_info());
  TraceInfo b;
  const Status status = read_trace_info(std::string_view(bytes).substr(0, bytes.size() - 3), &b);
  EXPECT_EQ(status.code(), StatusCode::data_loss);
  EXPECT_NE(status.message().find("byte"), std::string::npos);
  EXPECT_EQ(b.programs.size(), 1u);
  EXPECT_TRUE(b.problems.empty());
}

TEST(TraceInfoTest, OtherProducersAndNewerVersionsAreRefused) {
  TraceInfo b;
  ProtoMessage other;
  other.uint(1, 1).text(2, "somebody else");
  EXPECT_EQ(read_trace_info(other.bytes(), &b).code(), StatusCode::data_loss);
  TraceInfo newer = full_info();
  newer.version = kTraceInfoVersion + 1;
  EXPECT_EQ(read_trace_info(write_trace_info(newer), &b).code(), StatusCode::unimplemented);
  ProtoMessage unknown_field;
  unknown_field.text(900, "from the future");
  EXPECT_TRUE(read_trace_info(write_trace_info(full_info()) + std::string(unknown_field.bytes()), &b).ok());
}

}  // namespace
}  // namespace lanewise::trace::record
