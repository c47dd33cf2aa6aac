// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How close compiled programs come to what the machine can do, in simulated time (deterministic, so it may be asserted).
#include <gtest/gtest.h>

#include "sim/chip/chip.h"
#include "tests/numerics/compiled_run.h"

namespace lanewise::test {
namespace {

struct TimedRun {
  sim::Timing timing;
  machine::Machine machine;
  double seconds() const { return static_cast<double>(timing.duration.value) * 1e-12; }
};

TimedRun time_of(const std::string& ir_text) {
  TimedRun run;
  const auto program = schedule_text(ir_text);
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  run.machine = *machine::load_machine("trn2");
  const auto timing = sim::time_program(*program, run.machine, {});
  EXPECT_TRUE(timing.ok()) << timing.status().to_string();
  run.timing = *timing;
  return run;
}

std::string add(const std::string& dtype, int64_t n) {
  const std::string shape = "[" + std::to_string(n) + "," + std::to_string(n) + "]", strides = "{" + std::to_string(n) + ",1}";
  return "module \"add\" {\n %0 = input 0 : " + dtype + shape + strides + "\n %1 = input 1 : " + dtype + shape + strides + "\n %2 = binary add %0, %1 : " + dtype +
         shape + "\n store %2 to output 0 " + strides + "\n}";
}

TEST(CompiledTime, PointwiseRunsAtMemoryBandwidth) {
  for (const char* dtype : {"bf16", "f16", "f32"}) {
    const int64_t bytes = 3 * 4096 * 4096 * (std::string(dtype) == "f32" ? 4 : 2);
    const TimedRun run = time_of(add(dtype, 4096));
    const double bandwidth = static_cast<double>(bytes) / run.seconds();
    EXPECT_GT(bandwidth, 0.9 * static_cast<double>(run.machine.dma.hbm_bytes_per_second)) << dtype;
  }
}

TEST(CompiledTime, TimeGrowsAsBytes) {
  const double half = time_of(add("f32", 2048)).seconds(), whole = time_of(add("f32", 4096)).seconds();
  EXPECT_NEAR(whole / half, 4.0, 0.3);
}

TEST(CompiledTime, TransposesRunNearMemoryBandwidth) {
  const TimedRun run = time_of("module \"t\" {\n %0 = input 0 : bf16[4096,4096]{4096,1}\n %1 = permute dims [1,0] %0 : bf16[4096,4096]\n store %1 to output 0 {4096,1}\n}");
  EXPECT_GT(2.0 * 4096 * 4096 * 2 / run.seconds(), 0.8 * static_cast<double>(run.machine.dma.hbm_bytes_per_second));
}

TEST(CompiledTime, MatmulKeepsThePeBusy) {
  for (const char* strides : {"2048,1", "1,2048"}) {
    const TimedRun run = time_of(std::string("module \"mm\" {\n %0 = input 0 : bf16[2048,2048]{2048,1}\n %1 = input 1 : bf16[2048,2048]{") + strides +
                            "}\n %2 = matmul %0, %1 : bf16[2048,2048]\n store %2 to output 0 {2048,1}\n}");
    // 128 x 128 multiply-accumulates a cycle.
    const double ideal = 2048.0 * 2048 * 2048 / (128 * 128) / (static_cast<double>(run.machine.pe.clock.khz) * 1e3);
    EXPECT_GT(ideal / run.seconds(), 0.75) << strides;
  }
}

TEST(CompiledTime, SumsSpreadOverThePartitions) {
  const std::string head = "module \"sum\" {\n %0 = input 0 : f32[4096,4096]{4096,1}\n %1 = reduce add dims ";
  for (const char* tail : {"[0,1] %0 : f32[1,1]\n store %1 to output 0 {1,1}\n}", "[0] %0 : f32[1,4096]\n store %1 to output 0 {4096,1}\n}",
                           "[1] %0 : f32[4096,1]\n store %1 to output 0 {1,1}\n}"}) {
    const TimedRun run = time_of(head + tail);
    EXPECT_GT(4.0 * 4096 * 4096 / run.seconds(), 0.6 * static_cast<double>(run.machine.dma.hbm_bytes_per_second)) << tail;
  }
}

}  // namespace
}  // namespace lanewise::test
