// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/table_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tools/table_fit.h"

namespace lanewise::tools {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::Table;

// As `kernels` has them: three equal sums, one device, names that differ late.
Table kernels() {
  Table table("rows", {{"name", ColumnType::text}, {"device", ColumnType::text}, {"part", ColumnType::integer}, {"calls", ColumnType::count}, {"sum_ns", ColumnType::ns},
                       {"union_ns", ColumnType::ns}, {"clipped_ns", ColumnType::ns}, {"min_ns", ColumnType::ns}, {"mean_ns", ColumnType::ns}, {"note", ColumnType::text}});
  for (int i = 1; i <= 2; ++i) {
    table.row().text("void at::native::vectorized_elementwise_kernel<4, at::native::" + std::string(i == 1 ? "add" : "mul") + "_functor>").text("cuda:0").integer(0).integer(i)
        .integer(123'456 * i).integer(123'456 * i).integer(123'456 * i).integer(12'000).integer(61'728 * i).null();
  }
  return table;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(TableText, ANarrowTerminalKeepsTheBeginningOfNames) {
  for (const size_t width : {80u, 100u, 150u}) {
    const auto lines = lines_of(table_text(kernels(), {width, false}));
    ASSERT_EQ(lines.size(), 3u);
    for (const std::string& line : lines) EXPECT_LE(line.size(), width);
    EXPECT_TRUE(lines[1].starts_with("void at::native::vectori")) << lines[1];
    EXPECT_NE(lines[0].find("sum"), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("mean"), std::string::npos) << lines[0];
    EXPECT_EQ(lines[0].find("clipped"), std::string::npos) << "an equal column says nothing";
    EXPECT_EQ(lines[0].find("note"), std::string::npos) << "an empty column says nothing";
  }
}

TEST(TableText, NothingIsLeftOutWithoutATerminalOrWithRoom) {
  for (const size_t width : {0u, 300u}) {
    const auto lines = lines_of(table_text(kernels(), {width, false}));
    for (const char* head : {"device", "part", "union", "clipped", "note"}) EXPECT_NE(lines[0].find(head), std::string::npos) << head;
    EXPECT_NE(lines[2].find("mul_functor>"), std::string::npos);
  }
}

TEST(TableText, SentencesWrap) {
  Table table("findings", {{"rank", ColumnType::integer}, {"text", ColumnType::text}, {"gain_ns", ColumnType::ns}});
  const std::string sentence = "the device waits for code outside of operators on the host, two times; launch earlier or fewer, larger programs";
  table.row().integer(1).text(sentence).integer(5'000);
  const auto lines = lines_of(table_text(table, {60, false}));
  ASSERT_GT(lines.size(), 2u);
  std::string joined;
  for (size_t i = 1; i < lines.size(); ++i) {
    EXPECT_LE(lines[i].size(), 60u);
    std::istringstream words(lines[i].substr(4));
    for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
  }
  EXPECT_NE(lines[1].find("5.000 us"), std::string::npos);
  joined.erase(joined.find(" 5.000 us"), 9);
  EXPECT_EQ(joined, sentence);
}

TEST(TableText, WrapsAtBlanksAndElseInWords) {
  EXPECT_EQ(wrap_words("ab cd", 5), (std::vector<std::string>{"ab cd"}));
  EXPECT_EQ(wrap_words("ab cd ef", 5), (std::vector<std::string>{"ab cd", "ef"}));
  EXPECT_EQ(wrap_words("abcdefg h", 4), (std::vector<std::string>{"abcd", "efg", "h"}));
  EXPECT_EQ(wrap_words("äöüä b", 4), (std::vector<std::string>{"äöüä", "b"}));
  EXPECT_EQ(wrap_words("", 4), (std::vector<std::string>{""}));
}

TEST(TableText, ACutNameShowsItsBeginning) {
  const std::string name = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const std::string cut = cut_middle(name, 32);
  EXPECT_EQ(cut.size(), 32u);
  EXPECT_TRUE(cut.starts_with(name.substr(0, kNameBegin) + "...")) << cut;
  EXPECT_TRUE(cut.ends_with("Z"));
  EXPECT_EQ(cut_middle(name, name.size()), name);
}

}  // namespace
}  // namespace lanewise::tools
