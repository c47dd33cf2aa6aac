// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/hidden.h"

#include "trace/analysis/analysis_fixture.h"

namespace lanewise::trace::analysis {
namespace {

TEST(Hidden, EachKindWithItsOperatorAndLine) {
  TraceText t;
  t.slice("python_function", "train.py(7): step", "1", "1", 0, 400);
  t.op("aten::add", 10, 40).call("cudaMalloc", 12, 20, 1).call("cudaLaunchKernel", 21, 22, 2).kernel("k", 25, 30, 2);
  t.call("cudaDeviceSynchronize", 50, 80, 3);
  t.op("aten::cholesky", 100, 160).slice("privateuse1_runtime", "neuron_host_fallback", "1", "1", 101, 58, "\"name\":\"aten::cholesky\"");
  for (int i = 0; i < 3; ++i) t.slice("privateuse1_runtime", "neuron_compile", "1", "1", 200 + 10 * i, 4 + i, "\"name\":\"add.Tensor\"");
  t.op("Torch-Compiled Region: 0/0", 300, 310).op("Torch-Compiled Region: 0/2", 320, 330).op("Torch-Compiled Region: 1/0", 340, 350);
  const auto model = open_model(t);
  const auto tables = hidden_tables(*model);
  ASSERT_TRUE(tables.ok());
  std::map<std::string, std::pair<int64_t, int64_t>> kinds;  // calls, host time
  const Table& table = (*tables)[0];
  for (size_t row = 0; row < table.rows(); ++row) kinds[std::string(table["kind"].texts[row])] = {table["calls"].integers[row], table["host_ns"].integers[row]};
  using Kinds = std::map<std::string, std::pair<int64_t, int64_t>>;
  // The second and third compile of one operator, and region 0/2.
  EXPECT_EQ(kinds, (Kinds{{"allocate", {1, 8000}}, {"sync", {1, 30000}}, {"fallback", {1, 58000}}, {"compile", {1, 4000}}, {"recompile", {3, 11000}}}));
  const Table& rows = (*tables)[1];
  EXPECT_EQ(rows["kind"].texts[0], "fallback");
  EXPECT_EQ(rows["name"].texts[0], "aten::cholesky");
  EXPECT_EQ(rows["op"].texts[0], "aten::cholesky");
  EXPECT_EQ(rows["file"].texts[0], "train.py");
  EXPECT_EQ(rows["line"].integers[0], 7);
  EXPECT_EQ(rows["kind"].texts[1], "sync");
  EXPECT_TRUE(rows.is_null(*rows.find("op"), 1));
}

TEST(Hidden, ACallbackIsNoFallback) {
  TraceText t;
  t.slice("python_function", "torch/_dynamo/eval_frame.py(152): _callback_from_stance", "1", "1", 0, 10);
  t.slice("python_function", "torch/_inductor/lowering.py(2): make_fallback", "1", "1", 20, 10).op("xla::fallback_aten::sort", 40, 50);
  const auto model = open_model(t);
  const auto filter = Filter::make(*model, {});
  const auto items = find_hidden(*model, *filter);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(model->name(0, items[0].row), "xla::fallback_aten::sort");
}

TEST(Hidden, OfNestedCompilationsTheOutermostCounts) {
  TraceText t;
  t.slice("user_annotation", "_compile.compile_inner (dynamo_timed)", "1", "1", 0, 100);
  t.slice("user_annotation", "compile_fx_inner (dynamo_timed)", "1", "1", 10, 50).slice("cuda_driver", "cuModuleLoadData", "1", "1", 20, 5);
  const auto tables = hidden_tables(*open_model(t));
  ASSERT_TRUE(tables.ok());
  ASSERT_EQ((*tables)[0].rows(), 1u);
  EXPECT_EQ((*tables)[0]["calls"].integers[0], 1);
  EXPECT_EQ((*tables)[0]["host_ns"].integers[0], 100000);
}

TEST_F(SharedTraces, RealFilesHaveAsManyCallsAsTheirRuntimeRows) {
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    int64_t syncs = 0, allocations = 0;
    for (const RuntimeCall& call : model->file(0).links.calls) {
      syncs += call.kind == schema::CallKind::sync;
      allocations += call.kind == schema::CallKind::allocate;
    }
    const auto filter = Filter::make(*model, {});
    for (const HiddenItem& item : find_hidden(*model, *filter)) {
      syncs -= item.kind == HiddenKind::sync;
      allocations -= item.kind == HiddenKind::allocate;
    }
    EXPECT_EQ(syncs, 0);
    EXPECT_EQ(allocations, 0);
  }
}

}  // namespace
}  // namespace lanewise::trace::analysis
