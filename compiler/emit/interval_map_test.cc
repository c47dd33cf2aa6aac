// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/interval_map.h"

#include <set>

#include <gtest/gtest.h>

namespace lanewise::compiler::emit {
namespace {

class Map {
 public:
  explicit Map(IntervalMap::Merge merge = IntervalMap::Merge::nothing) : map_(merge) {}

  // What access number `at` must come after.
  std::set<int> touch(int at, int64_t begin, int64_t end, bool write, int order = -1, int first = 0, int last = 127, int timeline = 0) {
    std::set<int> after;
    map_.touch({0, begin, end, write, static_cast<uint16_t>(first), static_cast<uint16_t>(last), order}, timeline, at,
               [&](const OpenAccess& e) { after.insert(e.at); });
    return after;
  }

 private:
  IntervalMap map_;
};

using Set = std::set<int>;

TEST(IntervalMap, ReadsDoNotConflictWritesDo) {
  Map map;
  EXPECT_EQ(map.touch(0, 0, 10, true), Set{});
  EXPECT_EQ(map.touch(1, 0, 10, false), Set{0});
  EXPECT_EQ(map.touch(2, 0, 10, false), Set{0});
  EXPECT_EQ(map.touch(3, 0, 10, true), (Set{0, 1, 2}));
  EXPECT_EQ(map.touch(4, 0, 10, false), Set{3});
}

TEST(IntervalMap, OnlyOverlappingBytesConflict) {
  Map map;
  map.touch(0, 0, 10, true);
  map.touch(1, 10, 20, true);
  EXPECT_EQ(map.touch(2, 20, 30, false), Set{});
  EXPECT_EQ(map.touch(3, 5, 15, false), (Set{0, 1}));
  EXPECT_EQ(map.touch(4, 0, 5, true), Set{0});        // 3 reads from 5 on
  EXPECT_EQ(map.touch(5, 4, 6, true), (Set{0, 3, 4}));
}

TEST(IntervalMap, OnlyOverlappingPartitionsConflict) {
  Map map;
  map.touch(0, 0, 10, true, -1, 0, 31);
  map.touch(1, 0, 10, true, -1, 32, 63);
  EXPECT_EQ(map.touch(2, 0, 10, false, -1, 32, 40), Set{1});
  EXPECT_EQ(map.touch(3, 0, 10, true, -1, 0, 63), (Set{0, 1, 2}));
}

TEST(IntervalMap, AccessesOfOneStageDoNotConflict) {
  Map map;
  map.touch(0, 0, 10, false, 1);
  EXPECT_EQ(map.touch(1, 0, 10, true, 2), Set{0});
  // The second store of stage 2 does not wait for the first one, so it must see what that one covered.
  EXPECT_EQ(map.touch(2, 0, 10, true, 2), Set{0});
  EXPECT_EQ(map.touch(3, 0, 10, false, 3), (Set{1, 2}));
}

TEST(IntervalMap, OfATimelineTheLatestReadCounts) {
  Map map(IntervalMap::Merge::reads_of_a_timeline);
  map.touch(0, 0, 10, false, -1, 0, 127, 1);
  map.touch(1, 0, 10, false, -1, 0, 127, 1);
  map.touch(5, 0, 10, false, -1, 0, 127, 2);
  EXPECT_EQ(map.touch(6, 0, 10, true, -1, 0, 127, 3), (Set{1, 5}));
}

}  // namespace
}  // namespace lanewise::compiler::emit
