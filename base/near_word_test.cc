// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "base/near_word.h"

#include <gtest/gtest.h>

#include <array>

namespace lanewise {
namespace {

constexpr auto kWords = std::to_array<std::string_view>({"summary", "ops", "gaps"});

TEST(NearWord, CountsLetters) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("sumary", "summary"), 1u);
  EXPECT_EQ(edit_distance("gaps", "pags"), 2u);
}

TEST(NearWord, OnlyASlipIsNear) {
  EXPECT_EQ(near_word("sumary", kWords), "summary");
  EXPECT_EQ(near_word("opps", kWords), "ops");
  EXPECT_EQ(near_word("foo", kWords), "");
}

}  // namespace
}  // namespace lanewise
