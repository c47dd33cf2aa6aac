// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "trace/store/column.h"
#include "trace/store/string_pool.h"

namespace lanewise::trace::store {
namespace {

TEST(Column, PublishedRowsNeverChangeWhileTheBuilderGoesOn) {
  ColumnBuilder<int64_t> builder;
  for (int64_t i = 0; i < 100'000; ++i) builder.append(i);
  const Column<int64_t> early = builder.publish();
  for (int64_t i = 100'000; i < 300'000; ++i) builder.append(i);
  builder.replace(7, -7);
  builder.replace(99'999, -1);
  const Column<int64_t> late = builder.publish();
  ASSERT_EQ(early.size(), 100'000u);
  ASSERT_EQ(late.size(), 300'000u);
  EXPECT_EQ(early[7], 7);
  EXPECT_EQ(early[99'999], 99'999);
  EXPECT_EQ(late[7], -7);
  EXPECT_EQ(late[99'999], -1);
  for (size_t i = 0; i < late.size(); i += 977) {
    if (i == 7) continue;
    ASSERT_EQ(late[i], static_cast<int64_t>(i));
  }
  // Rows appended to a segment that was copied for replace() are there too.
  EXPECT_EQ(late[100'001], 100'001);
}

TEST(Column, BlocksAppendAcrossSegmentEdges) {
  std::vector<uint32_t> values(kSegmentRows + 17);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint32_t>(i * 3);
  ColumnBuilder<uint32_t> builder;
  builder.append(5);
  builder.append(std::span<const uint32_t>(values));
  const auto column = builder.publish();
  ASSERT_EQ(column.size(), values.size() + 1);
  ASSERT_EQ(column.segment_count(), 2u);
  EXPECT_EQ(column.segment(0).size(), kSegmentRows);
  EXPECT_EQ(column.segment(1).size(), 18u);
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(column[i + 1], values[i]);
}

TEST(Column, NullSegmentsCostNothingUntilTheFirstValue) {
  ColumnBuilder<int64_t> builder;
  builder.extend(3 * kSegmentRows + 10);
  builder.put(kSegmentRows + 4, 44);
  const auto column = builder.publish();
  EXPECT_TRUE(column.segment_is_null(0));
  EXPECT_FALSE(column.segment_is_null(1));
  EXPECT_TRUE(column.segment_is_null(3));
  EXPECT_TRUE(column.is_null(0));
  EXPECT_TRUE(column.is_null(kSegmentRows + 3));
  EXPECT_EQ(column[kSegmentRows + 4], 44);
  EXPECT_TRUE(column.is_null(3 * kSegmentRows + 9));
}

TEST(SparseColumn, FindsValuesAndTheLastOneOfARowWins) {
  SparseColumnBuilder<int64_t> builder;
  for (uint32_t row = 10; row < 200'000; row += 10) builder.append(row, row * 2);
  builder.append(199'990, 1);
  const auto column = builder.publish();
  EXPECT_EQ(column.find(10), 20);
  EXPECT_EQ(column.find(11), null_value<int64_t>());
  EXPECT_EQ(column.find(199'990), 1);
  EXPECT_EQ(column.find(500'000), null_value<int64_t>());
  EXPECT_EQ(column.lower_bound(15), 1u);
}

TEST(SparseColumn, APublishedValueStays) {
  SparseColumnBuilder<int64_t> builder;
  builder.append(1, 10);
  const auto early = builder.publish();
  builder.append(1, 11);
  EXPECT_EQ(early.find(1), 10);
  EXPECT_EQ(builder.publish().find(1), 11);
}

TEST(StringPool, IdsCountUpInOrderOfFirstUse) {
  StringPool pool;
  EXPECT_EQ(pool.intern("b"), 0u);
  EXPECT_EQ(pool.intern(""), 1u);
  EXPECT_EQ(pool.intern("a"), 2u);
  EXPECT_EQ(pool.intern("b"), 0u);
  EXPECT_EQ(pool.text(1), "");
  EXPECT_EQ(pool.text(kNoString), "");
  EXPECT_EQ(pool.find("a"), 2u);
  EXPECT_EQ(pool.find("c"), kNoString);
  EXPECT_EQ(pool.intern(std::string_view("a\0b", 3)), 3u);
  EXPECT_EQ(pool.text(3).size(), 3u);
}

TEST(StringPool, HoldsManyAndVeryLongTexts) {
  StringPool pool;
  const std::string huge(3 << 20, 'x');
  const StringId first = pool.intern(huge);
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(pool.intern("name " + std::to_string(i)), first + 1 + i);
  for (int i = 0; i < 100'000; i += 501) ASSERT_EQ(pool.text(first + 1 + i), "name " + std::to_string(i));
  EXPECT_EQ(pool.text(first), huge);
  EXPECT_GE(pool.memory_bytes(), huge.size());
}

TEST(StringPool, ReadersNeedNoLockForPublishedIds) {
  StringPool pool;
  std::atomic<uint32_t> published{0};
  std::thread reader([&] {
    for (uint32_t seen = 0; seen < 50'000;) {
      seen = published.load(std::memory_order_acquire);
      if (seen > 0) {
        ASSERT_EQ(pool.text(seen - 1), std::to_string(seen - 1));
      }
    }
  });
  for (uint32_t i = 0; i < 50'000; ++i) {
    pool.intern(std::to_string(i));
    published.store(i + 1, std::memory_order_release);
  }
  reader.join();
}

}  // namespace
}  // namespace lanewise::trace::store
