// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/instructions.h"

#include <map>

#include <gtest/gtest.h>

#include "trace/device_analysis/profile_fixture.h"

namespace lanewise::trace::device_analysis {
namespace {

// Two nodes of one module on one line, one of another module without a stack, one of nobody.
class InstructionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    using isa::Engine;
    const uint32_t a = builder_.run(Engine::vector, "tensor_tensor", 0, 100, 300);
    const uint32_t b = builder_.run(Engine::pe, "nc_matmul", 0, 300, 1000);
    const uint32_t c = builder_.run(Engine::vector, "copy", 0, 1000, 1050);
    builder_.run(Engine::sync, "dma_copy", 0, 0, 40);
    device::Program& program = builder_.profile.program;
    program.frames = {{"/m/model.py", "forward", 12}, {"/x/torch/nn/functional.py", "linear", 3}};
    program.sources = {{"mul", "aten.mul.Tensor", "Net.fc", "Linear", false, 1, {1, 0}},
                       {"mm", "aten.mm.default", "Net.fc", "Linear", false, 0, {0}},
                       {"view", "aten.view.default", "Net", "Net", false, device::kNone, {}}};
    program.instructions[a].source = 0;
    program.instructions[b].source = 1;
    program.instructions[c].source = 2;
    auto loaded = machine::load_machine("trn2");
    ASSERT_TRUE(loaded.ok());
    machine_ = std::move(*loaded);
    auto tables = instructions_tables({builder_.profile, machine_});
    ASSERT_TRUE(tables.ok());
    for (Table& table : *tables) tables_.emplace(table.name(), std::move(table));
  }

  static int64_t sum(const Table& table, std::string_view column) {
    int64_t all = 0;
    for (const int64_t v : table[column].integers) all += v;
    return all;
  }

  ProfileBuilder builder_;
  machine::Machine machine_;
  std::map<std::string, Table> tables_;
};

TEST_F(InstructionsTest, TimesByModuleAndByLineAddUpToThatOfTheEngines) {
  const int64_t all = sum(tables_.at("engines"), "time_ps");
  EXPECT_EQ(all, 200 + 700 + 50 + 40);
  EXPECT_EQ(sum(tables_.at("modules"), "time_ps"), all);
  EXPECT_EQ(sum(tables_.at("lines"), "time_ps"), all);
  EXPECT_EQ(sum(tables_.at("modules"), "runs"), 4);
}

TEST_F(InstructionsTest, ModulesAreNamedAndWhatNobodyNamesIsUnknown) {
  const Table& modules = tables_.at("modules");
  EXPECT_EQ(modules["module"].texts, (std::vector<std::string_view>{"Net.fc", "Net", "unknown"}));
  EXPECT_EQ(modules["class"].texts[0], "Linear");
  EXPECT_EQ(modules["class"].texts[2].data(), nullptr);
  EXPECT_EQ(modules["engines"].texts[0], "tensor, vector");   // most time first
  EXPECT_EQ(modules["time_ps"].integers[0], 900);
}

TEST_F(InstructionsTest, LinesAreTheUsersOwn) {
  const Table& lines = tables_.at("lines");
  ASSERT_EQ(lines.rows(), 2u);
  EXPECT_EQ(lines["file"].texts, (std::vector<std::string_view>{"/m/model.py", "unknown"}));
  EXPECT_EQ(lines["line"].integers, (std::vector<int64_t>{12, analysis::kNullInteger}));
  EXPECT_EQ(lines["function"].texts[0], "forward");
  EXPECT_EQ(lines["time_ps"].integers, (std::vector<int64_t>{900, 90}));
}

TEST_F(InstructionsTest, EachInstructionHasItsPlaceOrNull) {
  const Table& rows = tables_.at("instructions");
  EXPECT_EQ(rows["module"].texts[1], "Net.fc");
  EXPECT_EQ(rows["file"].texts[1], "/m/model.py");
  EXPECT_EQ(rows["line"].integers[1], 12);
  EXPECT_EQ(rows["module"].texts[2], "Net");
  EXPECT_TRUE(rows.is_null(*rows.find("line"), 2) && rows.is_null(*rows.find("module"), 3) && rows.is_null(*rows.find("file"), 3));
}

}  // namespace
}  // namespace lanewise::trace::device_analysis
