// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "trace/device_analysis/profile_fixture.h"
#include "trace/device_analysis/public_schema.h"
#include "trace/device_analysis/public_summary.h"
#include "trace/device_analysis/public_tables.h"

namespace lanewise::trace::device_analysis {
namespace {

using isa::Engine;
using B = ProfileBuilder;

B small() {
  B b;
  b.profile.program.name = "small";
  b.profile.program.tensors = {{"x", "input", "float32", {128, 128}, 65536}, {"y", "output", "float32", {128, 128}, 65536}};
  const uint32_t load = b.run(Engine::sync, "dma_copy", 0, 0, 58'000, {}, {}, {{1, "+", 1}});
  b.dma(load, 790'000, 1'000'000, 1'200'000, 65536, B::hbm("src0", "x", 16384), B::sbuf("dst", 0, 128));
  const uint32_t copy = b.run(Engine::vector, "tensor_copy", 0, 1'224'000, 1'400'000, {B::sbuf("dst", 1024, 128), B::sbuf("src0", 0, 128)}, {{1, ">=", 1}}, {{2, "+", 1}});
  const uint32_t store = b.run(Engine::sync, "dma_copy", 82'000, 1'435'000, 1'493'000, {}, {{2, ">=", 1}}, {{3, "+", 1}});
  b.dma(store, 2'225'000, 2'500'000, 2'700'000, 65536, B::sbuf("src0", 1024, 128), B::hbm("dst", "y", 16384));
  b.update(1'200'000, 1, 1, true, 0);
  b.update(1'411'000, 2, 1, false, copy, Engine::vector);
  b.update(2'700'000, 3, 1, true, 1);
  b.profile.last = b.profile.duration;
  return b;
}

const Table* find(const PublicTables& tables, std::string_view name) {
  for (const Table& t : tables.tables) {
    if (t.name() == name) return &t;
  }
  return nullptr;
}

TEST(PublicTables, EveryTableOfTheSchemaIsThereOrSaysWhyNot) {
  const B b = small();
  const machine::Machine m = *machine::load_machine("trn2");
  const PublicTables all = public_tables({b.profile, m});
  for (const PublicTableSchema& schema : public_schema()) {
    const Table* table = find(all, schema.name);
    EXPECT_NE(table != nullptr, all.left_out.count(schema.name) != 0) << schema.name;
    if (table == nullptr) continue;
    ASSERT_EQ(table->columns().size(), schema.columns.size());
    const auto listed = all.empty.find(schema.name);
    for (size_t i = 0; i < schema.columns.size(); ++i) {
      EXPECT_EQ(table->columns()[i].name, schema.columns[i].name);
      bool filled = false;
      for (size_t row = 0; row < table->rows(); ++row) filled |= !table->is_null(i, row);
      const bool in_list = listed != all.empty.end() && std::count(listed->second.begin(), listed->second.end(), schema.columns[i].name) == 1;
      EXPECT_NE(filled, in_list) << schema.name << "." << schema.columns[i].name;
    }
  }
}

TEST(PublicTables, RowsSayWhatRan) {
  const B b = small();
  const machine::Machine m = *machine::load_machine("trn2");
  const PublicTables all = public_tables({b.profile, m});
  const Table& instructions = *find(all, "Instruction");
  ASSERT_EQ(instructions.rows(), 3u);
  EXPECT_EQ(instructions["engine"].texts[1], "vector");
  EXPECT_EQ(instructions["start_ts"].integers[1], 1224);
  EXPECT_EQ(instructions["duration_ns"].integers[1], 176);
  EXPECT_EQ(instructions["evt_wait_time_ns"].integers[1], 1224);
  EXPECT_EQ(instructions["sbuf_read_bytes"].integers[1], 65536);
  EXPECT_EQ(instructions["hbm_read_bytes"].integers[0], 65536);
  EXPECT_EQ(instructions["dma_trigger_start_ts"].integers[0], 790);
  const Table& blocks = *find(all, "DmaPacketAggregated");
  ASSERT_EQ(blocks.rows(), 2u);
  EXPECT_EQ(blocks["queue_type"].texts[0], "input");
  EXPECT_EQ(blocks["queue_type"].texts[1], "output");
  EXPECT_EQ(blocks["source"].texts[0], "[INPUT]");
  EXPECT_EQ(blocks["dest"].texts[0], "[SB]");
  EXPECT_EQ(blocks["trigger"].integers[1], 1435);
  // Trigger, DMA, copy, trigger, DMA: four edges.
  EXPECT_EQ(find(all, "Flow")->rows(), 4u);
  const Table& tensors = *find(all, "TensorInfo");
  EXPECT_EQ(tensors["load_to_sbuf_repeat_factor"].reals[0], 1);
  const Table& hbm = *find(all, "HbmUsage");
  EXPECT_EQ(hbm["total_transfer_bytes"].integers.back(), 2 * 65536);
  EXPECT_EQ(hbm["current_throughput"].reals.back(), 0);
  const Table& pending = *find(all, "PendingDma");
  EXPECT_EQ(pending["value"].integers.back(), 0);
}

// Two nodes called from one line: its frame is there once, and their own frames name it as their caller.
TEST(PublicTables, StacksAreFramesThatKnowTheirCaller) {
  B b = small();
  device::Program& program = b.profile.program;
  program.frames = {{"/m/model.py", "forward", 12}, {"/m/model.py", "helper", 30}, {"/x/torch/f.py", "helper", 3}};
  program.sources = {{"mul", "", "", "", false, 0, {1, 0}}, {"add", "", "", "", false, 0, {2, 0}}, {"none", "", "", "", false, device::kNone, {}}};
  for (uint32_t i = 0; i < 3; ++i) program.instructions[i].source = i;
  const machine::Machine m = *machine::load_machine("trn2");
  const PublicTables all = public_tables({b.profile, m});
  const Table& frames = *find(all, "StackFrame");
  EXPECT_EQ(frames["file_location_id"].integers, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(frames["parent_frame_id"].texts, (std::vector<std::string_view>{"0", "1", "1"}));
  const Table& places = *find(all, "StackFrameFileLocation");
  EXPECT_EQ(places["file_name_id"].integers, (std::vector<int64_t>{1, 1, 2}));
  EXPECT_EQ(places["function_name_id"].integers, (std::vector<int64_t>{1, 2, 2}));
  EXPECT_EQ(places["line_number"].integers, (std::vector<int64_t>{12, 30, 3}));
  EXPECT_EQ((*find(all, "StackFrameFileName"))["name"].texts[1], "/x/torch/f.py");
  EXPECT_EQ((*find(all, "StackFrameFunctionName"))["name"].texts[0], "forward");
  std::map<std::string_view, std::string_view> seen;
  const Table& instructions = *find(all, "Instruction");
  for (size_t i = 0; i < instructions.rows(); ++i) seen[instructions["bir_id"].texts[i]] = instructions["stack_frame_ids"].texts[i];
  EXPECT_EQ(seen["0:0"], "2");
  EXPECT_EQ(seen["0:1"], "3");
  EXPECT_EQ(seen["0:2"].data(), nullptr);
}

// A node of two instructions: one orders a DMA, the other runs while the DMA still does. A node that only the debug map knows is there too,
// and what is of no node is in no row.
TEST(PublicTables, NodesOfTheFrameworkHaveTheirIntervalsAndWhatWasDoneInEach) {
  B b;
  b.profile.program.name = "small";
  b.profile.program.tensors = {{"x", "input", "float32", {128, 128}, 65536}};
  const uint32_t load = b.run(Engine::sync, "dma_copy", 0, 0, 58'000);
  b.dma(load, 790'000, 1'000'000, 1'200'000, 65536, B::hbm("src0", "x", 16384), B::sbuf("dst", 0, 128));
  const uint32_t mul = b.run(Engine::vector, "tensor_tensor", 900'000, 900'000, 1'300'500, {B::sbuf("dst", 1024, 128), B::sbuf("src0", 0, 128)});
  const uint32_t matmul = b.run(Engine::pe, "matmul", 1'400'000, 1'400'000, 1'500'000);
  const uint32_t transpose = b.run(Engine::pe, "matmul", 1'600'000, 1'600'000, 1'700'000);
  b.run(Engine::sync, "nop", 2'000'000, 2'000'000, 2'010'000);
  device::Program& program = b.profile.program;
  program.sources = {{"mul_1", "aten.mul.Tensor", "Net.norm", "RMSNorm", false, device::kNone, {}}, {"unused", "aten.neg", "", "", false, device::kNone, {}}};
  program.instructions[load].source = program.instructions[mul].source = 0;
  for (const uint32_t i : {matmul, transpose}) {
    program.instructions[i].aten_node = "mm";
    program.instructions[i].flops = 2 * 128 * 128 * 512;
  }
  program.instructions[transpose].transpose = true;
  const machine::Machine m = *machine::load_machine("trn2");
  const PublicTables all = public_tables({b.profile, m});
  const Table& t = *find(all, "FrameworkInstruction");
  ASSERT_EQ(t.rows(), 2u);
  EXPECT_EQ(t["framework_name"].texts, (std::vector<std::string_view>{"Net/norm/aten.mul.Tensor", "mm"}));
  EXPECT_EQ(t["raw_framework_id"].integers, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(t["time_intervals"].texts, (std::vector<std::string_view>{"[[0, 58], [790, 1301]]", "[[1400, 1500], [1600, 1700]]"}));
  EXPECT_EQ(t["start_ts"].integers, (std::vector<int64_t>{0, 1400}));
  EXPECT_EQ(t["end_ts"].integers, (std::vector<int64_t>{1301, 1700}));
  using Lists = std::vector<std::vector<uint64_t>>;
  EXPECT_EQ(t["hbm_transfer_size_per_interval"].lists, (Lists{{0, 65536}, {0, 0}}));
  EXPECT_EQ(t["element_count_per_interval"].lists, (Lists{{0, 0}, {128 * 128 * 512, 128 * 128 * 512}}));
  EXPECT_EQ(t["transpose_element_count_per_interval"].lists, (Lists{{0, 0}, {0, 128 * 128 * 512}}));
  EXPECT_EQ(t["hbm_read_bytes"].integers[0], 65536);
  EXPECT_EQ(t["sbuf_write_bytes"].integers[0], 2 * 65536);   // by the DMA, and by Vector
  EXPECT_EQ(t["sync_engine_instruction_count"].integers[0], 1);
  EXPECT_EQ(t["tensor_engine_instruction_count"].integers[1], 2);
  EXPECT_EQ((*find(all, "Instruction"))["raw_framework_id"].integers, (std::vector<int64_t>{1, 1, 3, 3, analysis::kNullInteger}));
}

TEST(PublicTables, SummaryHasTheSchemasColumnsInItsOrder) {
  const B b = small();
  const machine::Machine m = *machine::load_machine("trn2");
  const auto row = public_summary({b.profile, m});
  const PublicTableSchema& schema = *find_public_schema("Summary");
  ASSERT_EQ(row.size(), schema.columns.size());
  for (size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(row[i].name, schema.columns[i].name);
    EXPECT_EQ(row[i].integer, schema.columns[i].type == "i64") << row[i].name;
  }
}

// The facts about the public schema lie beside the repository.
TEST(PublicTables, TheSchemaIsThatOfThePublicReference) {
  const char* named = std::getenv("LANEWISE_SHARED");
  const std::string path = (named != nullptr ? std::string(named) : std::string(LANEWISE_SOURCE_DIR) + "/../shared") + "/facts/neuron_explorer_schema.md";
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << "skipped: the facts about the public schema are not there (" << path << "); set LANEWISE_SHARED";
  std::string line, table;
  size_t at = 0, compared = 0;
  const PublicTableSchema* schema = nullptr;
  while (std::getline(file, line)) {
    if (line.starts_with("## ") || line.starts_with("### ")) {
      if (schema != nullptr) {
        EXPECT_EQ(at, schema->columns.size()) << table;
      }
      table = line.starts_with("### ") ? line.substr(4, line.find(' ', 4) - 4) : "";
      schema = find_public_schema(table);
      compared += schema != nullptr;
      at = 0;
      continue;
    }
    if (schema == nullptr || !line.starts_with("| ") || line.starts_with("| Column") || line.starts_with("|---")) continue;
    std::vector<std::string> cells;
    std::stringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) {
      const size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
      cells.push_back(first == cell.npos ? "" : cell.substr(first, last - first + 1));
    }
    ASSERT_GE(cells.size(), 4u) << line;
    ASSERT_LT(at, schema->columns.size()) << table << ": " << line;
    const PublicColumn& c = schema->columns[at++];
    EXPECT_EQ(c.name, cells[0]) << table;
    EXPECT_EQ(c.type, cells[1].starts_with("enum") ? "str" : cells[1]) << table << "." << c.name;
    EXPECT_EQ(c.unit, cells[2]) << table << "." << c.name;
    EXPECT_EQ(c.required, cells[3] == "y") << table << "." << c.name;
  }
  EXPECT_EQ(compared, public_schema().size());
}

}  // namespace
}  // namespace lanewise::trace::device_analysis
