// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "server/timeline/tiles.h"

namespace lanewise::server::timeline {
namespace {

std::vector<Span> sorted(std::vector<Span> spans) {
  for (uint32_t i = 0; i < spans.size(); ++i) spans[i].ordinal = i;
  std::sort(spans.begin(), spans.end(), comes_before);
  return spans;
}

// Nested and crossing ones, some without duration, some far apart.
std::vector<Span> random_spans(std::mt19937_64& random, size_t count, int64_t range) {
  std::vector<Span> spans;
  for (size_t i = 0; i < count; ++i) {
    const auto start = static_cast<int64_t>(random() % static_cast<uint64_t>(range)) - range / 3;
    const int kind = static_cast<int>(random() % 8);
    const int64_t dur = kind == 0 ? 0 : kind == 1 ? 1 : static_cast<int64_t>(random() % static_cast<uint64_t>(kind == 2 ? range / 4 + 1 : range / 50 + 1));
    spans.push_back({start, start + dur, 0, 0});
  }
  return sorted(std::move(spans));
}

TEST(Slices, NestedOnesLieBelowWhatHoldsThem) {
  const auto slices = make_slices(sorted({{0, 100}, {10, 50}, {20, 30}, {60, 70}, {200, 210}}), 1);
  ASSERT_EQ(slices.rows(), 3u);
  EXPECT_EQ(slices.overlap_rows, 0u);
  EXPECT_EQ(std::vector<int64_t>(slices.start.begin(), slices.start.end()), (std::vector<int64_t>{0, 200, 10, 60, 20}));
}

TEST(Slices, CrossingOnesGoToAFurtherRowAndAreCounted) {
  const auto slices = make_slices(sorted({{0, 100}, {50, 150}, {60, 80}}), 1);
  ASSERT_EQ(slices.rows(), 3u);
  EXPECT_EQ(slices.overlap_rows, 1u);
  EXPECT_EQ(slices.start[slices.row_begin[1]], 50);
}

TEST(Slices, OneTickOfOverlapIsNoOverlap) {
  EXPECT_EQ(make_slices(sorted({{0, 101}, {100, 200}}), 1).rows(), 1u);
  EXPECT_EQ(make_slices(sorted({{0, 102}, {100, 200}}), 1).rows(), 2u);
  // A child that ends a tick after its parent is still below it.
  const auto slices = make_slices(sorted({{0, 1000}, {500, 2000}}), 1000);
  EXPECT_EQ(slices.overlap_rows, 0u);
}

TEST(Slices, EveryOneIsInExactlyOneRowAndRowsDoNotOverlap) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const int64_t tick = round % 3 == 0 ? 1000 : 1;
    const auto spans = random_spans(random, random() % 300, 10'000);
    std::vector<uint32_t> row_of;
    const Slices slices = make_slices(spans, tick, &row_of);
    ASSERT_EQ(slices.size(), spans.size());
    EXPECT_EQ(slices.left_out, 0u);
    std::map<uint32_t, int> seen;
    for (uint32_t row = 0; row < slices.rows(); ++row) {
      for (uint32_t i = slices.row_begin[row]; i < slices.row_begin[row + 1]; ++i) {
        ++seen[slices.ordinal[i]];
        if (i == slices.row_begin[row]) continue;
        ASSERT_GE(slices.start[i], slices.start[i - 1]);
        ASSERT_GE(slices.end(i), slices.end(i - 1));
        ASSERT_LE(slices.end(i - 1) - slices.start[i], tick);
      }
    }
    ASSERT_EQ(seen.size(), spans.size());
    uint64_t total = 0;
    for (size_t k = 0; k < spans.size(); ++k) {
      total += static_cast<uint64_t>(spans[k].end - spans[k].start);
      const uint32_t i = slices.find(row_of[k], spans[k].start, spans[k].ordinal);
      ASSERT_LT(i, slices.size());
      ASSERT_EQ(slices.end(i), spans[k].end);
    }
    EXPECT_EQ(slices.total(), total);
  }
}

TEST(Slices, ThousandsOfOverlapsDoNotExplode) {
  std::vector<Span> spans;
  for (int i = 0; i < 20'000; ++i) spans.push_back({i, 1'000'000 + i});
  const auto slices = make_slices(sorted(std::move(spans)), 1);
  EXPECT_EQ(slices.size() + slices.left_out, 20'000u);
  EXPECT_GT(slices.rows(), 9'000u);  // one tick of overlap puts two into a row at most
}

TEST(Slices, MoreOverlapsThanRowsAreCountedAsLeftOut) {
  std::vector<Span> spans;
  for (int i = 0; i < 70'000; ++i) spans.push_back({2 * i, 10'000'000 + 5 * i});
  const auto slices = make_slices(sorted(std::move(spans)), 1);
  EXPECT_EQ(slices.rows(), kMaxRows);
  EXPECT_EQ(slices.size() + slices.left_out, 70'000u);
}

TEST(Slices, LongestOfAnyRange) {
  std::mt19937_64 random(3);
  for (const size_t count : {1u, 15u, 16u, 17u, 300u, 5000u}) {
    std::vector<uint64_t> sum = {0};
    for (size_t i = 0; i < count; ++i) sum.push_back(sum.back() + random() % 50);
    LongestIndex index;
    index.build(sum);
    for (int round = 0; round < 300; ++round) {
      const auto a = static_cast<uint32_t>(random() % count), b = a + 1 + static_cast<uint32_t>(random() % (count - a));
      uint32_t best = a;
      for (uint32_t i = a; i < b; ++i) {
        if (sum[i + 1] - sum[i] > sum[best + 1] - sum[best]) best = i;
      }
      ASSERT_EQ(index.find(sum, a, b), best) << count << " " << a << " " << b;
    }
  }
}

// What a row's column holds, the slow way.
struct Column {
  int64_t busy = 0;
  uint32_t started = 0, touching = 0;
  int64_t longest = -1;
};
Column column_of(const Slices& slices, uint32_t row, int64_t a, int64_t b) {
  Column column;
  for (uint32_t i = slices.row_begin[row]; i < slices.row_begin[row + 1]; ++i) {
    const int64_t start = slices.start[i], end = slices.end(i);
    const bool touches = (start >= a && start < b) || (start < a && end > a);
    if (!touches) continue;
    column.busy += std::max<int64_t>(0, std::min(end, b) - std::max(start, a));
    column.started += start >= a;
    ++column.touching;
    column.longest = std::max(column.longest, end - start);
  }
  return column;
}

TEST(Tiles, EveryColumnIsWhatASlowLookSees) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const Slices slices = make_slices(random_spans(random, random() % 120, 6000), round % 2 ? 1 : 7);
    TileWindow window;
    window.level = static_cast<int>(random() % 8);
    window.first = static_cast<int64_t>(random() % 5) - 2;
    window.count = 1 + static_cast<int64_t>(random() % 2);
    const CellList list = find_cells(slices, window);
    std::map<std::pair<uint32_t, uint32_t>, const Cell*> cells;
    for (size_t i = 0; i < list.cells.size(); ++i) {
      const Cell& cell = list.cells[i];
      if (i > 0) {
        const Cell& last = list.cells[i - 1];
        ASSERT_TRUE(last.row < cell.row || (last.row == cell.row && last.column + last.span <= cell.column)) << "sorted, without overlap";
      }
      for (uint32_t c = 0; c < cell.span; ++c) cells[{cell.row, cell.column + c}] = &cell;
    }
    for (uint32_t row = 0; row < slices.rows(); ++row) {
      for (int64_t c = 0; c < window.columns(); ++c) {
        const Column want = column_of(slices, row, window.edge(c), window.edge(c + 1));
        const auto at = cells.find({row, static_cast<uint32_t>(c)});
        ASSERT_EQ(at != cells.end(), want.touching > 0) << "nothing vanishes and nothing is made up";
        if (want.touching == 0) continue;
        const Cell& cell = *at->second;
        ASSERT_EQ(static_cast<int64_t>(cell.busy), want.busy * cell.span);
        ASSERT_EQ(slices.dur(cell.longest), want.longest);
        if (cell.span == 1) {
          ASSERT_EQ(cell.count, std::max(1u, want.started));
        }
      }
    }
    // Wide slices are told with their own times, each once.
    std::map<uint32_t, int> wide;
    for (const auto& [row, place] : list.wide) ++wide[place];
    for (uint32_t row = 0; row < slices.rows(); ++row) {
      for (uint32_t i = slices.row_begin[row]; i < slices.row_begin[row + 1]; ++i) {
        const bool seen = slices.start[i] < window.edge(window.columns()) && slices.end(i) > window.begin();
        ASSERT_EQ(wide.count(i) == 1 && wide[i] == 1, seen && slices.dur(i) >= 3 * window.width()) << i;
      }
    }
  }
}

TEST(Tiles, BusyOfARowAddsUpAtEveryLevel) {
  std::mt19937_64 random(5);
  const Slices slices = make_slices(random_spans(random, 4000, 3'000'000), 1);
  for (int level = 4; level < 40; ++level) {
    TileWindow window;
    window.level = level;
    const int64_t tile = window.width() * kTileColumns;
    window.first = -((2'000'000 + tile - 1) / tile);
    std::map<uint32_t, double> sums;
    for (int64_t at = window.first; at * tile < 4'000'000; at += kMaxTiles) {
      window.first = at;
      window.count = kMaxTiles;
      for (const Cell& cell : find_cells(slices, window).cells) sums[cell.row] += cell.busy;
    }
    for (uint32_t row = 0; row < slices.rows(); ++row) {
      const auto want = static_cast<double>(slices.sum[slices.row_begin[row + 1]] - slices.sum[slices.row_begin[row]]);
      EXPECT_NEAR(sums[row], want, 1e-6 * want + 1e-9) << level << " " << row;
    }
  }
}

TEST(Tiles, OneNanosecondIsSeenFromFarAway) {
  const Slices slices = make_slices(sorted({{20'000'000'000, 20'000'000'001}}), 1);
  TileWindow window;
  window.level = 26;  // 40 s in 600 columns
  window.count = 2;
  const CellList list = find_cells(slices, window);
  ASSERT_EQ(list.cells.size(), 1u);
  EXPECT_EQ(list.cells[0].count, 1u);
  EXPECT_EQ(list.cells[0].busy, 1.0f);
  EXPECT_EQ(list.cells[0].column, 20'000'000'000u >> 26);
}

TEST(Tiles, RequestsThatLieBeyondAllTimesAreRefused) {
  const auto window = [](const std::string& json) { return tile_window(*wire::JsonValue::parse(json)); };
  EXPECT_TRUE(window(R"({"level":0,"first":-3,"count":2})").ok());
  EXPECT_TRUE(window(R"({"level":52,"first":-1,"count":2})").ok());
  for (const char* bad : {R"({"first":0,"count":1})", R"({"level":53,"first":0,"count":1})", R"({"level":-1,"first":0,"count":1})", R"({"level":0,"count":1})",
                          R"({"level":0,"first":0,"count":0})", R"({"level":0,"first":0,"count":65})", R"({"level":40,"first":9007199254740992,"count":1})",
                          R"({"level":52,"first":2,"count":1})", R"({"level":1.5,"first":0,"count":1})"}) {
    EXPECT_EQ(window(bad).status().code(), StatusCode::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace lanewise::server::timeline
