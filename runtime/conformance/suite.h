// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What every test of the suite stands on: a driver by name, one device, the default queue. Pacing is off unless a test
// asks for it. A test that the driver lists as a gap is skipped with the driver's reason.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/conformance/programs.h"
#include "runtime/driver/drivers.h"
#include "trace/record/event.h"

namespace lanewise::runtime::conformance {

class Conformance : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    const std::string full = testing::UnitTest::GetInstance()->current_test_info()->name();   // "name/driver"
    const std::string test = full.substr(0, full.find('/'));
    for (const KnownGap& gap : driver_gaps(GetParam()))
      if (gap.test == test) GTEST_SKIP() << GetParam() << ": " << gap.reason;
    DriverOptions options;
    options.machine = "trn2";
    options.devices = 2;
    options.pacing = false;
    options.memory_bytes = int64_t{64} << 20;
    open(options);
  }

  void open(const DriverOptions& options) {
    driver_.reset();
    options_ = options;
    auto driver = create_driver(GetParam(), options);
    ASSERT_TRUE(driver.ok()) << driver.status().to_string();
    driver_ = std::move(*driver);
    auto device = driver_->device(0);
    ASSERT_TRUE(device.ok()) << device.status().to_string();
    device_ = *device;
    queue_ = &device_->default_queue();
  }

  template <typename T>
  static T take(Result<T> result) {
    EXPECT_TRUE(result.ok()) << result.status().to_string();
    return std::move(result.value());
  }

  DeviceAddress allocate(int64_t bytes) { return take(device_->allocate(bytes)); }
  DeviceAddress upload(const std::vector<float>& values) {
    const auto bytes = static_cast<int64_t>(4 * values.size());
    DeviceAddress address = allocate(bytes);
    (void)take(queue_->write(address, values.data(), bytes, true, {}));
    return address;
  }
  std::vector<float> download(DeviceAddress address, size_t count) {
    std::vector<float> values(count);
    auto fence = take(queue_->read(values.data(), address, static_cast<int64_t>(4 * count), {}));
    Status status = fence->wait();
    EXPECT_TRUE(status.ok()) << status.to_string();
    return values;
  }
  static std::vector<float> ramp(size_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i) - 7;
    return values;
  }
  // One launch of scale_program: *to = *from * by.
  Result<std::shared_ptr<Fence>> scale(Queue& queue, std::shared_ptr<Executable> executable, DeviceAddress from,
                                       DeviceAddress to, double by, Origin origin = {}) {
    ExecuteRequest request;
    request.executable = std::move(executable);
    request.buffers = {from, to};
    request.parameters = {{.f = by}};
    request.origin = origin;
    return queue.execute(std::move(request));
  }

  DriverOptions options_;
  std::unique_ptr<Driver> driver_;
  Device* device_ = nullptr;
  Queue* queue_ = nullptr;
};

}  // namespace lanewise::runtime::conformance
