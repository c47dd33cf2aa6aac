// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/conformance/suite.h"

namespace lanewise::runtime::conformance {

constexpr int64_t kColumns = 8;
constexpr size_t kCount = kRows * kColumns;
constexpr int64_t kBytes = 4 * kCount;

TEST_P(Conformance, failure_rides_the_fence) {
  auto call = take(queue_->host_call([] { return data_loss("the disk ate it"); }));
  Status status = call->wait();
  EXPECT_EQ(status.code(), StatusCode::data_loss);
  EXPECT_NE(status.message().find("the disk ate it"), std::string::npos);
}

TEST_P(Conformance, synchronize_reports_the_first_failure_once) {
  (void)take(queue_->host_call([] { return data_loss("first"); }));
  (void)take(queue_->host_call([] { return internal_error("second"); }));
  Status status = queue_->synchronize();
  EXPECT_EQ(status.code(), StatusCode::data_loss);
  EXPECT_NE(status.message().find("first"), std::string::npos) << status.message();
  EXPECT_TRUE(queue_->synchronize().ok());
}

TEST_P(Conformance, device_synchronize_reports_failures_of_every_queue) {
  auto other = take(device_->create_queue());
  (void)take(other->host_call([] { return data_loss("elsewhere"); }));
  EXPECT_TRUE(queue_->synchronize().ok());
  EXPECT_EQ(device_->synchronize().code(), StatusCode::data_loss);
  EXPECT_TRUE(device_->synchronize().ok());
}

TEST_P(Conformance, reader_gets_the_failure_before_it) {
  DeviceAddress a = upload(ramp(16));
  (void)take(queue_->host_call([] { return data_loss("garbage"); }));
  std::vector<float> host(16);
  auto read = take(queue_->read(host.data(), a, 64, {}));
  EXPECT_EQ(read->wait().code(), StatusCode::data_loss);
  EXPECT_EQ(queue_->synchronize().code(), StatusCode::data_loss);   // the read did not swallow it
  EXPECT_EQ(download(a, 16), ramp(16));
}

TEST_P(Conformance, marker_carries_the_failure_before_it_until_somebody_collects) {
  (void)take(queue_->host_call([] { return data_loss("garbage"); }));
  EXPECT_EQ(take(queue_->marker())->wait().code(), StatusCode::data_loss);
  EXPECT_EQ(queue_->synchronize().code(), StatusCode::data_loss);
  EXPECT_TRUE(take(queue_->marker())->wait().ok());
}

// A launch fails on one stream; its result is read on another that waited for it, through an event as frameworks do.
TEST_P(Conformance, failure_reaches_the_queue_that_waits_for_it) {
  auto other = take(device_->create_queue());
  DeviceAddress a = upload(ramp(16));
  (void)take(queue_->host_call([] { return data_loss("bad row"); }));
  EXPECT_TRUE(other->wait_for(take(queue_->marker())).ok());
  EXPECT_TRUE(take(other->fill(a, 1, 32, {}))->wait().ok());   // work behind it runs
  std::vector<float> host(16);
  Status read = take(other->read(host.data(), a, 64, {}))->wait();
  EXPECT_EQ(read.code(), StatusCode::data_loss);
  EXPECT_NE(read.message().find("bad row"), std::string::npos) << read.message();
  EXPECT_EQ(other->synchronize().code(), StatusCode::data_loss);
  EXPECT_TRUE(other->synchronize().ok());
  EXPECT_FALSE(queue_->synchronize().ok());
}

TEST_P(Conformance, failure_reaches_the_device_that_waits_for_it) {
  Device* second = take(driver_->device(1));
  (void)take(queue_->host_call([] { return data_loss("bad row"); }));
  EXPECT_TRUE(second->default_queue().wait_for(take(queue_->marker())).ok());
  EXPECT_EQ(second->synchronize().code(), StatusCode::data_loss);
  EXPECT_TRUE(second->synchronize().ok());
  EXPECT_FALSE(device_->synchronize().ok());
  EXPECT_TRUE(device_->synchronize().ok());
}

TEST_P(Conformance, execute_failure_names_op_program_and_reason) {
  auto program = take(device_->load(gather_program(kColumns)));
  DeviceAddress x = upload(ramp(kCount)), y = allocate(kBytes), index = allocate(512);
  std::vector<int32_t> rows(kRows, 3);
  rows[5] = 1 << 20;
  (void)take(queue_->write(index, rows.data(), 512, true, {}));
  ExecuteRequest request{program, {x, index, y}, {}, {.name = trace::record::intern("aten::index_select")}};
  auto fence = take(queue_->execute(std::move(request)));
  Status status = fence->wait();
  ASSERT_FALSE(status.ok());
  for (const char* part : {"aten::index_select", "program gather", "neuron:0"})
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  EXPECT_EQ(queue_->synchronize().message(), status.message());
}

TEST_P(Conformance, launch_failure_reaches_reader) {
  auto program = take(device_->load(gather_program(kColumns)));
  DeviceAddress x = upload(ramp(kCount)), y = allocate(kBytes), index = allocate(512);
  std::vector<int32_t> rows(kRows, -1);
  (void)take(queue_->write(index, rows.data(), 512, true, {}));
  (void)take(queue_->execute({program, {x, index, y}, {}, {.name = trace::record::intern("aten::embedding")}}));
  std::vector<float> host(kCount);
  Status status = take(queue_->read(host.data(), y, kBytes, {}))->wait();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("aten::embedding"), std::string::npos) << status.message();
  EXPECT_FALSE(queue_->synchronize().ok());
}

TEST_P(Conformance, failed_launch_does_not_stop_later_ones) {
  auto gather = take(device_->load(gather_program(kColumns)));
  auto program = take(device_->load(scale_program(kColumns)));
  DeviceAddress x = upload(ramp(kCount)), y = allocate(kBytes), index = allocate(512);
  std::vector<int32_t> rows(kRows, 1 << 30);
  (void)take(queue_->write(index, rows.data(), 512, true, {}));
  (void)take(queue_->execute({gather, {x, index, y}, {}, {}}));
  auto later = take(scale(*queue_, program, x, y, 2));
  EXPECT_TRUE(later->wait().ok());
  EXPECT_FALSE(queue_->synchronize().ok());
  EXPECT_EQ(download(y, 1)[0], -14);
}

}  // namespace lanewise::runtime::conformance
