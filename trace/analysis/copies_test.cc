// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/copies.h"

#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/trace_on_disk.h"

namespace lanewise::trace::analysis {
namespace {

// Three steps; in each a tiny copy inside aten::add. In the first also a large explicit one, and a read back without bytes.
TraceText trace() {
  TraceText t;
  int correlation = 0;
  const auto copy = [&](const char* name, int ts, int dur, const char* bytes) {
    t.call("cudaMemcpyAsync", ts, ts + 2, ++correlation);
    t.slice("gpu_memcpy", name, "0", "7", ts + 5, dur, "\"device\":0,\"stream\":7,\"correlation\":" + std::to_string(correlation) + bytes);
  };
  for (int step = 0; step < 3; ++step) {
    const int at = step * 100;
    t.slice("user_annotation", "ProfilerStep#" + std::to_string(step), "1", "1", at, 100);
    t.slice("python_function", "train.py(7): step", "1", "1", at + 1, 90);
    t.op("aten::add", at + 2, at + 20).op("aten::copy_", at + 3, at + 15);
    copy("Memcpy HtoD (Pageable -> Device)", at + 4, 2, ",\"bytes\":4");
    if (step == 0) {
      t.op("aten::to", 30, 50).op("aten::copy_", 31, 49);
      copy("Memcpy HtoD (Pinned -> Device)", 32, 20, ",\"bytes\":40000");
      t.op("aten::item", 60, 80);
      copy("Memcpy DtoH (Device -> Pageable)", 62, 3, "");
    }
  }
  return t;
}

TEST(Copies, BytesBandwidthAndWhoAsked) {
  const auto model = open_model(trace());
  const auto tables = copies_tables(*model);
  ASSERT_TRUE(tables.ok());
  const Table& rows = (*tables)[1];
  ASSERT_EQ(rows.rows(), 3u);
  // By device time: 20 us explicit, 3 x 2 us inside add, 3 us read back.
  EXPECT_EQ(rows["op"].texts[0], "aten::to");
  EXPECT_TRUE(rows.is_null(*rows.find("inside"), 0));
  EXPECT_EQ(rows["bytes"].integers[0], 40000);
  EXPECT_DOUBLE_EQ(rows["gb_per_s"].reals[0], 2.0);  // 40000 bytes in 20000 ns
  EXPECT_EQ(rows["tiny"].integers[0], 0);

  EXPECT_EQ(rows["op"].texts[1], "aten::add");
  EXPECT_EQ(rows["inside"].texts[1], "aten::add");
  EXPECT_EQ(rows["file"].texts[1], "train.py");
  EXPECT_EQ(rows["line"].integers[1], 7);
  EXPECT_EQ(rows["calls"].integers[1], 3);
  EXPECT_EQ(rows["sum_ns"].integers[1], 6000);
  EXPECT_EQ(rows["host_ns"].integers[1], 6000);
  EXPECT_DOUBLE_EQ(rows["per_step"].reals[1], 1.0);
  EXPECT_EQ(rows["tiny"].integers[1], 1);

  EXPECT_EQ(rows["kind"].texts[2], "DtoH");
  EXPECT_TRUE(rows.is_null(*rows.find("gb_per_s"), 2));
  EXPECT_TRUE(rows.is_null(*rows.find("largest"), 2));

  const Table& kinds = (*tables)[0];
  ASSERT_EQ(kinds.rows(), 2u);
  EXPECT_EQ(kinds["kind"].texts[0], "HtoD");
  EXPECT_EQ(kinds["bytes"].integers[0], 40012);
  EXPECT_EQ(kinds["busy_ns"].integers[0], 26000);
  EXPECT_EQ(kinds["without_bytes"].integers[1], 1);
}

TEST(Copies, OfOneStep) {
  const auto model = open_model(trace());
  Selection selection;
  selection.steps = {1};
  const auto tables = copies_tables(*model, selection);
  ASSERT_TRUE(tables.ok());
  ASSERT_EQ((*tables)[1].rows(), 1u);
  EXPECT_EQ((*tables)[1]["calls"].integers[0], 1);
  EXPECT_DOUBLE_EQ((*tables)[1]["per_step"].reals[0], 1.0);
}

TEST(Copies, ACallWithoutADeviceEventCountsAndHasNoDeviceTime) {
  TraceText t;
  t.slice("mtia_runtime", "memcpyHtoDAsync", "1", "1", 10, 5, "\"bytes\":64").op("tail", 20, 30);
  const auto tables = copies_tables(*open_model(t));
  ASSERT_TRUE(tables.ok());
  const Table& kinds = (*tables)[0];
  ASSERT_EQ(kinds.rows(), 1u);
  EXPECT_EQ(kinds["kind"].texts[0], "HtoD");
  EXPECT_EQ(kinds["without_device"].integers[0], 1);
  EXPECT_EQ(kinds["bytes"].integers[0], 64);
  EXPECT_EQ(kinds["sum_ns"].integers[0], 0);
}

TEST(Copies, TheKindMayStandInAnArg) {
  TraceText t;
  t.slice("gpu_memcpy", "Memcpy", "0", "7", 10, 5, "\"device\":0,\"bytes\":8,\"copy_kind\":\"Device -> Host\"");
  t.slice("gpu_memcpy", "Memcpy", "0", "7", 20, 5, "\"device\":0,\"bytes\":8");
  const TraceOnDisk trace(t);
  const auto tables = copies_tables(*trace.model);
  ASSERT_TRUE(tables.ok());
  ASSERT_EQ((*tables)[0].rows(), 2u);
  EXPECT_EQ((*tables)[0]["kind"].texts[0], "unknown");
  EXPECT_EQ((*tables)[0]["kind"].texts[1], "DtoH");
}

TEST_F(SharedTraces, AllCopiesOfRealFilesAreCounted) {
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    int64_t device_copies = 0, sum = 0;
    for (const DeviceEvent& event : model->file(0).links.device_events) {
      if (model->events(0).role_of(event.row) != schema::Role::memcpy) continue;
      ++device_copies;
      sum += event.end_ns - event.start_ns;
    }
    const auto tables = copies_tables(*model);
    ASSERT_TRUE(tables.ok());
    for (const Table& table : *tables) {
      int64_t calls = 0, ns = 0;
      for (size_t row = 0; row < table.rows(); ++row) {
        if (table.is_null(*table.find("device"), row)) continue;
        calls += table["calls"].integers[row];
        ns += table["sum_ns"].integers[row];
        EXPECT_NE(table["kind"].texts[row], "unknown");
      }
      EXPECT_EQ(calls, device_copies);
      EXPECT_EQ(ns, sum);
    }
  }
}

}  // namespace
}  // namespace lanewise::trace::analysis
