// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "runtime/conformance/suite.h"

namespace lanewise::runtime::conformance {

TEST_P(Conformance, blocks_are_aligned_and_apart) {
  std::vector<std::pair<DeviceAddress, int64_t>> blocks;
  for (int64_t bytes : {1, 511, 512, 513, 100'000}) blocks.emplace_back(allocate(bytes), bytes);
  std::sort(blocks.begin(), blocks.end());
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].first % 512, 0u);
    if (i == 0) continue;
    EXPECT_GE(blocks[i].first, blocks[i - 1].first + static_cast<uintptr_t>(blocks[i - 1].second));
  }
}

TEST_P(Conformance, memory_is_counted) {
  const MemoryInfo before = device_->memory();
  EXPECT_GT(before.capacity, 0);
  DeviceAddress block = allocate(100'000);
  EXPECT_GE(device_->memory().used, before.used + 100'000);
  EXPECT_EQ(device_->memory().capacity, before.capacity);
  EXPECT_TRUE(device_->free(block).ok());
  EXPECT_EQ(device_->memory().used, before.used);
}

TEST_P(Conformance, out_of_memory_says_how_much) {
  const MemoryInfo info = device_->memory();
  for (int64_t bytes : {info.capacity + 1, INT64_MAX}) {
    auto block = device_->allocate(bytes);
    ASSERT_FALSE(block.ok());
    EXPECT_EQ(block.status().code(), StatusCode::resource_exhausted);
    for (int64_t number : {bytes, info.capacity, info.capacity - info.used})
      EXPECT_NE(block.status().message().find(std::to_string(number)), std::string::npos) << block.status().message();
  }
  EXPECT_TRUE(device_->allocate(1024).ok());
}

TEST_P(Conformance, freed_memory_can_be_had_again) {
  const int64_t most = device_->memory().capacity - device_->memory().used;
  for (int i = 0; i < 3; ++i) {
    DeviceAddress block = allocate(most);
    EXPECT_FALSE(device_->allocate(512).ok());
    EXPECT_TRUE(device_->free(block).ok());
  }
}

TEST_P(Conformance, bad_sizes_and_addresses_are_refused) {
  EXPECT_EQ(device_->allocate(0).status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(device_->allocate(-1).status().code(), StatusCode::invalid_argument);
  DeviceAddress block = allocate(4096);
  EXPECT_EQ(device_->free(block + 512).code(), StatusCode::invalid_argument);
  EXPECT_EQ(device_->free(0).code(), StatusCode::invalid_argument);
  EXPECT_TRUE(device_->free(block).ok());
  EXPECT_EQ(device_->free(block).code(), StatusCode::invalid_argument);
}

TEST_P(Conformance, blocks_keep_their_bytes) {
  std::mt19937 random(1);
  struct Kept {
    DeviceAddress address;
    std::vector<float> values;
  };
  std::vector<Kept> kept;
  for (int step = 0; step < 300; ++step) {
    if (kept.empty() || random() % 3 != 0) {
      std::vector<float> values(1 + random() % 60'000);
      std::generate(values.begin(), values.end(), [&] { return static_cast<float>(random()); });
      if (device_->memory().used > (int64_t{30} << 20)) continue;
      kept.push_back({upload(values), values});
    } else {
      size_t which = random() % kept.size();
      ASSERT_EQ(download(kept[which].address, kept[which].values.size()), kept[which].values);
      ASSERT_TRUE(device_->free(kept[which].address).ok());
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
}

TEST_P(Conformance, copies_and_fills) {
  const auto values = ramp(5000);
  DeviceAddress a = upload(values), b = allocate(20'000);
  (void)take(queue_->copy(b, a, 20'000, {}));
  (void)take(queue_->fill(a, 0x3f, 4, {}));
  EXPECT_EQ(download(b, 5000), values);
  EXPECT_EQ(download(a, 2), (std::vector<float>{0.747058809f, -6}));
}

TEST_P(Conformance, overlapping_copy_reads_its_source_first) {
  DeviceAddress a = upload(ramp(1000));
  (void)take(queue_->copy(a + 4, a, 3996, {}));
  auto expected = ramp(1000);
  std::copy_backward(expected.begin(), expected.end() - 1, expected.end());
  EXPECT_EQ(download(a, 1000), expected);
}

TEST_P(Conformance, staged_source_is_free_at_once) {
  std::vector<float> values = ramp(100'000);
  DeviceAddress a = allocate(400'000);
  auto fence = take(queue_->write(a, values.data(), 400'000, true, {}));
  std::fill(values.begin(), values.end(), -1.f);
  EXPECT_TRUE(fence->wait().ok());
  EXPECT_EQ(download(a, 100'000), ramp(100'000));
}

TEST_P(Conformance, unstaged_source_is_read_until_the_fence) {
  std::vector<float> values = ramp(100'000);
  DeviceAddress a = allocate(400'000);
  auto fence = take(queue_->write(a, values.data(), 400'000, false, {}));
  EXPECT_TRUE(fence->wait().ok());
  std::fill(values.begin(), values.end(), -1.f);
  EXPECT_EQ(download(a, 100'000), ramp(100'000));
}

TEST_P(Conformance, empty_copies_are_work_too) {
  EXPECT_TRUE(take(queue_->write(0, nullptr, 0, true, {}))->wait().ok());
  EXPECT_TRUE(take(queue_->read(nullptr, 0, 0, {}))->wait().ok());
  EXPECT_TRUE(take(queue_->copy(0, 0, 0, {}))->wait().ok());
  EXPECT_TRUE(take(queue_->fill(0, 1, 0, {}))->wait().ok());
}

TEST_P(Conformance, copies_outside_device_memory_are_refused) {
  std::vector<float> host(1000);
  DeviceAddress a = allocate(4000);
  const auto foreign = reinterpret_cast<DeviceAddress>(host.data());
  auto refused = [](const Result<std::shared_ptr<Fence>>& result) {
    return !result.ok() && result.status().code() == StatusCode::invalid_argument;
  };
  EXPECT_TRUE(refused(queue_->write(foreign, host.data(), 4000, true, {})));
  EXPECT_TRUE(refused(queue_->write(0, host.data(), 4000, true, {})));
  EXPECT_TRUE(refused(queue_->write(a, nullptr, 4000, true, {})));
  EXPECT_TRUE(refused(queue_->write(a, host.data(), -4, true, {})));
  EXPECT_TRUE(refused(queue_->write(a, host.data(), INT64_MAX, true, {})));
  EXPECT_TRUE(refused(queue_->read(host.data(), foreign, 4000, {})));
  EXPECT_TRUE(refused(queue_->read(nullptr, a, 4000, {})));
  EXPECT_TRUE(refused(queue_->copy(a, foreign, 4000, {})));
  EXPECT_TRUE(refused(queue_->copy(foreign, a, 4000, {})));
  EXPECT_TRUE(refused(queue_->fill(foreign, 0, 4000, {})));
  EXPECT_TRUE(queue_->synchronize().ok());
}

}  // namespace lanewise::runtime::conformance
