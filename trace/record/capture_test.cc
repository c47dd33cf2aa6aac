// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/capture.h"

#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/record/record_fixture.h"

namespace lanewise::trace::record {
namespace {

TEST(CaptureTest, NothingIsKeptWhenNoneIsOn) {
  emit(runtime_event(0, new_launch_id()));
  EXPECT_EQ(active_capture(), nullptr);
  auto capture = start_capture(in_memory());
  EXPECT_EQ(active_capture(), capture);
  CaptureResult result = capture->stop();
  emit(runtime_event(0, new_launch_id()));
  EXPECT_TRUE(result.events.empty());
  EXPECT_EQ(active_capture(), nullptr);
  EXPECT_FALSE(capture_on());
}

TEST(CaptureTest, ASecondStartIsRefused) {
  auto capture = start_capture(in_memory());
  auto second = Capture::start(in_memory(), Producer{});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), StatusCode::failed_precondition);
  EXPECT_TRUE(capture_on());
  (void)capture->stop();
  EXPECT_EQ(capture->stop().write_status.code(), StatusCode::failed_precondition);
  (void)start_capture(in_memory())->stop();
}

TEST(CaptureTest, BadOptionsAreNamed) {
  CaptureOptions options = in_memory();
  options.max_events_per_nc = 0;
  EXPECT_EQ(Capture::start(options, Producer{}).status().code(), StatusCode::invalid_argument);
  options = in_memory();
  options.cores = {0, -3};
  auto refused = Capture::start(options, Producer{});
  EXPECT_EQ(refused.status().code(), StatusCode::invalid_argument);
  EXPECT_NE(refused.status().message().find("-3"), std::string::npos);
  EXPECT_FALSE(capture_on());
}

TEST(CaptureTest, OnlyLaunchesSubmittedInsideTheWindow) {
  const uint64_t before = new_launch_id();
  auto capture = start_capture(in_memory());
  emit(hardware_event(0, before));   // finishes inside, was submitted before
  const uint64_t inside = new_launch_id();
  emit(runtime_event(0, inside));
  emit(hardware_event(0, inside));
  Event early = hardware_event(0, 0);
  early.kind = EventKind::sim_lag;
  early.start_ns -= 1'000'000'000;
  emit(early);
  CaptureResult result = capture->stop();
  ASSERT_EQ(result.events.size(), 2u);
  EXPECT_EQ(result.events[0].launch_id, inside);
  EXPECT_EQ(result.events[1].launch_id, inside);
  EXPECT_EQ(result.open_launches, 0u);
}

TEST(CaptureTest, OpenLaunchesAreCounted) {
  auto capture = start_capture(in_memory());
  for (int i = 0; i < 3; ++i) {
    const uint64_t id = new_launch_id();
    emit(runtime_event(i % 2, id));
    if (i == 0) emit(hardware_event(0, id));
  }
  EXPECT_EQ(capture->stop().open_launches, 2u);
}

TEST(CaptureTest, AFullRingKeepsTheNewestAndCounts) {
  CaptureOptions options = in_memory();
  options.max_events_per_nc = 1000;
  auto capture = start_capture(options);
  for (uint64_t i = 0; i < 2500; ++i) {
    Event e = runtime_event(0, 0);
    e.bytes = static_cast<int64_t>(i);
    emit(e);
    if (i < 10) emit(runtime_event(1, 0));   // another core has its own ring
  }
  CaptureResult result = capture->stop();
  EXPECT_EQ(result.dropped, 1500u);
  std::vector<int64_t> seen;
  size_t other = 0;
  for (const Event& e : result.events) {
    if (e.nc == 0) seen.push_back(e.bytes);
    other += e.nc == 1;
  }
  EXPECT_EQ(other, 10u);
  ASSERT_EQ(seen.size(), 1000u);
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<int64_t>(1500 + i));
}

TEST(CaptureTest, CoreFilter) {
  CaptureOptions options = in_memory();
  options.cores = {1, 3};
  auto capture = start_capture(options);
  for (uint16_t nc = 0; nc < 5; ++nc) emit(runtime_event(nc, new_launch_id()));
  emit(runtime_event(60000, new_launch_id()));
  CaptureResult result = capture->stop();
  ASSERT_EQ(result.events.size(), 2u);
  EXPECT_EQ(result.events[0].nc, 1);
  EXPECT_EQ(result.events[1].nc, 3);
  EXPECT_EQ(result.dropped, 0u);
}

TEST(CaptureTest, ACoreBeyondTheLimitCountsAsDropped) {
  auto capture = start_capture(in_memory());
  emit(runtime_event(60000, 0));
  CaptureResult result = capture->stop();
  EXPECT_TRUE(result.events.empty());
  EXPECT_EQ(result.dropped, 1u);
}

TEST(CaptureTest, ThreadsEmitWhileItStops) {
  constexpr int kThreads = 3;
  std::atomic<bool> go{true};
  std::vector<std::thread> threads;
  auto capture = start_capture(in_memory());
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&go, t] {
      int64_t n = 0;
      while (go) {
        Event e = runtime_event(static_cast<uint16_t>(t % 2), 0);
        e.bytes = n++;
        e.stream = static_cast<uint16_t>(t);
        emit(e);
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CaptureResult result = capture->stop();
  go = false;
  for (auto& t : threads) t.join();
  // Of each thread an unbroken run from its first event in the window.
  std::vector<int64_t> last(kThreads, -1);
  int64_t end = 0;
  for (const Event& e : result.events) {
    EXPECT_GE(e.end_ns, end);
    end = e.end_ns;
    if (last[e.stream] >= 0) {
      EXPECT_EQ(e.bytes, last[e.stream] + 1);
    }
    last[e.stream] = e.bytes;
  }
  EXPECT_GT(result.events.size(), 0u);
  EXPECT_EQ(result.dropped, 0u);
}

TEST(CaptureTest, AForkedChildRecordsNothingAndMayStartItsOwn) {
  auto capture = start_capture(in_memory());
  emit(runtime_event(0, new_launch_id()));
  const pid_t child = fork();
  if (child == 0) {
    if (capture_on()) _exit(1);
    emit(runtime_event(0, new_launch_id()));
    if (capture->stop().write_status.code() != StatusCode::failed_precondition) _exit(2);
    capture.reset();
    auto own = Capture::start(in_memory(), Producer{});
    if (!own.ok()) _exit(3);
    emit(runtime_event(0, new_launch_id()));
    if ((*own)->stop().events.size() != 1) _exit(4);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(capture->stop().events.size(), 1u);
}

}  // namespace
}  // namespace lanewise::trace::record
