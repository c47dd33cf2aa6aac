// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/ops.h"

#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/kernels.h"
#include "trace/analysis/steps.h"
#include "trace/analysis/summary.h"
#include "trace/analysis/tree.h"

namespace lanewise::trace::analysis {
namespace {

// "calls self_cpu cpu self_device device" in microseconds, or "" when there is no such row.
std::string row_of(const Table& table, std::string_view name, std::string_view type = "CPU", int annotation = 0) {
  for (size_t row = 0; row < table.rows(); ++row) {
    if (table["name"].texts[row] != name || table["device_type"].texts[row] != type || table["annotation"].integers[row] != annotation) continue;
    std::string text = std::to_string(table["calls"].integers[row]);
    for (const char* column : {"self_cpu_ns", "cpu_ns", "self_device_ns", "device_ns"}) {
      text += " " + std::to_string(table[column].integers[row] / 1000);
    }
    return text;
  }
  return "";
}

Table ops(const Model& model, const OpsOptions& options = {}) {
  auto table = ops_table(model, options);
  EXPECT_TRUE(table.ok()) << table.status().to_string();
  return std::move(*table);
}

TraceText two_steps() {
  TraceText t;
  t.slice("user_annotation", "ProfilerStep#1", "1", "1", 0, 50, "\"External id\":1");
  t.slice("user_annotation", "ProfilerStep#2", "1", "1", 50, 50, "\"External id\":2");
  for (int step = 0; step < 2; ++step) {
    const int at = 50 * step;
    const std::string outer = std::to_string(10 + step), inner = std::to_string(20 + step);
    t.op("aten::linear", at + 5, at + 25, "\"External id\":" + outer + R"(,"Input Dims":[[)" + inner + "]]");
    t.op("aten::addmm", at + 10, at + 20, "\"External id\":" + inner);
    t.slice("cuda_runtime", "cudaLaunchKernel", "1", "1", at + 12, 3, "\"correlation\":" + inner + ",\"External id\":" + inner);
    t.slice("kernel", "gemm", "0", "7", at + 30, 7, "\"device\":0,\"correlation\":" + inner + ",\"External id\":" + inner);
  }
  t.slice("gpu_user_annotation", "ProfilerStep#1", "0", "7", 30, 7, "\"device\":0,\"External id\":1");
  return t;
}

TEST(Ops, SelfAndTotalOfHostAndDevice) {
  const auto model = open_model(two_steps());
  const Table table = ops(*model);
  EXPECT_EQ(row_of(table, "ProfilerStep*", "CPU", 1), "2 60 100 0 14");
  EXPECT_EQ(row_of(table, "aten::linear"), "2 20 40 0 14");
  EXPECT_EQ(row_of(table, "aten::addmm"), "2 14 20 14 14");
  EXPECT_EQ(row_of(table, "cudaLaunchKernel"), "2 6 6 0 0");
  EXPECT_EQ(row_of(table, "gemm", "CUDA"), "2 0 0 14 14");
  EXPECT_EQ(row_of(table, "ProfilerStep*", "CUDA", 1), "1 0 0 7 7") << "a range on the device is a row, and nobody's work";
  EXPECT_EQ(table.rows(), 6u);
  EXPECT_EQ(table["name"].texts[0], "aten::addmm") << "by self device time, then self CPU time";
}

TEST(Ops, PythonFunctionsNestAndHaveNoRow) {
  TraceText t;
  t.slice("user_annotation", "range", "1", "1", 0, 100).slice("python_function", "f.py(1): f", "1", "1", 10, 50).op("aten::add", 20, 30);
  const Table table = ops(*open_model(t));
  EXPECT_EQ(row_of(table, "range", "CPU", 1), "1 50 100 0 0");
  EXPECT_EQ(row_of(table, "aten::add"), "1 10 10 0 0");
  EXPECT_EQ(table.rows(), 2u);
}

TEST(Ops, AnOnlyChildOfTheSameNameIsOneWithItsParent) {
  TraceText t;
  t.op("f", 0, 100, "\"External id\":1").op("f", 10, 90, "\"External id\":2").op("f", 20, 80, "\"External id\":3").op("g", 30, 40);
  t.slice("kernel", "k", "0", "7", 50, 5, "\"device\":0,\"External id\":3");
  t.op("f", 200, 300).op("f", 210, 220).op("f", 230, 240);
  const Table table = ops(*open_model(t));
  EXPECT_EQ(row_of(table, "f"), std::to_string(1 + 3) + " " + std::to_string(90 + 80 + 10 + 10) + " " + std::to_string(100 + 100 + 10 + 10) + " 5 5");
  EXPECT_EQ(row_of(table, "g"), "1 10 10 0 0");
}

TEST(Ops, BookkeepingOfPyTorchHasNoRowAndPassesItsChildrenOn) {
  TraceText t;
  t.op("aten::add", 0, 100).op("aten::is_leaf", 10, 50).op("aten::empty", 20, 30);
  const Table table = ops(*open_model(t));
  EXPECT_EQ(row_of(table, "aten::add"), "1 90 100 0 0");
  EXPECT_EQ(row_of(table, "aten::empty"), "1 10 10 0 0");
  EXPECT_EQ(row_of(table, "aten::is_leaf"), "");
}

TEST(Ops, GroupsAndSelections) {
  const auto model = open_model(two_steps());
  OpsOptions options;
  options.groups = {OpsGroup::shape, OpsGroup::step};
  const Table grouped = ops(*model, options);
  std::vector<std::string> linear;
  for (size_t row = 0; row < grouped.rows(); ++row) {
    if (grouped["name"].texts[row] == "aten::linear") {
      linear.push_back(std::string(grouped["input_shapes"].texts[row]) + " in " + std::to_string(grouped["step"].integers[row]));
    }
  }
  EXPECT_EQ(linear, (std::vector<std::string>{"[[20]] in 1", "[[21]] in 2"}));

  OpsOptions second;
  second.selection.steps = {2};
  EXPECT_EQ(row_of(ops(*model, second), "aten::addmm"), "1 7 10 7 7");
  EXPECT_EQ(row_of(ops(*model, second), "gemm", "CUDA"), "1 0 0 7 7");
  OpsOptions named;
  named.selection.name = "aten::*";
  EXPECT_EQ(ops(*model, named).rows(), 2u);
}

TEST(Ops, KernelsStepsTreeAndSummaryAgreeWithEachOther) {
  const auto model = open_model(two_steps());
  const auto kernels = kernels_table(*model);
  ASSERT_EQ(kernels->rows(), 1u);
  EXPECT_EQ((*kernels)["sum_ns"].integers[0], 14000);
  EXPECT_EQ((*kernels)["op"].texts[0], "aten::addmm");

  const auto steps = steps_tables(*model);
  const Table& rows = (*steps)[1];
  ASSERT_EQ(rows.rows(), 2u);
  for (size_t row = 0; row < 2; ++row) {
    EXPECT_EQ(rows["kernel_ns"].integers[row], 7000);
    EXPECT_EQ(rows["runtime_ns"].integers[row], 3000);
    EXPECT_EQ(rows["cpu_ns"].integers[row], 17000);
    EXPECT_EQ(rows["other_ns"].integers[row], 50000 - 7000 - 3000 - 17000);
    EXPECT_EQ(rows["asked_ns"].integers[row], 7000);
  }

  const auto tree = tree_table(*model);
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ((*tree)["name"].texts[0], "1") << "a thread, by its tid";
  EXPECT_EQ((*tree)["total_ns"].integers[0], 100000);
  TreeOptions up;
  up.bottom_up = true;
  const auto callers = tree_table(*model, up);
  int64_t self = 0;
  for (size_t row = 0; row < callers->rows(); ++row) self += (*callers)["self_ns"].integers[row];
  EXPECT_EQ(self, 100000) << "self times of all slices are the time in slices";
  TreeOptions nobody;
  nobody.thread = "77";
  EXPECT_FALSE(tree_table(*model, nobody).ok());

  const auto summary = summary_tables(*model);
  ASSERT_EQ(summary->size(), 5u);
  EXPECT_EQ((*summary)[2]["name"].texts[0], "aten::addmm");
}

}  // namespace
}  // namespace lanewise::trace::analysis
