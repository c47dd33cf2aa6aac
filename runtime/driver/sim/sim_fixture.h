// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests of this folder: a driver on a machine with changes, and programs that only copy.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/driver/sim/sim_driver.h"
#include "trace/record/capture.h"

namespace lanewise::runtime {

class SimFixture : public testing::Test {
 protected:
  // Overrides as in a machine spec, "exec_overhead_ns=0".
  void open(const std::string& overrides, SimDriverOptions options = {}) {
    driver_.reset();
    auto machine = machine::load_machine(overrides.empty() ? "trn2" : "trn2," + overrides);
    ASSERT_TRUE(machine.ok()) << machine.status().to_string();
    if (options.memory_bytes == 0) options.memory_bytes = int64_t{64} << 20;
    auto driver = create_sim_driver(*machine, options);
    ASSERT_TRUE(driver.ok()) << driver.status().to_string();
    driver_ = std::move(*driver);
    device_ = take(driver_->device(0));
    queue_ = &device_->default_queue();
  }
  static SimDriverOptions unpaced() {
    SimDriverOptions options;
    options.pacing = false;
    return options;
  }

  template <typename T>
  static T take(Result<T> result) {
    EXPECT_TRUE(result.ok()) << result.status().to_string();
    return std::move(result.value());
  }

  // y = x, 4 * `words` bytes, through `scratch` bytes of scratch and beside a constant of `constant` bytes.
  static isa::Program copy_program(int64_t words, int64_t scratch = 0, int64_t constant = 0) {
    const std::string w = std::to_string(words), n = std::to_string(4 * words);
    const std::string pattern = "{1x" + w + "}";
    std::string text = "program \"copy_" + w + "\" machine=\"\" semaphores=1\nbuffer input \"x\" bytes=" + n +
                       "\nbuffer output \"y\" bytes=" + n + "\n";
    if (scratch > 0) text += "buffer scratch \"s\" bytes=" + std::to_string(scratch) + "\n";
    if (constant > 0) text += "buffer constant \"c\" bytes=" + std::to_string(constant) + "\n";
    text += "sync dma_copy hbm_src=hbm0.f32@0" + pattern + " hbm_dst=hbm1.f32@0" + pattern + "\n";
    isa::Program program = take(isa::parse_text(text));
    if (constant > 0) program.buffers.back().data.resize(static_cast<size_t>(constant));
    return program;
  }
  std::shared_ptr<Fence> launch(const std::shared_ptr<Executable>& program, Queue& queue, Origin origin = {}) {
    return take(queue.execute({program, {x_, y_}, {}, origin}));
  }
  std::shared_ptr<Executable> prepare(int64_t words) {
    x_ = take(device_->allocate(4 * words));
    y_ = take(device_->allocate(4 * words));
    return take(device_->load(copy_program(words)));
  }

  static std::shared_ptr<trace::record::Capture> capture(bool device) {
    trace::record::CaptureOptions options;
    options.device = device;
    options.write_files = false;
    return take(trace::record::Capture::start(options, {}));
  }
  static std::vector<trace::record::Event> of_kind(const std::vector<trace::record::Event>& events,
                                                   trace::record::EventKind kind) {
    std::vector<trace::record::Event> found;
    for (const auto& event : events)
      if (event.kind == kind) found.push_back(event);
    return found;
  }

  std::unique_ptr<Driver> driver_;
  Device* device_ = nullptr;
  Queue* queue_ = nullptr;
  DeviceAddress x_ = 0, y_ = 0;
};

}  // namespace lanewise::runtime
