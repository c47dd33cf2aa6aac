// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a capture sees of the driver.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <latch>
#include <set>
#include <thread>

#include "runtime/driver/sim/sim_fixture.h"

namespace lanewise::runtime {
namespace {

using trace::record::Event;
using trace::record::EventKind;
using trace::record::intern;

using SimEvents = SimFixture;

TEST_F(SimEvents, launch_has_a_runtime_and_a_hardware_event) {
  open("", unpaced());
  auto program = prepare(1024);
  auto stream = take(device_->create_queue());
  auto keep = capture(false);
  auto fence = launch(program, *stream, {.external_id = 77, .name = intern("aten::mul.Tensor")});
  EXPECT_TRUE(stream->synchronize().ok());
  auto events = keep->stop().events;

  auto submits = of_kind(events, EventKind::nrta_execute_schedule), runs = of_kind(events, EventKind::nc_exec_running);
  ASSERT_EQ(submits.size(), 1u);
  ASSERT_EQ(runs.size(), 1u);
  const Event &submit = submits[0], &run = runs[0];
  EXPECT_NE(submit.launch_id, 0u);
  EXPECT_EQ(run.launch_id, submit.launch_id);
  EXPECT_EQ(run.external_id, 77u);
  EXPECT_EQ(submit.external_id, 77u);
  EXPECT_EQ(run.program_hash, program->hash());
  EXPECT_EQ(submit.program_hash, program->hash());
  EXPECT_EQ(trace::record::interned(submit.name), "aten::mul.Tensor");
  EXPECT_EQ(trace::record::interned(run.name), "copy_1024");
  EXPECT_EQ(submit.thread, static_cast<uint32_t>(gettid()));
  EXPECT_EQ(run.thread, 0u);
  for (const Event* event : {&submit, &run}) {
    EXPECT_EQ(event->nc, 0);
    EXPECT_EQ(event->stream, stream->id());
  }
  EXPECT_LE(submit.start_ns, submit.end_ns);
  EXPECT_EQ(run.start_ns, submit.start_ns + device_->machine().host.launch_latency_ns);
  EXPECT_EQ(run.start_ns, fence->start_ns());
  EXPECT_EQ(run.end_ns, fence->end_ns());

  auto synchronizes = of_kind(events, EventKind::nrt_synchronize);
  ASSERT_EQ(synchronizes.size(), 1u);
  EXPECT_EQ(synchronizes[0].stream, stream->id());
}

TEST_F(SimEvents, overheads_are_sub_intervals) {
  for (bool device_capture : {false, true}) {
    open("exec_overhead_ns=1000,device_capture_overhead_ns=20000", unpaced());
    auto program = prepare(1024);
    auto keep = capture(device_capture);
    auto fence = launch(program, *queue_);
    EXPECT_TRUE(queue_->synchronize().ok());
    auto runs = of_kind(keep->stop().events, EventKind::nc_exec_running);
    ASSERT_EQ(runs.size(), 1u);
    const Event& run = runs[0];
    const int64_t capture_ns = device_capture ? 20'000 : 0;
    EXPECT_EQ(run.exec_before_ns + run.exec_after_ns, 1000);
    EXPECT_EQ(run.capture_before_ns + run.capture_after_ns, capture_ns);
    EXPECT_GT(run.exec_before_ns, 0);
    EXPECT_EQ(run.end_ns - run.start_ns, 1000 + capture_ns + program->duration_ns());
  }
}

TEST_F(SimEvents, work_submitted_before_the_capture_leaves_no_rows) {
  open("", unpaced());
  auto program = prepare(1024);
  auto go = std::make_shared<std::latch>(1);
  (void)take(queue_->host_call([go] {
    go->wait();
    return ok_status();
  }));
  launch(program, *queue_);
  (void)take(queue_->fill(x_, 1, 4096, {}));
  auto keep = capture(true);
  auto inside = launch(program, *queue_);
  go->count_down();
  EXPECT_TRUE(device_->synchronize().ok());
  auto result = keep->stop();
  EXPECT_EQ(of_kind(result.events, EventKind::dma_fill).size(), 0u);
  auto runs = of_kind(result.events, EventKind::nc_exec_running);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].end_ns, inside->end_ns());
  EXPECT_EQ(result.open_launches, 0u);
  // The one before was not watched, so it did not pay for watching.
  EXPECT_GT(inside->end_ns() - inside->start_ns(), device_->machine().host.device_capture_overhead_ns);
}

TEST_F(SimEvents, copies_have_both_sides_and_their_bytes) {
  open("", unpaced());
  prepare(1024);
  std::vector<char> host(4096);
  auto keep = capture(false);
  (void)take(queue_->write(x_, host.data(), 4096, true, {.external_id = 1, .name = intern("aten::copy_")}));
  (void)take(queue_->copy(y_, x_, 2048, {.external_id = 2}));
  (void)take(queue_->fill(x_, 0, 1024, {.external_id = 3}));
  (void)take(queue_->read(host.data(), y_, 512, {.external_id = 4}));
  EXPECT_TRUE(queue_->synchronize().ok());
  auto events = keep->stop().events;
  struct Pair {
    EventKind host, device;
    int64_t bytes;
    uint64_t external_id;
  };
  std::set<uint64_t> ids;
  for (const Pair& pair : {Pair{EventKind::nrt_tensor_write, EventKind::dma_h2d, 4096, 1},
                           Pair{EventKind::nrt_tensor_copy, EventKind::dma_d2d, 2048, 2},
                           Pair{EventKind::nrt_tensor_copy, EventKind::dma_fill, 1024, 3},
                           Pair{EventKind::nrt_tensor_read, EventKind::dma_d2h, 512, 4}}) {
    auto device = of_kind(events, pair.device);
    ASSERT_EQ(device.size(), 1u);
    EXPECT_EQ(device[0].bytes, pair.bytes);
    EXPECT_EQ(device[0].external_id, pair.external_id);
    int matching = 0;
    for (const Event& event : of_kind(events, pair.host))
      if (event.launch_id == device[0].launch_id) {
        ++matching;
        EXPECT_EQ(event.bytes, pair.bytes);
        EXPECT_EQ(event.external_id, pair.external_id);
      }
    EXPECT_EQ(matching, 1);
    ids.insert(device[0].launch_id);
  }
  EXPECT_EQ(ids.size(), 4u);
}

TEST_F(SimEvents, load_is_an_event_once_per_device) {
  SimDriverOptions options = unpaced();
  options.devices = 2;
  open("", options);
  auto keep = capture(false);
  isa::Program program = copy_program(64, 0, 5000);
  auto executable = take(device_->load(program));
  (void)take(device_->load(program));
  (void)take(take(driver_->device(1))->load(program));
  auto loads = of_kind(keep->stop().events, EventKind::nrt_load);
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_EQ(loads[0].nc, 0);
  EXPECT_EQ(loads[1].nc, 1);
  EXPECT_EQ(loads[0].program_hash, executable->hash());
  EXPECT_EQ(loads[0].bytes, 5120);
  EXPECT_EQ(trace::record::interned(loads[0].name), "copy_64");
}

TEST_F(SimEvents, full_queue_is_an_event_inside_the_call) {
  SimDriverOptions options = unpaced();
  options.queue_depth = 2;
  open("", options);
  prepare(1024);
  auto keep = capture(false);
  auto go = std::make_shared<std::latch>(1);
  (void)take(queue_->host_call([go] {
    go->wait();
    return ok_status();
  }));
  (void)take(queue_->fill(x_, 0, 64, {}));
  std::thread opener([go] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    go->count_down();
  });
  (void)take(queue_->fill(x_, 1, 64, {.external_id = 9}));
  opener.join();
  EXPECT_TRUE(queue_->synchronize().ok());
  auto events = keep->stop().events;
  auto waits = of_kind(events, EventKind::queue_full);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].external_id, 9u);
  EXPECT_GT(waits[0].end_ns, waits[0].start_ns);
  bool inside = false, device = false;
  for (const Event& event : events) {
    if (event.launch_id != waits[0].launch_id) continue;
    if (event.kind == EventKind::nrt_tensor_copy)
      inside = event.start_ns <= waits[0].start_ns && waits[0].end_ns <= event.end_ns;
    // What waited for room was submitted when there was room.
    if (event.kind == EventKind::dma_fill) device = event.start_ns >= waits[0].end_ns;
  }
  EXPECT_TRUE(inside);
  EXPECT_TRUE(device);
}

TEST_F(SimEvents, refused_calls_leave_no_event) {
  open("", unpaced());
  auto program = prepare(1024);
  auto keep = capture(false);
  EXPECT_FALSE(queue_->execute({program, {x_}, {}, {}}).ok());
  EXPECT_FALSE(queue_->fill(1, 0, 64, {}).ok());
  EXPECT_TRUE(keep->stop().events.empty());
}

// Everything that the machine does takes no time, so the simulator is always behind.
TEST_F(SimEvents, lag_is_apart_from_device_time_and_never_overlaps) {
  open("exec_overhead_ns=0", unpaced());
  auto program = prepare(1 << 17);
  auto keep = capture(false);
  std::vector<std::shared_ptr<Fence>> fences;
  for (int i = 0; i < 20; ++i) fences.push_back(launch(program, *queue_));
  EXPECT_TRUE(queue_->synchronize().ok());
  auto events = keep->stop().events;
  for (auto& fence : fences) EXPECT_EQ(fence->end_ns() - fence->start_ns(), program->duration_ns());
  auto lags = of_kind(events, EventKind::sim_lag);
  auto runs = of_kind(events, EventKind::nc_exec_running);
  ASSERT_EQ(runs.size(), 20u);
  int64_t previous_end = 0;
  for (const Event& lag : lags) {
    EXPECT_GT(lag.end_ns, lag.start_ns);
    EXPECT_GE(lag.start_ns, previous_end);
    previous_end = lag.end_ns;
    bool found = false;
    for (const Event& run : runs)
      if (run.launch_id == lag.launch_id) found = lag.start_ns >= run.end_ns;
    EXPECT_TRUE(found);
  }
}

TEST_F(SimEvents, device_capture_stores_each_program_once) {
  open("", unpaced());
  auto program = prepare(1024);
  const auto folder = std::filesystem::temp_directory_path() / ("lw_sim_events_" + std::to_string(getpid()));
  trace::record::CaptureOptions options;
  options.profile_output_dir = folder;
  auto keep = take(trace::record::Capture::start(options, {}));
  for (int i = 0; i < 5; ++i) launch(program, *queue_);
  EXPECT_TRUE(queue_->synchronize().ok());
  auto result = keep->stop();
  EXPECT_TRUE(result.write_status.ok()) << result.write_status.to_string();
  int neff = 0, ntff = 0;
  for (const auto& file : std::filesystem::directory_iterator(result.directory)) {
    const std::string name = file.path().filename();
    if (name.find(std::to_string(program->hash())) == std::string::npos) continue;
    neff += name.ends_with(".neff");
    ntff += name.ends_with(".ntff");
  }
  EXPECT_EQ(neff, 1);
  EXPECT_EQ(ntff, 1);
  EXPECT_EQ(of_kind(result.events, EventKind::nc_exec_running).size(), 5u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lanewise::runtime
