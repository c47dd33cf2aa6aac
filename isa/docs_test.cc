// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/isa.md shows every opcode, and what it shows is legal.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "isa/program.h"
#include "isa/table.h"

namespace lanewise::isa {
namespace {

TEST(DocsTest, EveryExampleParsesAndVerifiesAndNoOpcodeIsMissing) {
  std::ifstream in(LANEWISE_DOCS "/isa.md");
  ASSERT_TRUE(in.is_open());
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) inside = line == "```lanewise";
    else if (inside) text += line + "\n";
  }
  const auto program = parse_text(text);
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  const Status legal = verify(*program, {212984, 16384});
  EXPECT_TRUE(legal.ok()) << legal.to_string();
  EXPECT_TRUE(parse_text(print_text(*program)).value() == *program);

  std::set<Opcode> shown;
  for (const auto& stream : program->streams)
    for (const Instruction& i : stream) {
      shown.insert(i.op);
      EXPECT_NE(text.find(print_text(i)), std::string::npos) << "not in canonical form: " << print_text(i);
    }
  for (int op = 0; op < kOpcodeCount; ++op)
    EXPECT_TRUE(shown.contains(static_cast<Opcode>(op))) << opcode_name(static_cast<Opcode>(op));
}

}  // namespace
}  // namespace lanewise::isa
