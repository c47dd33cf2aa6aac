// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/machine.md names every assumed number of trn2 and no other; its example specs load.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "machine/machine.h"

namespace lanewise::machine {
namespace {

TEST(DocsTest, TheListOfAssumptionsIsTrue) {
  std::ifstream in(LANEWISE_DOCS "/machine.md");
  ASSERT_TRUE(in.is_open());
  std::ostringstream text;
  text << in.rdbuf();
  const std::string page = text.str();
  const std::string list = page.substr(page.find("## What is assumed"));
  const std::vector<Parameter> parameters = describe_machine("trn2").value();
  for (const Parameter& p : parameters) {
    const bool assumed = p.source.find("assumed") != std::string::npos;
    EXPECT_EQ(list.find("`" + p.key + "`") != std::string::npos, assumed) << p.key << ": " << p.source;
  }
}

TEST(DocsTest, ExampleSpecsLoad) {
  std::ifstream in(LANEWISE_DOCS "/machine.md");
  int examples = 0;
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kName = "LANEWISE_MACHINE=";
    if (!line.starts_with(kName) || line.find('/') != std::string::npos) continue;
    ++examples;
    EXPECT_TRUE(load_machine(line.substr(kName.size())).ok()) << line;
  }
  EXPECT_EQ(examples, 3);
}

}  // namespace
}  // namespace lanewise::machine
