// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/nesting.h"

#include "trace/analysis/analysis_fixture.h"

namespace lanewise::trace::analysis {
namespace {

// "parent of name" as names; "" for a root.
std::string parent_of(const Model& model, std::string_view name) {
  const schema::Row parent = model.file(0).nesting.parent[row_named(model, name)];
  return parent == kNoRow ? "" : std::string(model.name(0, parent));
}

TEST(Nesting, EachThreadNestsForItselfWhateverTheFileOrder) {
  TraceText t;
  t.op("inner", 2, 4).op("outer", 0, 10).slice("cpu_op", "other thread", "1", "2", 1, 3).slice("cpu_op", "other process", "2", "1", 1, 3);
  t.op("next", 10, 12).call("cudaLaunchKernel", 2, 3, 1).slice("python_function", "f.py(1): f", "1", "1", 0, 10);
  const auto model = open_model(t);
  EXPECT_EQ(parent_of(*model, "f.py(1): f"), "");
  EXPECT_EQ(parent_of(*model, "outer"), "f.py(1): f") << "of equal slices Python is outside";
  EXPECT_EQ(parent_of(*model, "inner"), "outer");
  EXPECT_EQ(parent_of(*model, "cudaLaunchKernel"), "inner");
  EXPECT_EQ(parent_of(*model, "other thread"), "");
  EXPECT_EQ(parent_of(*model, "other process"), "");
  EXPECT_EQ(parent_of(*model, "next"), "") << "what starts where another ends is after it";
}

TEST(Nesting, WhatCrossesAnEndGoesToASecondLaneWithWhatStartsInIt) {
  TraceText t;
  t.event(R"({"ph":"X","cat":"cpu_op","name":"root","pid":1,"tid":1,"ts":0,"dur":100.001})");
  t.op("a", 10, 50).op("b", 30, 70).op("in b", 40, 45).op("later in b", 55, 60);
  const auto model = open_model(t);
  EXPECT_EQ(parent_of(*model, "a"), "root");
  EXPECT_EQ(parent_of(*model, "b"), "root");
  EXPECT_EQ(parent_of(*model, "in b"), "b");
  EXPECT_EQ(parent_of(*model, "later in b"), "b");
  EXPECT_EQ(model->file(0).nesting.crossing, std::vector<schema::Row>{row_named(*model, "b")});
  EXPECT_EQ(model->file(0).nesting.tolerated, 0u);
}

TEST(Nesting, OneTickIsToleratedAtEitherEnd) {
  TraceText t;  // all starts are whole microseconds, so the tick is one
  t.op("late", 0, 20).op("ends after", 5, 21).op("early child", 29, 35).op("parent", 30, 50);
  const auto model = open_model(t);
  EXPECT_EQ(model->file(0).nesting.tick_ns, 1000);
  EXPECT_EQ(parent_of(*model, "ends after"), "late");
  EXPECT_EQ(parent_of(*model, "early child"), "parent");
  EXPECT_EQ(model->file(0).nesting.tolerated, 2u);
  EXPECT_TRUE(model->file(0).nesting.crossing.empty());
  const Nesting strict = nest_host_slices(model->events(0), 0);
  EXPECT_EQ(strict.tolerated, 0u);
  EXPECT_EQ(strict.crossing.size(), 2u);
}

TEST(Nesting, TheTickIsTheStepOfTheClock) {
  TraceText quarter;
  quarter.event(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1700000000000000.25,"dur":4.5})");
  EXPECT_EQ(tick_of(open_model(quarter)->events(0)), 250);
  quarter.event(R"({"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":5.001,"dur":4.5})");
  EXPECT_EQ(tick_of(open_model(quarter)->events(0)), 1);
}

TEST(Nesting, EmptyAndNegativeSlicesHoldNothing) {
  TraceText t;
  t.op("outer", 0, 10).op("empty", 0, 0).op("at the end", 10, 10).op("negative", 5, 3).op("inside", 6, 7);
  const auto model = open_model(t);
  EXPECT_EQ(parent_of(*model, "empty"), "outer");
  EXPECT_EQ(parent_of(*model, "at the end"), "");
  EXPECT_EQ(parent_of(*model, "negative"), "outer");
  EXPECT_EQ(parent_of(*model, "inside"), "outer");
}

TEST_F(SharedTraces, DoesNotDependOnThreadsAndHoldsOnRealFiles) {
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    const auto& events = model->events(0);
    const int64_t tick = tick_of(events);
    const Nesting one = nest_host_slices(events, tick, 1), many = nest_host_slices(events, tick, 7);
    EXPECT_EQ(one.parent, many.parent);
    EXPECT_EQ(one.order, many.order);
    for (const schema::Row row : one.order) {
      const schema::Row parent = one.parent[row];
      if (parent == kNoRow) continue;
      ASSERT_EQ(events.track[row], events.track[parent]);
      ASSERT_LE(events.ts_ns[parent], events.ts_ns[row] + tick);
      ASSERT_LE(slice_end(events, row), slice_end(events, parent) + tick);
    }
  }
}

}  // namespace
}  // namespace lanewise::trace::analysis
