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

}  // namespace
}  // namespace lanewise::tools
