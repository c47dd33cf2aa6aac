// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "runtime/conformance/suite.h"

namespace lanewise::runtime::conformance {

constexpr int64_t kColumns = 8;
constexpr size_t kCount = kRows * kColumns;
constexpr int64_t kBytes = 4 * kCount;

TEST_P(Conformance, load_gives_one_object_per_program) {
  auto a = take(device_->load(scale_program(kColumns)));
  auto b = take(device_->load(scale_program(kColumns)));
  auto c = take(device_->load(scale_program(2 * kColumns)));
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(a->hash(), c->hash());
  EXPECT_EQ(a->program().name, "scale");
}

TEST_P(Conformance, load_refuses_a_broken_program) {
  isa::Program program = scale_program(kColumns);
  program.streams[static_cast<size_t>(isa::Engine::sync)][0].hbm_src.buffer = 9;
  auto loaded = device_->load(program);
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.status().message().find("program scale"), std::string::npos) << loaded.status().message();
  EXPECT_TRUE(device_->load(scale_program(kColumns)).ok());
}

TEST_P(Conformance, execute_computes_values) {
  auto program = take(device_->load(scale_program(kColumns)));
  DeviceAddress x = upload(ramp(kCount)), y = allocate(kBytes);
  (void)take(scale(*queue_, program, x, y, 1));
  EXPECT_EQ(download(y, kCount), ramp(kCount));
}

TEST_P(Conformance, execute_passes_parameters) {
  auto program = take(device_->load(scale_program(kColumns)));
  DeviceAddress x = upload(ramp(kCount)), y = allocate(kBytes);
  (void)take(scale(*queue_, program, x, y, 0.5));
  (void)take(scale(*queue_, program, y, y, -4));   // in place
  auto expected = ramp(kCount);
  for (float& value : expected) value *= -2;
  EXPECT_EQ(download(y, kCount), expected);
}

TEST_P(Conformance, constants_and_scratch_are_bound) {
  auto add = take(device_->load(add_constant_program(kColumns)));
  auto wide = take(device_->load(add_constant_program(4 * kColumns)));
  DeviceAddress x = upload(ramp(4 * kCount)), y = allocate(4 * kBytes);
  for (int round = 0; round < 2; ++round) {
    ExecuteRequest small{add, {x, y}, {}, {}};
    (void)take(queue_->execute(std::move(small)));
    auto got = download(y, kCount);
    for (size_t i = 0; i < kCount; ++i)
      ASSERT_EQ(got[i], ramp(kCount)[i] + static_cast<float>(i / kColumns + i % kColumns)) << i;
    ExecuteRequest large{wide, {x, y}, {}, {}};   // needs more scratch than the one before
    (void)take(queue_->execute(std::move(large)));
    EXPECT_EQ(download(y, 1)[0], -7);
  }
}

TEST_P(Conformance, wrong_launches_are_refused_at_once) {
  auto program = take(device_->load(scale_program(kColumns)));
  DeviceAddress x = allocate(kBytes);
  auto refusal = [&](ExecuteRequest request) {
    auto fence = queue_->execute(std::move(request));
    return fence.ok() ? ok_status() : fence.status();
  };
  EXPECT_EQ(refusal({nullptr, {x, x}, {{.f = 1}}, {}}).code(), StatusCode::invalid_argument);
  for (const Status& status : {refusal({program, {x}, {{.f = 1}}, {}}), refusal({program, {x, x}, {}, {}}),
                               refusal({program, {x, 512}, {{.f = 1}}, {}})}) {
    EXPECT_EQ(status.code(), StatusCode::invalid_argument);
    EXPECT_NE(status.message().find("program scale"), std::string::npos) << status.message();
  }
  auto elsewhere = take(take(driver_->device(1))->load(scale_program(kColumns)));
  Status status = refusal({elsewhere, {x, x}, {{.f = 1}}, {}});
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_NE(status.message().find("neuron:1"), std::string::npos) << status.message();
  EXPECT_EQ(device_->launches_open(), 0);
}

TEST_P(Conformance, execution_has_device_time) {
  auto program = take(device_->load(scale_program(kColumns)));
  ASSERT_GT(program->duration_ns(), 0);
  DeviceAddress x = upload(ramp(kCount)), y = allocate(kBytes);
  auto first = take(scale(*queue_, program, x, y, 1));
  auto second = take(scale(*queue_, program, x, y, 1));
  EXPECT_TRUE(queue_->synchronize().ok());
  EXPECT_EQ(first->end_ns() - first->start_ns(),
            program->duration_ns() + device_->machine().host.exec_overhead_ns);
  EXPECT_EQ(second->end_ns() - second->start_ns(), first->end_ns() - first->start_ns());
  EXPECT_GE(second->start_ns(), first->end_ns());
}

TEST_P(Conformance, many_threads_submit) {
  constexpr int kThreads = 4, kLaunches = 200;
  auto program = take(device_->load(scale_program(kColumns)));
  std::vector<std::shared_ptr<Queue>> queues;
  std::vector<DeviceAddress> buffers;
  for (int i = 0; i < kThreads; ++i) {
    queues.push_back(take(device_->create_queue()));
    buffers.push_back(upload(std::vector<float>(kCount, static_cast<float>(i + 1))));
  }
  ASSERT_TRUE(queue_->synchronize().ok());
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      for (int launch = 0; launch < kLaunches; ++launch) {
        DeviceAddress buffer = buffers[static_cast<size_t>(i)];
        // Each queue doubles and halves its own buffer; the default queue is everybody's.
        Queue& queue = *queues[static_cast<size_t>(i)];
        if (!scale(queue, program, buffer, buffer, launch % 2 ? 0.5 : 2).ok()) ++refused;
        if (launch % 16 == 0 && !queue_->marker().ok()) ++refused;
        if (launch % 50 == 0 && !queue.synchronize().ok()) ++refused;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(refused, 0);
  EXPECT_TRUE(device_->synchronize().ok());
  EXPECT_EQ(device_->launches_open(), 0);
  for (int i = 0; i < kThreads; ++i)
    EXPECT_EQ(download(buffers[static_cast<size_t>(i)], kCount), std::vector<float>(kCount, static_cast<float>(i + 1)));
}

}  // namespace lanewise::runtime::conformance
