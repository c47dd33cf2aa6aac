// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/compare.h"

#include <filesystem>
#include <numeric>
#include <random>

#include "trace/analysis/align.h"
#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/table_fixture.h"

namespace lanewise::trace::analysis {
namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;

TEST(Align, AsMuchAsPossibleIsCommon) {
  const std::vector<uint32_t> a = {1, 2, 3, 4, 5}, b = {1, 3, 9, 4, 5};
  EXPECT_EQ(align(a, b), (Pairs{{0, 0}, {2, 1}, {3, 3}, {4, 4}}));
  EXPECT_EQ(align(a, {}), Pairs());
  EXPECT_EQ(align(a, a).size(), a.size());
  const std::vector<uint32_t> c = {7, 8};
  EXPECT_EQ(align(a, c), Pairs());
}

TEST(Align, LongSequencesAreAlignedInWindows) {
  std::mt19937 random(7);
  std::vector<uint32_t> a(9000);
  for (uint32_t& v : a) v = random() % 50;
  std::vector<uint32_t> b = a;
  for (const size_t at : {8500u, 4400u, 100u}) b.insert(b.begin() + static_cast<ptrdiff_t>(at), 1000);  // three new ones
  b.erase(b.begin() + 6000);
  const Pairs pairs = align(a, b);
  for (size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(a[pairs[i].first], b[pairs[i].second]);
    EXPECT_TRUE(i == 0 || (pairs[i - 1].first < pairs[i].first && pairs[i - 1].second < pairs[i].second));
  }
  EXPECT_EQ(pairs.size(), a.size() - 1);
}

// Two steps. A: mul, add, then a linear layer; B: one fused operator, then the same layer, 2 us faster.
TraceText side(bool fused) {
  TraceText t;
  int correlation = 0;
  const auto op = [&](const char* name, int ts, const char* kernel, int start, int dur) {
    t.op(name, ts, ts + 8).call("cudaLaunchKernel", ts + 1, ts + 2, ++correlation);
    t.kernel(kernel, start, start + dur, correlation);
  };
  for (int step = 0; step < 2; ++step) {
    const int at = step * 100;
    t.slice("user_annotation", "ProfilerStep#" + std::to_string(step), "1", "1", at, fused ? 80 : 100);
    if (fused) {
      op("aten::addcmul", at + 10, "addcmul_kernel", at + 15, 12);
    } else {
      op("aten::mul", at + 10, "mul_kernel", at + 15, 10);
      op("aten::add", at + 20, "add_kernel", at + 25, 10);
    }
    t.slice("python_function", "nn.Module: Linear_0", "1", "1", at + 38, 20);
    op("aten::linear", at + 40, "gemm", at + 45, fused ? 18 : 20);
  }
  return t;
}

std::vector<CompareSide> sides() { return {{open_model(side(false)), "a"}, {open_model(side(true)), "b"}}; }

TEST(Compare, WhichKernelsReplacedWhich) {
  const auto tables = compare_tables(sides());
  ASSERT_TRUE(tables.ok());
  const Table& rows = (*tables)[3];
  ASSERT_EQ(rows.rows(), 2u);
  EXPECT_EQ(rows["status"].texts[0], "replaced");
  EXPECT_EQ(rows["a_ops"].texts[0], "aten::mul, aten::add");
  EXPECT_EQ(rows["b_ops"].texts[0], "aten::addcmul");
  EXPECT_EQ(rows["a_kernels"].texts[0], "add_kernel x2, mul_kernel x2");
  EXPECT_EQ(rows["b_kernels"].texts[0], "addcmul_kernel x2");
  EXPECT_DOUBLE_EQ(rows["a_calls"].reals[0], 2.0);
  EXPECT_EQ(rows["delta_ns"].integers[0], 12000 - 20000);
  EXPECT_EQ(rows["status"].texts[1], "same");
  EXPECT_EQ(rows["module"].texts[1], "Linear_0");
  EXPECT_EQ(rows["delta_ns"].integers[1], -2000);
}

TEST(Compare, ThePartsAddUpToTheStep) {
  const auto tables = compare_tables(sides());
  ASSERT_TRUE(tables.ok());
  const Table &explain = (*tables)[2], &metrics = (*tables)[1];
  const auto sum = [&](const char* column) { return std::accumulate(explain[column].integers.begin(), explain[column].integers.end(), int64_t{0}); };
  EXPECT_EQ(sum("a_ns"), 100000);
  EXPECT_EQ(sum("b_ns"), 80000);
  EXPECT_EQ(metrics["metric"].texts[0], "step");
  EXPECT_DOUBLE_EQ(metrics["ratio"].reals[0], 0.8);
  EXPECT_EQ(explain["part"].texts[0], "operators");
  EXPECT_EQ(explain["a_ns"].integers[0], 40000);
  EXPECT_EQ(explain["b_ns"].integers[0], 30000);
  EXPECT_EQ(explain["part"].texts[explain.rows() - 1], "unexplained");
  EXPECT_EQ(explain["a_ns"].integers[explain.rows() - 1], 0);
}

TEST(Compare, StreamsThatRunSideBySideCountOnce) {
  const auto trace = [](int second) {
    TraceText t;
    t.op("aten::mul", 0, 8).call("cudaLaunchKernel", 1, 2, 1).kernel("k1", 10, 30, 1);
    t.op("aten::add", 9, 18).call("cudaLaunchKernel", 10, 11, 2).kernel("k2", second, second + 20, 2, 8);
    t.kernel("loose", 45, 65, -1, 9).op("tail", 90, 100);
    return open_model(t);
  };
  const auto tables = compare_tables({{trace(30), "a"}, {trace(20), "b"}});
  ASSERT_TRUE(tables.ok());
  const Table& explain = (*tables)[2];
  EXPECT_EQ(cells(explain, "part", "operators", {"a_ns", "b_ns"}), "40000 30000");
  EXPECT_EQ(cells(explain, "part", "without_operator", {"a_ns", "b_ns"}), "15000 20000");
  EXPECT_EQ(cells(explain, "part", "unexplained", {"a_ns", "b_ns"}), "0 0");
  EXPECT_EQ(cells((*tables)[1], "metric", "device_work", {"a", "b"}), "60000 60000");
  EXPECT_EQ(cells((*tables)[1], "metric", "device_busy", {"a", "b"}), "55000 50000");
}

TEST(Compare, WorkOfTheStepBeforeIsAPartOfItsOwn) {
  const auto trace = [](int late) {
    TraceText t;
    t.slice("user_annotation", "ProfilerStep#1", "1", "1", 0, 100).slice("user_annotation", "ProfilerStep#2", "1", "1", 100, 100);
    t.op("aten::mul", 10, 20).call("cudaLaunchKernel", 12, 14, 1).kernel("k1", 20, 100 + late, 1);
    t.op("aten::mul", 110, 120).call("cudaLaunchKernel", 112, 114, 2).kernel("k2", 150, 160, 2);
    return open_model(t);
  };
  const auto tables = compare_tables({{trace(0), "a"}, {trace(30), "b"}});
  ASSERT_TRUE(tables.ok());
  const Table& explain = (*tables)[2];
  EXPECT_EQ(cells(explain, "part", "other_steps", {"a_ns", "b_ns"}), "0 15000");  // a mean over two steps
  EXPECT_EQ(cells(explain, "part", "operators", {"a_ns", "b_ns"}), "45000 45000");
  for (const char* column : {"a_ns", "b_ns"}) {
    EXPECT_EQ(std::accumulate(explain[column].integers.begin(), explain[column].integers.end(), int64_t{0}), 100'000);
  }
}

TEST(Compare, TracesOfTheHostAndThreeSides) {
  TraceText one, two;
  one.op("aten::mul", 0, 10).op("aten::add", 20, 30);
  two.op("aten::mul", 0, 10).op("aten::relu", 12, 18).op("aten::add", 20, 30);
  const auto a = open_model(one), b = open_model(two);
  const auto tables = compare_tables({{a, "a"}, {a, "a again"}, {b, "b"}});
  ASSERT_TRUE(tables.ok());
  const Table& rows = (*tables)[3];
  int64_t same = 0;
  bool added = false;
  for (size_t row = 0; row < rows.rows(); ++row) {
    EXPECT_TRUE(rows["side"].texts[row] == "C" || rows["status"].texts[row] == "same");
    same += rows["status"].texts[row] == "same";
    added |= rows["side"].texts[row] == "C" && rows["status"].texts[row] == "only_b" && rows["b_ops"].texts[row] == "aten::relu";
  }
  EXPECT_EQ(same, 4);
  EXPECT_TRUE(added);
  EXPECT_FALSE(compare_tables({{a, "a"}}).ok());
}

TEST_F(SharedTraces, ARealFileEqualsItselfAndTheControlDiffersFromTheTest) {
  std::shared_ptr<const Model> control, test;
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    if (path.find("diff_control") != std::string::npos) control = model;
    if (path.find("diff_test") != std::string::npos) test = model;
    const auto tables = compare_tables({{model, "a"}, {model, "b"}});
    ASSERT_TRUE(tables.ok()) << tables.status().to_string();
    const Table& rows = (*tables)[3];
    for (size_t row = 0; row < rows.rows(); ++row) {
      EXPECT_EQ(rows["status"].texts[row], "same");
      EXPECT_EQ(rows["delta_ns"].integers[row], 0);
    }
    const Table& explain = (*tables)[2];
    int64_t sum = 0;
    for (size_t row = 0; row < explain.rows(); ++row) {
      EXPECT_GE(explain["a_ns"].integers[row], 0) << explain["part"].texts[row];
      sum += explain["a_ns"].integers[row];
    }
    EXPECT_EQ(cells((*tables)[1], "metric", "step", {"a"}), std::to_string(sum));
  }
  ASSERT_TRUE(control && test);
  const auto tables = compare_tables({{control, "a"}, {test, "b"}});
  ASSERT_TRUE(tables.ok());
  const Table &explain = (*tables)[2], &metrics = (*tables)[1];
  int64_t a = 0, b = 0;
  for (size_t row = 0; row < explain.rows(); ++row) a += explain["a_ns"].integers[row], b += explain["b_ns"].integers[row];
  EXPECT_EQ(a, metrics["a"].integers[0]);
  EXPECT_EQ(b, metrics["b"].integers[0]);
  bool replaced = false;
  for (const std::string_view status : (*tables)[3]["status"].texts) replaced |= status == "replaced";
  EXPECT_TRUE(replaced);
}

}  // namespace
}  // namespace lanewise::trace::analysis
