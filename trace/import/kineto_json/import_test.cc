// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What well-formed files of every dialect become.
#include <gtest/gtest.h>

#include "trace/import/kineto_json/import_fixture.h"

namespace lanewise::trace::kineto_json {
namespace {

using schema::ArgKey;
using schema::Role;

Imported events(std::string_view list) {
  return import_text("{\"schemaVersion\": 1, \"traceEvents\": [" + std::string(list) + "]}");
}

TEST(Import, ReadsTheFieldsOfAnEvent) {
  const Imported in = events(R"({"ph": "X", "cat": "kernel", "name": "k<\"a\">", "pid": 0, "tid": "stream 7",
    "ts": 1661203462584767.123, "dur": 2.5, "args": {"External id": 12, "correlation": 7, "device": 1, "stream": 20,
    "bytes": 4096, "Input Dims": [[4, 8], []], "Collective name": "all\u0072educe", "unknown": {"a": [1, "}"]}}})");
  ASSERT_TRUE(in.status.ok()) << in.status.to_string();
  const auto& t = in.file.events;
  ASSERT_EQ(t.rows(), 1u);
  EXPECT_EQ(in.text(t.name[0]), "k<\"a\">");
  EXPECT_EQ(in.text(t.category[0]), "kernel");
  EXPECT_EQ(t.phase[0], 'X');
  EXPECT_EQ(t.ts_ns[0], 1661203462584767123);
  EXPECT_EQ(t.dur_ns[0], 2500);
  EXPECT_EQ(in.text(t.track_of(0).pid), "0");
  EXPECT_EQ(in.text(t.track_of(0).tid), "stream 7");
  EXPECT_EQ(t.role_of(0), Role::kernel);
  EXPECT_EQ(t.external_id[0], 12);
  EXPECT_EQ(t.correlation[0], 7);
  EXPECT_EQ(t.device[0], 1);
  EXPECT_EQ(t.stream[0], 20);
  EXPECT_EQ(t.arg(ArgKey::bytes).find(0), 4096);
  EXPECT_EQ(in.text(static_cast<uint32_t>(t.arg(ArgKey::input_dims).find(0))), "[[4,8],[]]");
  EXPECT_EQ(in.text(static_cast<uint32_t>(t.arg(ArgKey::collective).find(0))), "allreduce");
  EXPECT_EQ(t.flags[0], 0);
  EXPECT_TRUE(in.file.ledger.balanced());
  EXPECT_FALSE(in.file.ledger.damaged());
}

// Reported: Ascend/pytorch#133.
TEST(Import, TimesAreExactInEveryForm) {
  const struct { const char* ts; int64_t ns; uint8_t flags; } cases[] = {
      {"0", 0, 0},
      {"-0.001", -1, 0},
      {"-12.5", -12'500, 0},
      {"1e3", 1'000'000, 0},
      {"1.5E-2", 15, 0},
      {"0.0015", 1, schema::kStartCut},
      {"12.3450", 12'345, 0},
      {"-0.0015", -1, schema::kStartCut},
      {"9223372036854775.807", 9223372036854775807, 0},
      {"9223372036854775.808", 9223372036854775807, schema::kClipped},
      {"-9223372036854775.808", -9223372036854775807, schema::kClipped},
      {"1e30", 9223372036854775807, schema::kClipped},
      {"\"1715600000123456.789\"", 1715600000123456789, 0},
      {"\" 7.25 \"", 7250, 0},
      {"1661203462584767", 1661203462584767000, 0},
      {"null", 0, schema::kNoTime},
  };
  for (const auto& c : cases) {
    const Imported in = events(std::string(R"({"ph":"X","name":"a","pid":1,"tid":1,"dur":1,"ts":)") + c.ts + "}");
    ASSERT_TRUE(in.status.ok());
    EXPECT_EQ(in.file.events.ts_ns[0], c.ns) << c.ts;
    EXPECT_EQ(in.file.events.flags[0], c.flags) << c.ts;
    // The same as a duration.
    const Imported dur = events(std::string(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":)") + c.ts + "}");
    EXPECT_EQ(dur.file.events.dur_ns[0], c.ns) << c.ts;
  }
}

TEST(Import, ATimeThatIsNoNumberIsLeftOutAndTold) {
  const Imported in = events(R"({"ph":"X","name":"a","ts":"soon","dur":1})");
  EXPECT_EQ(in.file.events.flags[0], schema::kNoTime | schema::kRepaired);
  ASSERT_EQ(in.file.ledger.reasons.size(), 1u);
  EXPECT_EQ(in.file.ledger.reasons[0].kind, "bad_time");
  EXPECT_EQ(in.file.ledger.repaired, 1u);
}

// Reported: HTA#324, kineto#1324.
TEST(Import, IdsKeepEveryBit) {
  const Imported in = events(R"({"ph":"s","id":9007199254740993,"name":"n","cat":"c"},
    {"ph":"s","id":9007199254740992},{"ph":"s","id":18446744073709551617},{"ph":"s","id":"0x1f"},{"ph":"s","id":"12"},
    {"ph":"s","id":12},{"ph":"s","id":-3},{"ph":"s","id":"007"},{"ph":"s"},{"ph":"s","id":null},
    {"ph":"b","id2":{"local": "0x5"}},{"ph":"s","id":-9223372036854775808},{"ph":"s","id":9223372036854775807})");
  const char* want[] = {"9007199254740993", "9007199254740992", "'18446744073709551617'", "'0x1f'", "12",
                        "12", "-3", "'007'", "-", "-", "'{\"local\":\"0x5\"}'", "'-9223372036854775808'",
                        "9223372036854775807"};
  ASSERT_EQ(in.file.events.rows(), std::size(want));
  for (schema::Row row = 0; row < std::size(want); ++row) EXPECT_EQ(in.id(in.file.events.id[row]), want[row]) << row;
}

TEST(Import, PidAndTidAreNumberTextOrNull) {
  const Imported in = events(R"({"ph":"X","pid":5,"tid":"5"},{"ph":"X","pid":"5","tid":5},{"ph":"C","pid":"GPU 0 Counters","tid":null},
    {"ph":"C","pid":"GPU 0 Counters","args":{"":93.1}},{"ph":"X","pid":"","tid":-7})");
  const auto& t = in.file.events;
  EXPECT_EQ(t.track[0], t.track[1]);
  EXPECT_EQ(t.track[2], t.track[3]);
  EXPECT_EQ(t.track_of(2).tid, store::kNoString);
  EXPECT_NE(t.track_of(4).pid, store::kNoString);
  EXPECT_EQ(in.text(t.track_of(4).pid), "");
  EXPECT_EQ(in.text(t.track_of(4).tid), "-7");
  EXPECT_EQ(t.role_of(2), Role::counter);
}

TEST(Import, KeysInAnyOrderTheLastOfEqualOnesWins) {
  const Imported in = events(R"({"args":{"correlation":1},"dur":1,"name":"first","x":[{}],"ts":3,"name":"second","ph":"X",
    "args":{"correlation":2,"correlation":3},"pid":1,"\u0074id":4})");
  const auto& t = in.file.events;
  ASSERT_EQ(t.rows(), 1u);
  EXPECT_EQ(in.text(t.name[0]), "second");
  EXPECT_EQ(t.correlation[0], 3);
  EXPECT_EQ(in.text(t.track_of(0).tid), "4");
}

// Reported: google/perfetto#432.
TEST(Import, BeginAndEndBecomeSlices) {
  // B1 B2 E1 E2 with names keep their own durations; without names the innermost ends first.
  const Imported in = events(R"({"ph":"B","name":"a","tid":1,"ts":0},{"ph":"B","name":"b","tid":1,"ts":1},
    {"ph":"E","name":"a","tid":1,"ts":283},{"ph":"E","name":"b","tid":1,"ts":323},
    {"ph":"B","name":"c","tid":2,"ts":10},{"ph":"B","name":"d","tid":2,"ts":11},{"ph":"E","tid":2,"ts":12},{"ph":"E","tid":2,"ts":20},
    {"ph":"E","tid":3,"ts":5},{"ph":"B","name":"open","tid":3,"ts":6})");
  const auto& t = in.file.events;
  EXPECT_EQ(t.dur_ns[0], 283'000);
  EXPECT_EQ(t.dur_ns[1], 322'000);
  EXPECT_EQ(t.dur_ns[4], 10'000);
  EXPECT_EQ(t.dur_ns[5], 1'000);
  EXPECT_TRUE(t.is_slice(4));
  EXPECT_TRUE(t.has(8, schema::kUnpaired));
  EXPECT_TRUE(t.has(9, schema::kUnpaired));
  EXPECT_FALSE(t.is_slice(9));
  EXPECT_EQ(in.file.ledger.unpaired, 2u);
  EXPECT_EQ(in.file.ledger.kept, 10u);
}

TEST(Import, FlowEndsSayHowTheyBind) {
  const Imported in = events(R"({"ph":"f","id":1,"bp":"e"},{"ph":"f","id":1})");
  EXPECT_TRUE(in.file.events.has(0, schema::kBindEnclosing));
  EXPECT_FALSE(in.file.events.has(1, schema::kBindEnclosing));
}

TEST(Import, AnEventOfRealTorchNeuronThatNamesADeviceIsADeviceEvent) {
  const Imported in = events(R"({"ph":"X","cat":"privateuse1_driver","name":"call"},
    {"ph":"X","cat":"privateuse1_driver","name":"run","args":{"nc_id":0}},
    {"ph":"X","cat":"privateuse1_driver","name":"run","args":{"device":1}},
    {"ph":"X","cat":"privateuse1_runtime","name":"launch","args":{"device":1}})");
  EXPECT_EQ(in.file.events.role_of(0), Role::runtime);
  EXPECT_EQ(in.file.events.role_of(1), Role::kernel);
  EXPECT_EQ(in.file.events.role_of(2), Role::kernel);
  EXPECT_EQ(in.file.events.role_of(3), Role::runtime);
}

// Reported: HTA#226, kineto#888.
TEST(Import, HeaderMayStandAnywhere) {
  for (const char* text : {
           R"({"baseTimeNanoseconds":1727743122000000000,"displayTimeUnit":"ms","distributedInfo":{"backend":"nccl","rank":34,
               "world_size":300},"deviceProperties":[{"id":0,"name":"H100"},{"id":1,"name":""}],"traceEvents":[{"ph":"X"}]})",
           R"({"traceEvents":[{"ph":"X"}],"traceName":"fit-[Strategy]X.json","deviceProperties":[{"id":0,"name":"H100"},{"name":"","id":1}],
               "distributedInfo":{"rank":34,"world_size":300,"backend":"nccl"},"displayTimeUnit":"ms","baseTimeNanoseconds":"1727743122000000000"})"}) {
    const Imported in = import_text(text);
    ASSERT_TRUE(in.status.ok());
    EXPECT_EQ(in.file.base_time_ns, 1727743122000000000);
    EXPECT_EQ(in.file.display_time_unit, "ms");
    EXPECT_EQ(in.file.rank, 34);
    EXPECT_EQ(in.file.world_size, 300);
    EXPECT_EQ(in.file.backend, "nccl");
    ASSERT_EQ(in.file.devices.size(), 2u);
    EXPECT_EQ(in.file.devices[0].name, "H100");
    EXPECT_EQ(in.file.devices[1].id, 1);
    EXPECT_TRUE(in.file.ledger.balanced());
    EXPECT_FALSE(in.file.ledger.damaged());
  }
}

// Reported: HTA#107.
TEST(Import, NoRankIsNoRank) {
  const Imported in = import_text(R"({"distributedInfo":{"rank":null,"backend":"gloo"},"traceEvents":[]})");
  ASSERT_TRUE(in.status.ok());
  EXPECT_FALSE(in.file.rank.has_value());
}

// The same events in every container: identical tables, offsets aside.
TEST(Import, ContainersMakeNoDifference) {
  const std::string a = R"({"ph":"X","name":"a","ts":1,"dur":2,"args":{"Input Dims":[[1,2],[3]],"correlation":5}})";
  const std::string b = R"({"ph":"s","id":5,"name":"b","ts":1.5})";
  const std::string indented = "{\n    \"ph\": \"X\",\n    \"name\": \"a\",\n    \"ts\": 1,\n    \"dur\": 2,\n    \"args\": {\n      \"Input Dims\": [\n"
                               "        [\n          1,\n          2\n        ],\n        [ 3 ]\n      ],\n\t\"correlation\": 5\r\n    }\n  }";
  const std::string want = dump(import_text("[" + a + "," + b + "]"), false);
  for (const std::string& text : {
           "\xef\xbb\xbf [" + a + ",\n" + b + "\n]\n",
           "{\"traceEvents\":[" + a + "," + b + "]}",
           "{\"traceEvents\" : [\n  " + indented + " ,\n" + b + "\n] }",
           "[" + a + "][" + b + "]",                                           // two arrays, one after the other
           "{\"traceEvents\":[" + a + "]}{\"traceEvents\":[" + b + "]}",       // two documents
           "{\"traceEvents\":[" + a + "],\"traceEvents\":[" + b + "]}"}) {     // the key twice
    const Imported in = import_text(text);
    EXPECT_EQ(dump(in, false), want) << text;
    EXPECT_TRUE(in.file.ledger.balanced()) << text;
  }
}

TEST(Import, EventsWithoutAnArrayAreRead) {
  const Imported in = import_text("{\"ph\":\"X\",\"name\":\"a\"}\n{\"name\":\"b\",\"ph\":\"X\"}\n");
  ASSERT_TRUE(in.status.ok());
  EXPECT_EQ(in.file.events.rows(), 2u);
  EXPECT_EQ(in.file.ledger.truncated, 0u);
  ASSERT_EQ(in.file.ledger.reasons.size(), 1u);
  EXPECT_EQ(in.file.ledger.reasons[0].kind, "events_without_array");
}

// Reported: pytorch/pytorch#72858.
TEST(Import, NoEventsIsAFailureOnlyWhenThereIsNoPlaceForThem) {
  EXPECT_TRUE(import_text("{\"traceEvents\": []}").status.ok());
  EXPECT_TRUE(import_text("[]").status.ok());
  for (const char* text : {"", " \n", "{}", "{\"a\": 1}", "not a trace at all", "\x00\x01\x02\x03", "nan"}) {
    const Imported in = import_text(text);
    EXPECT_EQ(in.status.code(), StatusCode::data_loss) << text;
  }
}

// Reported: google/perfetto#106, #141, viztracer#111.
TEST(Import, DisplayTimeUnitNeverChangesTheTimes) {
  for (const char* unit : {"", "\"displayTimeUnit\":\"ns\",", "\"displayTimeUnit\":\"ms\",", "\"displayTimeUnit\":\"bogus\","}) {
    const Imported in = import_text(std::string("{") + unit + "\"traceEvents\":[{\"ph\":\"X\",\"ts\":1.5,\"dur\":0.25}]}");
    EXPECT_EQ(in.file.events.ts_ns[0], 1500) << unit;
    EXPECT_EQ(in.file.events.dur_ns[0], 250) << unit;
  }
}

TEST(Import, ElementsThatAreNoEventsAreDroppedAndCounted) {
  const Imported in = events(R"({"ph":"X"}, null, 7, "text", [1,2], {"name":"no phase"}, {})");
  EXPECT_EQ(in.file.events.rows(), 3u);
  EXPECT_EQ(in.file.events.phase[1], 0);
  EXPECT_EQ(in.file.ledger.read, 7u);
  EXPECT_EQ(in.file.ledger.dropped, 4u);
  EXPECT_TRUE(in.file.ledger.balanced());
}

TEST(Import, ProgressCanCancel) {
  std::string text = "[";
  for (int i = 0; i < 200'000; ++i) text += R"({"ph":"X","name":"abc","pid":1,"tid":2,"ts":12.5,"dur":3,"args":{"External id":77}},)";
  text += "{\"ph\":\"X\"}]";
  schema::ImportOptions options{.threads = 2, .chunk_bytes = 4096};
  uint64_t seen = 0;
  options.progress = [&](const schema::ImportProgress& p) {
    seen = p.stored_bytes_total;
    return false;
  };
  const Imported in = import_text(text, options);
  // A very fast machine may be done before the first report.
  if (seen == 0) GTEST_SKIP() << "the import took less than the time between two reports";
  EXPECT_EQ(in.status.code(), StatusCode::cancelled);
  EXPECT_EQ(seen, text.size());
}

TEST(Import, PublishedTablesGrowAndStayAsTheyWere) {
  std::string text = "[";
  for (int i = 0; i < 150'000; ++i) text += "{\"ph\":\"X\",\"name\":\"n\",\"ts\":" + std::to_string(i) + "},";
  text += "{\"ph\":\"X\"}]";
  std::vector<schema::EventTable> seen;
  schema::ImportOptions options{.threads = 2, .chunk_bytes = 1 << 16};
  options.publish = [&](const schema::EventTable& table) { seen.push_back(table); };
  const Imported in = import_text(text, options);
  ASSERT_GE(seen.size(), 3u);
  for (const auto& table : seen) {
    for (schema::Row row = 0; row < table.rows() && row < 150'000; row += 1013) ASSERT_EQ(table.ts_ns[row], row * 1000);
  }
  EXPECT_EQ(seen.back().rows(), 150'001u);
  EXPECT_LT(seen.front().rows(), 150'001u);
}

}  // namespace
}  // namespace lanewise::trace::kineto_json
