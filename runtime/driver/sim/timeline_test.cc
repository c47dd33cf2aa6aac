// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/timeline.h"

#include <gtest/gtest.h>

namespace lanewise::runtime::sim_driver {
namespace {

machine::Machine machine() {
  machine::Machine m;
  m.host.link_latency_ns = 1000;
  m.host.h2d_bytes_per_second = 2'000'000'000;
  m.host.d2h_bytes_per_second = 1'000'000'000;
  m.host.launch_latency_ns = 300;
  m.host.exec_overhead_ns = 15'001;
  m.host.device_capture_overhead_ns = 385'000;
  m.host.overhead_before_percent = 60;
  m.dma.hbm_bytes_per_second = 4'000'000'000;
  m.sequencer.sync.trigger_ps = 100'000;
  m.dma.start_ps = 200'000;
  m.dma.drain_ps = 50'000;
  m.dma.completion_ps = 150'001;
  return m;
}

TEST(Timeline, execution_starts_after_the_launch_latency_and_carries_its_overhead) {
  Timeline timeline(machine());
  int64_t queue = 0;
  ExecuteSpan span = timeline.execute(queue, 1'000'000, 2000, false);
  EXPECT_EQ(span.start_ns, 1'000'300);
  EXPECT_EQ(span.exec_before_ns, 9000);   // 60 % rounded down; the rest lies behind
  EXPECT_EQ(span.exec_after_ns, 6001);
  EXPECT_EQ(span.capture_before_ns, 0);
  EXPECT_EQ(span.capture_after_ns, 0);
  EXPECT_EQ(span.end_ns, span.start_ns + 15'001 + 2000);
  EXPECT_EQ(queue, span.end_ns);
}

TEST(Timeline, device_capture_adds_its_own_overhead) {
  Timeline timeline(machine());
  int64_t queue = 0;
  ExecuteSpan span = timeline.execute(queue, 0, 2000, true);
  EXPECT_EQ(span.capture_before_ns, 231'000);
  EXPECT_EQ(span.capture_after_ns, 154'000);
  EXPECT_EQ(span.end_ns - span.start_ns, 15'001 + 385'000 + 2000);
}

TEST(Timeline, queues_share_the_core) {
  Timeline timeline(machine());
  int64_t a = 0, b = 0;
  ExecuteSpan first = timeline.execute(a, 0, 1'000'000, false);
  ExecuteSpan second = timeline.execute(b, 10, 5, false);
  EXPECT_EQ(second.start_ns, first.end_ns);
}

TEST(Timeline, execution_waits_for_its_queue) {
  Timeline timeline(machine());
  int64_t queue = 5'000'000;   // a fence that it waited for ends there
  EXPECT_EQ(timeline.execute(queue, 0, 5, false).start_ns, 5'000'000);
}

TEST(Timeline, link_has_latency_and_bandwidth_each_way) {
  Timeline timeline(machine());
  int64_t queue = 0;
  Span up = timeline.transfer(queue, Timeline::Track::h2d, 0, 3001);
  EXPECT_EQ(up.start_ns, 0);
  EXPECT_EQ(up.end_ns, 1000 + 1501);   // 1500.5 rounded up once
  Span down = timeline.transfer(queue, Timeline::Track::d2h, 0, 3000);
  EXPECT_EQ(down.start_ns, up.end_ns);   // queue order
  EXPECT_EQ(down.end_ns - down.start_ns, 1000 + 3000);
}

TEST(Timeline, tracks_run_beside_each_other) {
  Timeline timeline(machine());
  int64_t a = 0, b = 0, c = 0, d = 0;
  Span up = timeline.transfer(a, Timeline::Track::h2d, 0, 1'000'000);
  EXPECT_EQ(timeline.transfer(b, Timeline::Track::d2h, 0, 8).start_ns, 0);
  EXPECT_EQ(timeline.execute(c, 0, 5, false).start_ns, 300);
  EXPECT_EQ(timeline.transfer(d, Timeline::Track::h2d, 0, 8).start_ns, up.end_ns);
}

TEST(Timeline, copies_inside_the_device_use_hbm_bandwidth) {
  Timeline timeline(machine());
  int64_t queue = 0;
  Span span = timeline.transfer(queue, Timeline::Track::hbm, 0, 8000);
  EXPECT_EQ(span.start_ns, 300);
  EXPECT_EQ(span.end_ns - span.start_ns, 501 + 2000);   // 500.001 rounded up
}

TEST(Timeline, large_copies_do_not_overflow) {
  Timeline timeline(machine());
  int64_t queue = 0;
  Span span = timeline.transfer(queue, Timeline::Track::d2h, 0, int64_t{1} << 40);
  EXPECT_EQ(span.end_ns - span.start_ns, 1000 + (int64_t{1} << 40));
}

TEST(Timeline, marker_is_the_device_time_of_the_queue) {
  Timeline timeline(machine());
  int64_t queue = 0;
  EXPECT_EQ(timeline.marker(queue, 700).start_ns, 700);
  ExecuteSpan span = timeline.execute(queue, 800, 5, false);
  Span marker = timeline.marker(queue, 900);
  EXPECT_EQ(marker.start_ns, span.end_ns);
  EXPECT_EQ(marker.end_ns, span.end_ns);
}

}  // namespace
}  // namespace lanewise::runtime::sim_driver
