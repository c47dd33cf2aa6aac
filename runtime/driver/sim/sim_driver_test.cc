// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What is special to this driver; what every driver does is in runtime/conformance.
#include "runtime/driver/sim/sim_driver.h"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "runtime/driver/sim/sim_fixture.h"
#include "runtime/hal/caching_allocator.h"

namespace lanewise::runtime {
namespace {

using SimDriverTest = SimFixture;

constexpr int64_t kMiB = int64_t{1} << 20;

TEST_F(SimDriverTest, fence_is_signalled_no_earlier_than_its_end) {
  open("exec_overhead_ns=3000000");
  auto program = prepare(64);
  std::vector<std::shared_ptr<Fence>> fences;
  for (int i = 0; i < 5; ++i) fences.push_back(launch(program, *queue_));
  for (auto& fence : fences) {
    EXPECT_TRUE(fence->wait().ok());
    EXPECT_GE(trace::record::now_ns(), fence->end_ns());
    EXPECT_EQ(fence->end_ns() - fence->start_ns(), 3'000'000 + program->duration_ns());
  }
}

TEST_F(SimDriverTest, values_do_not_wait_for_the_pacing_of_earlier_work) {
  open("exec_overhead_ns=10000000000");   // 10 s, the most that a machine may have
  auto program = prepare(64);
  auto first = launch(program, *queue_), second = launch(program, *queue_);
  auto marker = take(queue_->marker());
  EXPECT_TRUE(marker->wait_planned(int64_t{60} * 1'000'000'000));
  EXPECT_EQ(marker->planned_end_ns(), second->planned_end_ns());
  EXPECT_FALSE(first->signalled());
  EXPECT_EQ(device_->launches_open(), 2);
  driver_.reset();   // does not take 20 s
  EXPECT_TRUE(first->wait().ok());
  EXPECT_TRUE(second->wait().ok());
}

TEST_F(SimDriverTest, another_device_starts_where_the_fence_ends_without_waiting_for_it) {
  SimDriverOptions options;
  options.devices = 2;
  open("exec_overhead_ns=10000000000", options);
  auto program = prepare(64);
  auto fence = launch(program, *queue_);
  Queue& second = take(driver_->device(1))->default_queue();
  EXPECT_TRUE(second.wait_for(fence).ok());
  auto marker = take(second.marker());
  EXPECT_TRUE(marker->wait_planned(int64_t{60} * 1'000'000'000));
  EXPECT_EQ(marker->planned_end_ns(), fence->planned_end_ns());
}

// Hangs for an hour if a step of the wall clock is taken for work of the device.
TEST_F(SimDriverTest, wall_clock_that_steps_back_stalls_nothing) {
  constexpr int64_t kHourNs = 3'600'000'000'000;
  open("exec_overhead_ns=1000000");
  auto program = prepare(64);
  auto before = launch(program, *queue_);
  trace::record::internal::shift_clock(-kHourNs);
  auto after = launch(program, *queue_);
  EXPECT_TRUE(after->wait().ok());
  EXPECT_LE(after->end_ns(), trace::record::now_ns());
  EXPECT_GE(after->start_ns(), before->end_ns() - kHourNs);   // still in order, on the new axis
  trace::record::internal::shift_clock(kHourNs);
  EXPECT_TRUE(take(queue_->marker())->wait().ok());
}

TEST_F(SimDriverTest, times_follow_the_machine) {
  auto measure = [&](const std::string& overrides, int64_t* h2d, int64_t* exec, int64_t* fill) {
    open(overrides, unpaced());
    auto program = prepare(65536);
    std::vector<char> host(262'144);
    auto write = take(queue_->write(x_, host.data(), 262'144, true, {}));
    auto run = launch(program, *queue_);
    auto set = take(queue_->fill(x_, 1, 262'144, {}));
    EXPECT_TRUE(queue_->synchronize().ok());
    *h2d = write->end_ns() - write->start_ns();
    *exec = run->end_ns() - run->start_ns();
    *fill = set->end_ns() - set->start_ns();
  };
  int64_t h2d[2], exec[2], fill[2];
  measure("host.h2d_bytes_per_second=1000000000,exec_overhead_ns=1000,dma.hbm_bytes_per_second=400000000000", &h2d[0],
          &exec[0], &fill[0]);
  measure("host.h2d_bytes_per_second=500000000,exec_overhead_ns=9000,dma.hbm_bytes_per_second=200000000000", &h2d[1],
          &exec[1], &fill[1]);
  EXPECT_EQ(h2d[1] - h2d[0], 262'144);
  EXPECT_GE(exec[1] - exec[0], 8000);
  EXPECT_NEAR(static_cast<double>(fill[1] - fill[0]), 655.36, 1);
}

TEST_F(SimDriverTest, same_program_takes_the_same_time_on_every_device_and_in_every_driver) {
  int64_t durations[3];
  for (int i = 0; i < 3; ++i) {
    SimDriverOptions options = unpaced();
    options.devices = 2;
    open("", options);
    durations[i] = take(take(driver_->device(i % 2))->load(copy_program(4096)))->duration_ns();
  }
  EXPECT_GT(durations[0], 0);
  EXPECT_EQ(durations[0], durations[1]);
  EXPECT_EQ(durations[0], durations[2]);
}

TEST_F(SimDriverTest, constants_take_device_memory_and_give_it_back) {
  open("", unpaced());
  const int64_t before = device_->memory().used;
  {
    auto loaded = take(device_->load(copy_program(64, 0, 5 * kMiB)));
    EXPECT_EQ(device_->memory().used, before + 5 * kMiB);
  }
  EXPECT_EQ(device_->memory().used, before + 5 * kMiB);   // kept for the next call
  EXPECT_TRUE(device_->allocate(60 * kMiB).ok());         // but not against a tensor
  EXPECT_EQ(device_->memory().used, before + 60 * kMiB);
}

TEST_F(SimDriverTest, scratch_is_shared_and_gives_way_when_it_is_idle) {
  open("", unpaced());
  prepare(64);
  const int64_t before = device_->memory().used;
  auto small = take(device_->load(copy_program(64, 10 * kMiB))), large = take(device_->load(copy_program(64, 20 * kMiB)));
  EXPECT_EQ(device_->memory().used, before);
  for (const auto& program : {small, large, small}) launch(program, *queue_);
  EXPECT_TRUE(queue_->synchronize().ok());
  EXPECT_TRUE(take(queue_->host_call([] { return ok_status(); }))->wait().ok());   // the last launch is let go
  EXPECT_EQ(device_->memory().used, before + 20 * kMiB);
  EXPECT_TRUE(device_->allocate(60 * kMiB).ok());
}

TEST_F(SimDriverTest, programs_get_memory_out_of_the_tensor_cache) {
  open("", unpaced());
  CachingAllocator allocator(*device_);
  x_ = y_ = take(device_->allocate(256));
  allocator.free(take(allocator.allocate(50 * kMiB, *queue_)));
  EXPECT_GE(device_->memory().used, 50 * kMiB);
  auto constant = take(device_->load(copy_program(64, 0, 30 * kMiB)));
  allocator.free(take(allocator.allocate(20 * kMiB, *queue_)));
  auto scratch = take(device_->load(copy_program(64, 25 * kMiB)));
  launch(scratch, *queue_);
  EXPECT_TRUE(queue_->synchronize().ok());
  auto refused = device_->load(copy_program(64, 0, 60 * kMiB));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), StatusCode::resource_exhausted);
}

TEST_F(SimDriverTest, scratch_that_does_not_fit_refuses_the_launch) {
  open("", unpaced());
  prepare(64);
  auto program = take(device_->load(copy_program(64, 80 * kMiB)));
  auto fence = queue_->execute({program, {x_, y_}, {}, {}});
  ASSERT_FALSE(fence.ok());
  EXPECT_EQ(fence.status().code(), StatusCode::resource_exhausted);
  EXPECT_NE(fence.status().message().find("copy_64"), std::string::npos) << fence.status().message();
}

TEST_F(SimDriverTest, program_of_another_preset_is_refused) {
  open("", unpaced());
  isa::Program program = copy_program(64);
  program.machine = "trn1";
  auto loaded = device_->load(program);
  ASSERT_FALSE(loaded.ok());
  for (const char* part : {"copy_64", "trn1", "trn2"})
    EXPECT_NE(loaded.status().message().find(part), std::string::npos) << loaded.status().message();
}

TEST_F(SimDriverTest, machine_without_a_link_is_refused) {
  auto machine = take(machine::load_machine("trn2"));
  machine.host.d2h_bytes_per_second = 0;
  auto driver = create_sim_driver(machine, {});
  ASSERT_FALSE(driver.ok());
  EXPECT_NE(driver.status().message().find("host.d2h_bytes_per_second"), std::string::npos);
}

TEST_F(SimDriverTest, forked_child_is_told_and_does_not_hang) {
  open("", unpaced());
  auto program = prepare(64);
  EXPECT_TRUE(launch(program, *queue_)->wait().ok());
  const pid_t child = fork();
  if (child == 0) {
    auto refused = [](const Status& status) {
      return status.code() == StatusCode::failed_precondition && status.message().find("fork()") != std::string::npos;
    };
    bool right = refused(queue_->execute({program, {x_, y_}, {}, {}}).status()) && refused(queue_->marker().status()) &&
                 refused(queue_->synchronize()) && refused(device_->synchronize());
    driver_.reset();
    _exit(right ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_TRUE(launch(program, *queue_)->wait().ok());
}

}  // namespace
}  // namespace lanewise::runtime
