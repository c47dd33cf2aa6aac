// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/hal/caching_allocator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>

#include "runtime/hal/fake_device.h"
#include "trace/record/capture.h"

namespace lanewise::runtime {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

DeviceAddress must(Result<DeviceAddress> result) {
  EXPECT_TRUE(result.ok()) << result.status().to_string();
  return result.ok() ? *result : 0;
}

struct CachingAllocatorTest : testing::Test {
  FakeDevice device{64 * kMiB};
  FakeQueue& queue = device.queue(0);
  FakeQueue& other = device.queue(1);
  CachingAllocator allocator{device};
};

TEST_F(CachingAllocatorTest, nothing_costs_nothing) {
  EXPECT_EQ(must(allocator.allocate(0, queue)), 0u);
  allocator.free(0);
  allocator.record_use(0, other);
  EXPECT_EQ(device.allocations, 0);
  EXPECT_EQ(allocator.allocate(-1, queue).status().code(), StatusCode::invalid_argument);
}

TEST_F(CachingAllocatorTest, freed_block_is_reused_at_once_on_its_queue) {
  DeviceAddress a = must(allocator.allocate(1000, queue));
  allocator.free(a);
  EXPECT_EQ(must(allocator.allocate(900, queue)), a);
  EXPECT_EQ(device.allocations, 1);
}

TEST_F(CachingAllocatorTest, small_requests_share_a_segment) {
  std::vector<DeviceAddress> blocks;
  for (int i = 0; i < 4096; ++i) blocks.push_back(must(allocator.allocate(1, queue)));
  EXPECT_EQ(device.allocations, 1);
  EXPECT_EQ(allocator.stats().reserved_bytes.current, 2 * kMiB);
  EXPECT_EQ(allocator.stats().allocated_bytes.current, 2 * kMiB);
  (void)must(allocator.allocate(1, queue));
  EXPECT_EQ(device.allocations, 2);
  for (size_t i = 0; i < blocks.size(); i += 2) allocator.free(blocks[i]);
  for (size_t i = 1; i < blocks.size(); i += 2) allocator.free(blocks[i]);
  EXPECT_EQ(allocator.stats().largest_free_block, 2 * kMiB);   // all merged again
}

TEST_F(CachingAllocatorTest, segments_have_the_sizes_of_pytorch) {
  (void)must(allocator.allocate(kMiB, queue));
  EXPECT_EQ(device.used(), 2 * kMiB);
  (void)must(allocator.allocate(kMiB + 1, queue));
  EXPECT_EQ(device.used(), 22 * kMiB);
  (void)must(allocator.allocate(11 * kMiB, queue));   // fits into what is left of the 20
  EXPECT_EQ(device.used(), 22 * kMiB);
  (void)must(allocator.allocate(11 * kMiB, queue));
  EXPECT_EQ(device.used(), 22 * kMiB + 12 * kMiB);
}

TEST_F(CachingAllocatorTest, queues_do_not_share_cached_blocks) {
  DeviceAddress a = must(allocator.allocate(1000, queue));
  allocator.free(a);
  EXPECT_NE(must(allocator.allocate(1000, other)), a);
}

TEST_F(CachingAllocatorTest, block_used_elsewhere_waits_for_that_queue) {
  DeviceAddress a = must(allocator.allocate(2 * kMiB, queue));
  DeviceAddress b = must(allocator.allocate(18 * kMiB, queue));   // fills the segment
  allocator.record_use(a, other);
  allocator.record_use(a, other);
  allocator.record_use(a, queue);   // its own: no wait
  allocator.free(a);
  EXPECT_EQ(other.markers(), 1u);
  EXPECT_EQ(queue.markers(), 0u);
  EXPECT_EQ(allocator.stats().allocated_bytes.current, 18 * kMiB);
  DeviceAddress c = must(allocator.allocate(2 * kMiB, queue));
  EXPECT_NE(c, a);
  other.signal_all();
  EXPECT_EQ(must(allocator.allocate(2 * kMiB, queue)), a);
  allocator.free(b);
}

TEST_F(CachingAllocatorTest, full_queue_delays_reuse_until_it_is_idle) {
  DeviceAddress a = must(allocator.allocate(20 * kMiB, queue));
  allocator.record_use(a, other);
  other.refuse_markers = true;
  other.busy = true;
  allocator.free(a);
  EXPECT_NE(must(allocator.allocate(20 * kMiB, queue)), a);
  other.busy = false;
  EXPECT_EQ(must(allocator.allocate(20 * kMiB, queue)), a);
}

TEST_F(CachingAllocatorTest, exhaustion_releases_the_cache_and_tries_again) {
  DeviceAddress a = must(allocator.allocate(40 * kMiB, queue));
  allocator.free(a);
  EXPECT_EQ(device.used(), 40 * kMiB);
  queue.busy = true;   // its work may still use the block: the memory goes back when it has passed
  std::thread passer([&] {
    while (queue.markers() == 0) std::this_thread::yield();
    EXPECT_EQ(device.used(), 40 * kMiB);
    queue.signal_all();
  });
  DeviceAddress b = must(allocator.allocate(50 * kMiB, queue));
  passer.join();
  EXPECT_NE(b, 0u);
  EXPECT_EQ(allocator.stats().retries, 1);
  EXPECT_EQ(allocator.stats().out_of_memory, 0);
}

TEST_F(CachingAllocatorTest, small_device_still_serves_without_the_comfortable_segment) {
  (void)must(allocator.allocate(50 * kMiB, queue));
  EXPECT_NE(must(allocator.allocate(5 * kMiB, queue)), 0u);   // a segment of 20 MiB has no room
}

TEST_F(CachingAllocatorTest, out_of_memory_speaks_like_pytorch) {
  (void)must(allocator.allocate(30 * kMiB, queue));
  auto refused = allocator.allocate(int64_t{3} << 30, queue);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), StatusCode::resource_exhausted);
  const std::string& text = refused.status().message();
  for (const char* part : {"neuron out of memory. Tried to allocate 3.00 GiB.",
                           "neuron:0 has a total capacity of 64.00 MiB of which 34.00 MiB is free.",
                           "30.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_FALSE(allocator.allocate(INT64_MAX, queue).ok());
  EXPECT_EQ(allocator.stats().out_of_memory, 2);
  EXPECT_NE(must(allocator.allocate(1024, queue)), 0u);
}

TEST_F(CachingAllocatorTest, device_thread_never_waits_for_itself) {
  DeviceAddress a = must(allocator.allocate(40 * kMiB, queue));
  allocator.free(a);
  queue.busy = true;
  device.on_thread = true;
  EXPECT_FALSE(allocator.allocate(50 * kMiB, queue).ok());
  EXPECT_EQ(queue.markers(), 0u);
}

TEST_F(CachingAllocatorTest, block_of_finds_what_is_in_use) {
  DeviceAddress a = must(allocator.allocate(1000, queue));
  int64_t bytes = 0;
  EXPECT_EQ(allocator.block_of(a + 1023, &bytes), a);
  EXPECT_EQ(bytes, 1024);
  EXPECT_EQ(allocator.block_of(a + 1024, &bytes), 0u);   // cached
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(allocator.block_of(a - 1, nullptr), 0u);
  allocator.free(a);
  EXPECT_EQ(allocator.block_of(a, &bytes), 0u);
}

TEST_F(CachingAllocatorTest, statistics_count_as_pytorch_does) {
  DeviceAddress a = must(allocator.allocate(1000, queue)), b = must(allocator.allocate(3 * kMiB, queue));
  allocator.free(a);
  AllocatorStats s = allocator.stats();
  EXPECT_EQ(s.allocated_bytes.current, 3 * kMiB);
  EXPECT_EQ(s.allocated_bytes.peak, 3 * kMiB + 1024);
  EXPECT_EQ(s.allocated_bytes.allocated, 3 * kMiB + 1024);
  EXPECT_EQ(s.allocated_bytes.freed, 1024);
  EXPECT_EQ(s.allocations.current, 1);
  EXPECT_EQ(s.segments.current, 2);
  EXPECT_EQ(s.reserved_bytes.current, 22 * kMiB);
  EXPECT_EQ(s.largest_free_block, 17 * kMiB);
  allocator.reset_peak();
  allocator.reset_accumulated();
  s = allocator.stats();
  EXPECT_EQ(s.allocated_bytes.peak, 3 * kMiB);
  EXPECT_EQ(s.allocated_bytes.allocated, 0);
  allocator.free(b);
  allocator.empty_cache();
  s = allocator.stats();
  EXPECT_EQ(s.reserved_bytes.current, 0);
  EXPECT_EQ(s.reserved_bytes.freed, 22 * kMiB);
  EXPECT_EQ(s.segments.current, 0);
  EXPECT_EQ(device.used(), 0);
}

TEST_F(CachingAllocatorTest, memory_pressure_frees_the_cache) {
  allocator.free(must(allocator.allocate(30 * kMiB, queue)));
  EXPECT_EQ(device.used(), 30 * kMiB);
  device.press();
  EXPECT_EQ(device.used(), 0);
}

TEST_F(CachingAllocatorTest, events_are_those_of_the_device) {
  trace::record::CaptureOptions options;
  options.write_files = false;
  auto capture = trace::record::Capture::start(options, {});
  ASSERT_TRUE(capture.ok()) << capture.status().to_string();
  for (int i = 0; i < 10; ++i) allocator.free(must(allocator.allocate(1000, other)));
  EXPECT_FALSE(allocator.allocate(500 * kMiB, other).ok());
  auto events = (*capture)->stop().events;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, trace::record::EventKind::nrt_tensor_allocate);
  EXPECT_EQ(events[0].bytes, 2 * kMiB);
  EXPECT_EQ(events[0].stream, 1);
  EXPECT_NE(events[0].thread, 0u);
  EXPECT_EQ(events[1].kind, trace::record::EventKind::nrt_tensor_free);
  EXPECT_EQ(events[1].bytes, 2 * kMiB);
}

TEST_F(CachingAllocatorTest, blocks_never_overlap) {
  std::mt19937 random(7);
  std::map<DeviceAddress, int64_t> live;
  int64_t sum = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (live.empty() || random() % 2 == 0) {
      auto bytes = static_cast<int64_t>(1 + random() % (random() % 10 == 0 ? 2'500'000 : 5'000));
      auto block = allocator.allocate(bytes, random() % 2 ? queue : other);
      if (!block.ok()) continue;
      auto after = live.lower_bound(*block);
      if (after != live.end()) {
        ASSERT_LE(*block + static_cast<uintptr_t>(bytes), after->first);
      }
      if (after != live.begin()) {
        ASSERT_LE(std::prev(after)->first + static_cast<uintptr_t>(std::prev(after)->second), *block);
      }
      live[*block] = bytes;
      sum += (bytes + 511) / 512 * 512;
    } else {
      auto victim = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      if (random() % 4 == 0) allocator.record_use(victim->first, random() % 2 ? queue : other);
      allocator.free(victim->first);
      sum -= (victim->second + 511) / 512 * 512;
      live.erase(victim);
    }
    if (step % 64 == 0) queue.signal_all(), other.signal_all();
    // A left-over too small to cut off stays with its block.
    ASSERT_GE(allocator.stats().allocated_bytes.current, sum);
    ASSERT_LE(allocator.stats().reserved_bytes.current, device.used());
  }
  for (const auto& [address, bytes] : live) allocator.free(address);
  queue.signal_all(), other.signal_all();
  allocator.empty_cache();
  EXPECT_EQ(device.used(), 0);
}

TEST_F(CachingAllocatorTest, threads_allocate_and_free) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 2000; ++i) {
        auto block = allocator.allocate(1 + random() % 100'000, t % 2 ? queue : other);
        if (!block.ok()) continue;
        if (i % 5 == 0) allocator.record_use(*block, t % 2 ? other : queue);
        if (i % 100 == 0) queue.signal_all(), other.signal_all();
        if (i % 500 == 0) (void)allocator.stats();
        allocator.free(*block);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(allocator.stats().allocated_bytes.current, 0);
  queue.signal_all(), other.signal_all();
}

TEST(CachingAllocatorDeathTest, free_of_a_strange_address_is_a_bug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  FakeDevice device(64 * kMiB);
  CachingAllocator allocator(device);
  DeviceAddress a = must(allocator.allocate(1000, device.queue(0)));
  EXPECT_DEATH(allocator.free(a + 512), "did not give");
}

}  // namespace
}  // namespace lanewise::runtime
