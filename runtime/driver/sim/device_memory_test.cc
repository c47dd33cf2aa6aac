// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/driver/sim/device_memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/driver/sim/host_memory.h"
#include "runtime/hal/memory_guard.h"

namespace lanewise::runtime::sim_driver {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

std::shared_ptr<DeviceMemory> reserve(int64_t capacity) {
  auto memory = DeviceMemory::reserve(5, capacity);
  EXPECT_TRUE(memory.ok()) << memory.status().to_string();
  return *memory;
}

TEST(DeviceMemory, contains_is_exact_at_both_ends) {
  auto memory = reserve(kMiB);
  const DeviceAddress base = memory->base(), end = base + kMiB;
  EXPECT_TRUE(memory->contains(base, kMiB));
  EXPECT_TRUE(memory->contains(end - 1, 1));
  EXPECT_FALSE(memory->contains(end - 1, 2));
  EXPECT_FALSE(memory->contains(base - 1, 2));
  EXPECT_FALSE(memory->contains(end, 1));
  EXPECT_FALSE(memory->contains(base, kMiB + 1));
  EXPECT_FALSE(memory->contains(base, -1));
  EXPECT_FALSE(memory->contains(base, INT64_MIN));
  EXPECT_FALSE(memory->contains(UINTPTR_MAX, INT64_MAX));
  EXPECT_TRUE(memory->contains(0, 0));
}

TEST(DeviceMemory, freed_neighbours_merge) {
  auto memory = reserve(kMiB);
  DeviceAddress blocks[4];
  for (auto& block : blocks) block = *memory->allocate(kMiB / 4);
  EXPECT_EQ(memory->info().used, kMiB);
  for (int i : {0, 2, 1, 3}) EXPECT_TRUE(memory->free(blocks[i]).ok());
  EXPECT_EQ(memory->info().used, 0);
  EXPECT_TRUE(memory->allocate(kMiB).ok());
}

TEST(DeviceMemory, best_fit_keeps_large_holes) {
  auto memory = reserve(kMiB);
  DeviceAddress large = *memory->allocate(512 * 100), between = *memory->allocate(512);
  DeviceAddress small = *memory->allocate(512 * 2), rest = *memory->allocate(kMiB - 512 * 103);
  EXPECT_TRUE(memory->free(large).ok());
  EXPECT_TRUE(memory->free(small).ok());
  EXPECT_EQ(*memory->allocate(1000), small);
  EXPECT_EQ(*memory->allocate(512 * 100), large);
  EXPECT_NE(between, rest);
}

TEST(DeviceMemory, refusal_names_wanted_free_largest_and_capacity) {
  auto memory = reserve(kMiB);
  DeviceAddress first = *memory->allocate(4096);
  DeviceAddress second = *memory->allocate(4096);
  EXPECT_TRUE(memory->free(first).ok());
  auto refused = memory->allocate(kMiB - 4096);
  ASSERT_FALSE(refused.ok());
  const std::string& text = refused.status().message();
  for (const char* part : {"neuron:5", "1044480 bytes", "capacity 1048576", "free 1044480", "largest free block 1040384"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_NE(second, 0u);
}

TEST(DeviceMemory, large_freed_blocks_give_their_pages_back) {
  auto memory = reserve(8 * kMiB);
  DeviceAddress before = *memory->allocate(512);
  std::memset(memory->host_pointer(before), 7, 512);
  DeviceAddress large = *memory->allocate(4 * kMiB), after = *memory->allocate(512);
  std::memset(memory->host_pointer(large), 1, 4 * kMiB);
  std::memset(memory->host_pointer(after), 9, 512);
  EXPECT_TRUE(memory->free(large).ok());
  EXPECT_EQ(static_cast<int>(memory->host_pointer(large)[2 * kMiB]), 0);   // a new, empty page
  EXPECT_EQ(static_cast<int>(memory->host_pointer(before)[511]), 7);       // neighbours on shared pages stay
  EXPECT_EQ(static_cast<int>(memory->host_pointer(after)[0]), 9);
}

TEST(DeviceMemory, too_much_address_space_is_an_error) {
  auto memory = DeviceMemory::reserve(0, int64_t{1} << 46);   // twice this is all there is
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.status().code(), StatusCode::resource_exhausted);
  EXPECT_NE(memory.status().message().find("neuron:0"), std::string::npos);
}

TEST(DeviceMemoryDeathTest, host_touch_ends_the_process) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto touch = [] {
    auto memory = reserve(kMiB);
    if (!install_memory_guard().ok()) _exit(1);
    *reinterpret_cast<volatile char*>(*memory->allocate(512)) = 1;
  };
  EXPECT_EXIT(touch(), testing::ExitedWithCode(139), "^lanewise: host code touched memory of neuron:5 at 0x");
}

TEST(HostMemory, capacity_is_the_smaller_of_preset_and_share) {
  constexpr int64_t kGiB = int64_t{1} << 30;
  EXPECT_EQ(device_capacity(0, 12 * kGiB, 100 * kGiB, 2), 12 * kGiB);
  EXPECT_EQ(device_capacity(0, 12 * kGiB, 16 * kGiB, 2), 4 * kGiB);
  EXPECT_EQ(device_capacity(0, 0, 16 * kGiB, 1), 8 * kGiB);
  EXPECT_EQ(device_capacity(3 * kGiB + 5, 2 * kGiB, kGiB, 2), 3 * kGiB);   // asked for: taken, in whole pages
  EXPECT_EQ(device_capacity(1, 2 * kGiB, kGiB, 2), 4096);
  EXPECT_EQ(device_capacity(0, 12 * kGiB, 0, 2), 64 * kMiB);
}

TEST(HostMemory, this_host_has_some) { EXPECT_GT(available_host_memory(), 0); }

}  // namespace
}  // namespace lanewise::runtime::sim_driver
