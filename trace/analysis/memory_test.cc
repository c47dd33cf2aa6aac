// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/memory.h"

#include "trace/analysis/analysis_fixture.h"

namespace lanewise::trace::analysis {
namespace {

void memory(TraceText* t, int ts, int bytes, int address, int total, int type = 1, int id = 0) {
  t->event("{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" + std::to_string(ts) +
           ",\"args\":{\"Bytes\":" + std::to_string(bytes) + ",\"Addr\":" + std::to_string(address) + ",\"Total Allocated\":" + std::to_string(total) +
           ",\"Total Reserved\":4096,\"Device Type\":" + std::to_string(type) + ",\"Device Id\":" + std::to_string(id) + "}}");
}

TEST(Memory, PeakCurveAndWhoHoldsIt) {
  TraceText t;
  t.slice("python_function", "train.py(7): step", "1", "1", 0, 100).op("aten::mul", 10, 20).op("aten::add", 30, 40);
  memory(&t, 12, 300, 1, 1300);   // 1000 bytes were there before
  memory(&t, 32, 500, 2, 1800);   // the peak
  memory(&t, 50, -300, 1, 1500);
  memory(&t, 60, -400, 9, 1100);  // a block from before the file
  memory(&t, 35, 64, 70, 64, 0, -1);
  const auto tables = memory_tables(*open_model(t));
  ASSERT_TRUE(tables.ok());
  const Table& devices = (*tables)[0];
  ASSERT_EQ(devices.rows(), 2u);
  EXPECT_EQ(devices["device"].texts[0], "cpu");
  EXPECT_EQ(devices["device"].texts[1], "cuda:0");
  EXPECT_EQ(devices["first_bytes"].integers[1], 1000);
  EXPECT_EQ(devices["peak_bytes"].integers[1], 1800);
  EXPECT_EQ(devices["peak_start"].integers[1], 32000);
  EXPECT_EQ(devices["last_bytes"].integers[1], 1100);
  EXPECT_EQ(devices["before_bytes"].integers[1], 1000);
  EXPECT_EQ(devices["unknown_releases"].integers[1], 1);
  EXPECT_EQ(devices["released_bytes"].integers[1], 700);
  EXPECT_EQ(devices["peak_reserved_bytes"].integers[1], 4096);
  const Table& rows = (*tables)[1];
  ASSERT_EQ(rows.rows(), 3u);
  EXPECT_EQ(rows["op"].texts[0], "aten::add");
  EXPECT_EQ(rows["line"].integers[0], 7);
  EXPECT_EQ(rows["kept_bytes"].integers[0], 500);
  EXPECT_EQ(rows["op"].texts[1], "aten::mul");
  EXPECT_EQ(rows["peak_bytes"].integers[1], 300);
  EXPECT_EQ(rows["kept_bytes"].integers[1], 0);
  EXPECT_EQ((*tables)[2].rows(), 5u);
}

TEST(Memory, FromTheCallsOfARuntimeThatTellsBytes) {
  TraceText t;
  t.slice("privateuse1_runtime", "nrt_tensor_allocate", "1", "1", 10, 2, "\"bytes\":100,\"device\":0");
  t.slice("privateuse1_runtime", "nrt_tensor_allocate", "1", "1", 20, 2, "\"bytes\":50,\"device\":0");
  t.slice("privateuse1_runtime", "nrt_tensor_free", "1", "1", 30, 2, "\"bytes\":100,\"device\":0");
  t.slice("kernel", "k", "0", "0", 40, 2, "\"device\":0");
  const auto tables = memory_tables(*open_model(t));
  ASSERT_TRUE(tables.ok());
  const Table& devices = (*tables)[0];
  ASSERT_EQ(devices.rows(), 1u);
  EXPECT_EQ(devices["device"].texts[0], "neuron:0");
  EXPECT_EQ(devices["source"].texts[0], "calls");
  EXPECT_EQ(devices["peak_bytes"].integers[0], 150);
  EXPECT_EQ(devices["last_bytes"].integers[0], 50);
}

TEST(Memory, NothingWhenTheFileTellsNothing) {
  TraceText t;
  t.op("aten::add", 0, 10);
  const auto tables = memory_tables(*open_model(t));
  ASSERT_TRUE(tables.ok());
  EXPECT_EQ((*tables)[0].rows(), 0u);
  Selection selection;
  selection.device = "cuda:0";
  EXPECT_FALSE(memory_tables(*open_model(t), selection).ok());
}

TEST(Memory, SizesThatNoDeviceHasAreLeftOut) {
  TraceText t;
  for (int i = 0; i < 3; ++i) {
    t.event("{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":1,\"args\":{\"Bytes\":9223372036854775807,\"Addr\":1}}");
  }
  memory(&t, 12, 300, 1, 300);
  const auto tables = memory_tables(*open_model(t));
  ASSERT_TRUE(tables.ok());
  ASSERT_EQ((*tables)[2].rows(), 1u);
  EXPECT_EQ((*tables)[0]["peak_bytes"].integers[0], 300);
}

// Totals of the allocator are its own; between two events they may only move by the event's bytes.
TEST_F(SharedTraces, RealFilesKeepTheirOwnBooks) {
  size_t events = 0;
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    const auto filter = Filter::make(*model, {});
    for (const DeviceMemory& memory : find_memory(*model, *filter)) {
      events += memory.from_calls ? 0 : memory.events.size();
      if (memory.device == "cpu") continue;  // several allocators share that name
      int64_t live = memory.before_bytes;
      for (size_t i = 0; i < memory.events.size(); ++i) live += memory.live_at_peak[i] ? memory.events[i].bytes : 0;
      EXPECT_EQ(live, memory.events[memory.peak].total);
    }
  }
  EXPECT_EQ(events, 236u + 13474u);
}

}  // namespace
}  // namespace lanewise::trace::analysis
