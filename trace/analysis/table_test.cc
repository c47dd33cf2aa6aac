// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/table.h"

#include <gtest/gtest.h>

#include "trace/analysis/id_index.h"
#include "trace/analysis/intervals.h"

namespace lanewise::trace::analysis {
namespace {

Table three_rows() {
  Table table("rows", {{"name", ColumnType::text}, {"ns", ColumnType::ns}, {"share", ColumnType::real}, {"events", ColumnType::events}});
  table.row().text("b").integer(5).real(0.5).events({1, 2});
  table.row().text("a").null().null().events({});
  table.row().text("c").integer(9).real(0.25).events({3});
  return table;
}

TEST(Table, SortsWithNullsLastInEitherDirection) {
  Table table = three_rows();
  table.sort(*table.find("ns"), true);
  EXPECT_EQ(table["name"].texts, (std::vector<std::string_view>{"c", "b", "a"}));
  table.sort(*table.find("ns"), false);
  EXPECT_EQ(table["name"].texts, (std::vector<std::string_view>{"b", "c", "a"}));
  table.sort(*table.find("name"), false);
  EXPECT_EQ(table["events"].lists, (std::vector<std::vector<uint64_t>>{{}, {1, 2}, {3}}));
  EXPECT_TRUE(table.is_null(*table.find("share"), 0));
}

TEST(Table, KeepsRowsOfAllColumnsTogether) {
  Table table = three_rows();
  table.keep_rows({2, 0});
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(table["name"].texts[0], "c");
  EXPECT_EQ(table["share"].reals[1], 0.5);
  table.keep_rows(size_t{1});
  EXPECT_EQ(table["events"].lists, (std::vector<std::vector<uint64_t>>{{3}}));
  EXPECT_FALSE(table.find("nothing").has_value());
  // Texts it owns move with it.
  const Table moved = std::move(table);
  EXPECT_EQ(moved["name"].texts[0], "c");
}

TEST(Intervals, SetsOfMoments) {
  EXPECT_EQ(join_intervals({{5, 7}, {1, 2}, {2, 3}, {6, 9}, {4, 4}}), (Intervals{{1, 3}, {5, 9}}));
  EXPECT_EQ(intersect({{0, 10}, {20, 30}}, {{5, 25}, {28, 40}}), (Intervals{{5, 10}, {20, 25}, {28, 30}}));
  EXPECT_EQ(subtract({{0, 10}, {20, 30}}, {{2, 4}, {8, 22}, {30, 40}}), (Intervals{{0, 2}, {4, 8}, {22, 30}}));
  EXPECT_EQ(length_of({{0, 2}, {4, 8}}), 6);
}

TEST(IdIndex, FindsCloseAndFarIds) {
  const IdIndex close({{7, 1}, {8, 2}, {7, 3}});
  ASSERT_EQ(close.find(7).size(), 2u);
  EXPECT_EQ(close.find(7)[1].row, 3u);
  EXPECT_TRUE(close.find(6).empty());
  EXPECT_TRUE(close.find(9).empty());
  EXPECT_TRUE(close.find(std::numeric_limits<int64_t>::min()).empty());
  const IdIndex far({{std::numeric_limits<int64_t>::min() + 5, 1}, {std::numeric_limits<int64_t>::max(), 2}});
  EXPECT_EQ(far.find(std::numeric_limits<int64_t>::max())[0].row, 2u);
  EXPECT_TRUE(far.find(0).empty());
  EXPECT_TRUE(IdIndex().find(0).empty());
}

}  // namespace
}  // namespace lanewise::trace::analysis
