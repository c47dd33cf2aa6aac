// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/limits.h"

#include <gtest/gtest.h>

namespace lanewise::tools {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::Table;

std::vector<Table> findings() {
  Table table("findings", {{"kind", ColumnType::text}, {"gain_ns", ColumnType::ns}});
  table.row().text("sync").integer(10);
  std::vector<Table> tables;
  tables.push_back(std::move(table));
  return tables;
}

TEST(Limits, AKindThatIsNoneIsRefusedWithTheNearest) {
  const std::vector<std::string_view> kinds = {"sync", "d2h_copy"};
  const auto wrong = exceeded_limits(findings(), {}, {"d2hcopy>0"}, kinds);
  ASSERT_EQ(wrong.status().code(), StatusCode::invalid_argument);
  EXPECT_NE(wrong.status().message().find("did you mean d2h_copy?"), std::string::npos) << wrong.status().message();
  EXPECT_NE(wrong.status().message().find("There are sync, d2h_copy"), std::string::npos) << wrong.status().message();
  // One that is known and did not happen is a limit kept.
  EXPECT_TRUE(exceeded_limits(findings(), {}, {"d2h_copy>0"}, kinds)->empty());
  EXPECT_EQ(exceeded_limits(findings(), {}, {"sync>0"}, kinds)->size(), 1u);
}

TEST(Between, TakesTwoTimesWithUnitsInOrder) {
  const auto two = parse_between("1.5us,2ms");
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(*two, std::pair(int64_t{1500}, int64_t{2'000'000}));
  EXPECT_TRUE(parse_between("0,5ns").ok()) << "0 is 0 in any unit";
  const struct { const char* text; const char* word; } wrong[] = {{"5us", "FROM,TO"}, {"1us,2", "unit"}, {"2us,1us", "empty"}, {"1us,1us", "empty"}, {"a,b", "a"}};
  for (const auto& w : wrong) {
    const auto refused = parse_between(w.text);
    ASSERT_FALSE(refused.ok()) << w.text;
    EXPECT_NE(refused.status().message().find(w.word), std::string::npos) << refused.status().message();
  }
}

}  // namespace
}  // namespace lanewise::tools
