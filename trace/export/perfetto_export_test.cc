// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/perfetto_export.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "trace/analysis/analysis_fixture.h"

namespace lanewise::trace::exporting {
namespace {

namespace fs = std::filesystem;
using schema::EventTable;
using schema::Row;
using session::Session;
using SessionPtr = std::shared_ptr<const Session>;

std::string temporary(std::string_view name) {
  static int next = 0;
  return (fs::temp_directory_path() / ("lw_export_" + std::to_string(::getpid()) + "_" + std::to_string(next++) + "_" + std::string(name))).string();
}

SessionPtr open_text(const std::string& json) {
  const std::string path = temporary("in.json");
  std::ofstream(path) << json;
  auto session = Session::open(path);
  EXPECT_TRUE(session.ok()) << session.status().to_string();
  return session.ok() ? *session : nullptr;
}

// Written and read back by our own importer.
SessionPtr round_trip(const Session& session, PerfettoReport* report) {
  std::string bytes;
  auto done = write_perfetto(session, [&](std::string_view more) { return bytes += more, ok_status(); });
  EXPECT_TRUE(done.ok()) << done.status().to_string();
  if (!done.ok()) return nullptr;
  *report = *done;
  const std::string path = temporary("out.pftrace");
  std::ofstream(path, std::ios::binary) << bytes;
  auto back = Session::open(path);
  fs::remove(path);
  EXPECT_TRUE(back.ok()) << back.status().to_string();
  return back.ok() ? *back : nullptr;
}

// What a slice is: pid, tid, name, category, start, duration, correlation, external id, device, stream; with how often it is there.
using SliceKey = std::tuple<std::string, std::string, std::string, std::string, int64_t, int64_t, std::string, std::string, std::string, std::string>;
std::map<SliceKey, int> slices_of(const Session& session, bool with_tid = true) {
  std::map<SliceKey, int> slices;
  int64_t first = INT64_MAX;
  for (const auto& file : session.files()) {
    const EventTable& t = file.file.events;
    for (Row row = 0; row < t.rows(); ++row) {
      if (t.is_slice(row)) first = std::min(first, t.ts_ns[row] + file.offset_ns);
    }
  }
  for (const auto& file : session.files()) {
    const EventTable& t = file.file.events;
    const auto text = [&](store::StringId id) { return std::string(session.text(id)); };
    for (Row row = 0; row < t.rows(); ++row) {
      if (!t.is_slice(row)) continue;
      ++slices[{text(t.track_of(row).pid), with_tid ? text(t.track_of(row).tid) : "", text(t.name[row]), text(t.category[row]),
                t.ts_ns[row] + file.offset_ns - first, std::max<int64_t>(t.dur_ns[row], 0), session.id_text(t.correlation[row]),
                session.id_text(t.external_id[row]), session.id_text(t.device[row]), session.id_text(t.stream[row])}];
    }
  }
  return slices;
}

// The first slice that only one of them has, or "".
std::string difference(const std::map<SliceKey, int>& a, const std::map<SliceKey, int>& b) {
  for (const auto* side : {&a, &b}) {
    for (const auto& [slice, count] : *side) {
      const auto& other = side == &a ? b : a;
      if (const auto at = other.find(slice); at != other.end() && at->second == count) continue;
      const auto& [pid, tid, name, category, start, dur, correlation, external, device, stream] = slice;
      return std::string(side == &a ? "only in: " : "only out: ") + pid + " | " + tid + " | " + name + " | " + category + " | " + std::to_string(start) +
             " + " + std::to_string(dur) + " | " + correlation + " | " + external + " | " + device + " | " + stream + " x" + std::to_string(count);
    }
  }
  return "";
}

TEST(PerfettoExport, ComesBackAsItWas) {
  analysis::TraceText text;
  text.root = "\"baseTimeNanoseconds\": 1700000000000000000, ";
  text.event(R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}})");
  text.event(R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}})");
  text.op("aten::add", 10, 40, "\"External id\": 3").op("inner", 10, 20).op("touching", 40, 50);
  text.call("cudaLaunchKernel", 20, 30, 77).kernel("k", 50, 60, 77);
  text.slice("python_function", "quoted \\\"name\\\"", "\"worker\"", "\"lane a\"", 5, 0);
  text.event(R"({"ph":"s","cat":"ac2g","name":"ac2g","id":77,"pid":1,"tid":1,"ts":20})");
  text.event(R"({"ph":"f","bp":"e","cat":"ac2g","name":"ac2g","id":77,"pid":0,"tid":7,"ts":50})");
  text.event(R"({"ph":"i","name":"mark","s":"t","pid":1,"tid":1,"ts":15})");
  text.event(R"({"ph":"C","name":"memory","pid":1,"ts":12,"args":{"used":5,"free":2.5}})");
  const SessionPtr in = open_text(text.json());
  PerfettoReport report;
  const SessionPtr out = round_trip(*in, &report);
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(difference(slices_of(*in), slices_of(*out)), "");
  EXPECT_EQ(report.slices, 6u);
  EXPECT_EQ(report.flows, 2u);
  EXPECT_EQ(report.instants, 1u);
  EXPECT_EQ(report.counters, 1u);
  EXPECT_EQ(report.names, 2u);
  EXPECT_EQ(report.loose_flows + report.without_time + report.other_phases + report.odd_counters + report.other_lanes, 0u);
  EXPECT_EQ(out->origin_ns(), 1700000000000000000);
  EXPECT_TRUE(out->files()[0].file.ledger.balanced());
  EXPECT_FALSE(out->files()[0].file.ledger.damaged());
  std::map<char, int> phases;
  std::vector<int64_t> flow_times;
  const EventTable& t = out->events(0);
  for (Row row = 0; row < t.rows(); ++row) {
    ++phases[static_cast<char>(t.phase[row])];
    if (t.phase[row] == 's' || t.phase[row] == 'f') flow_times.push_back(t.ts_ns[row]);
  }
  EXPECT_EQ(phases['s'], 1);
  EXPECT_EQ(phases['f'], 1);
  EXPECT_EQ(phases['i'], 1);
  EXPECT_EQ(phases['C'], 2);  // two series
  EXPECT_EQ(flow_times, (std::vector<int64_t>{20'000, 50'000}));
}

// Arrows of the trace that came back: (start, end) in us, by start.
std::vector<std::pair<int64_t, int64_t>> arrows_of(const Session& session) {
  const EventTable& t = session.events(0);
  std::map<int64_t, std::pair<int64_t, int64_t>> by_id;
  for (Row row = 0; row < t.rows(); ++row) {
    if (t.phase[row] == 's') by_id[t.id[row]].first = t.ts_ns[row] / 1000;
    if (t.phase[row] == 'f') by_id[t.id[row]].second = t.ts_ns[row] / 1000;
  }
  std::vector<std::pair<int64_t, int64_t>> arrows;
  for (const auto& [id, arrow] : by_id) arrows.push_back(arrow);
  std::sort(arrows.begin(), arrows.end());
  return arrows;
}

TEST(PerfettoExport, EveryArrowHasAnIdOfItsOwn) {
  const auto flow = [](char phase, int pid, int tid, int ts) {
    return std::string("{\"ph\":\"") + phase + R"(","bp":"e","cat":"ac2g","name":"ac2g","id":7,"pid":)" + std::to_string(pid) + ",\"tid\":" +
           std::to_string(tid) + ",\"ts\":" + std::to_string(ts) + "}";
  };
  analysis::TraceText text;
  // The replay of a graph, then the same id again; the last arrow ends before it starts.
  text.call("cudaGraphLaunch", 10, 12, 7).kernel("a", 20, 22, 7).kernel("b", 24, 26, 7).kernel("c", 28, 29, 7);
  text.event(flow('s', 1, 1, 10)).event(flow('f', 0, 7, 20)).event(flow('f', 0, 7, 24)).event(flow('f', 0, 7, 28));
  text.call("cudaLaunchKernel", 30, 32, 8).kernel("d", 40, 41, 8).event(flow('s', 1, 1, 30)).event(flow('f', 0, 7, 40));
  PerfettoReport report;
  SessionPtr out = round_trip(*open_text(text.json()), &report);
  ASSERT_NE(out, nullptr);
  // Our importer counts from the first event.
  const int64_t first = out->events(0).ts_ns[0] / 1000;
  auto arrows = arrows_of(*out);
  for (auto& [start, end] : arrows) start -= first, end -= first;
  EXPECT_EQ(arrows, (std::vector<std::pair<int64_t, int64_t>>{{0, 10}, {0, 14}, {0, 18}, {20, 30}}));
  EXPECT_EQ(report.backward_flows, 0u);

  analysis::TraceText skewed;
  skewed.kernel("early", 5, 8, 7).call("cudaLaunchKernel", 10, 12, 7).event(flow('s', 1, 1, 10)).event(flow('f', 0, 7, 5));
  out = round_trip(*open_text(skewed.json()), &report);
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(report.backward_flows, 1u);
  ASSERT_EQ(arrows_of(*out).size(), 1u);
  EXPECT_EQ(arrows_of(*out)[0].second - arrows_of(*out)[0].first, 5);
}

TEST(PerfettoExport, SlicesThatCrossGoBesideTheirTrack) {
  analysis::TraceText text;
  text.kernel("a", 10, 30, 1).kernel("b", 20, 40, 2).kernel("c", 30, 35, 3);
  const SessionPtr in = open_text(text.json());
  PerfettoReport report;
  const SessionPtr out = round_trip(*in, &report);
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(report.other_lanes, 1u);  // b; c starts where a ends
  EXPECT_EQ(difference(slices_of(*in, false), slices_of(*out, false)), "");
  std::map<std::string, std::string> tids;
  for (const auto& [slice, count] : slices_of(*out)) tids[std::get<2>(slice)] = std::get<1>(slice);
  EXPECT_EQ(tids, (std::map<std::string, std::string>{{"a", "7"}, {"b", "7 (overlap 1)"}, {"c", "7"}}));
}

TEST(PerfettoExport, WhatHasNoPlaceIsCounted) {
  analysis::TraceText text;
  text.slice("cpu_op", "early", "1", "1", -5, 3);
  text.event(R"({"ph":"X","name":"no time","pid":1,"tid":1,"dur":3})");
  text.event(R"({"ph":"X","name":"long ago","pid":1,"tid":1,"ts":-9e18,"dur":3})");
  text.event(R"({"ph":"i","name":"far away","pid":1,"tid":1,"ts":9e18})");
  text.event(R"({"ph":"b","cat":"x","name":"async","id":4,"pid":1,"tid":1,"ts":2})");
  text.event(R"({"ph":"s","cat":"c","name":"loose","id":1,"pid":1,"tid":1,"ts":90})");
  text.event(R"({"ph":"C","name":"state","pid":1,"ts":1,"args":{"is":"on"}})");
  const SessionPtr in = open_text(text.json());
  PerfettoReport report;
  const SessionPtr out = round_trip(*in, &report);
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(report.slices, 1u);
  EXPECT_EQ(report.without_time, 3u);
  EXPECT_EQ(report.other_phases, 1u);
  EXPECT_EQ(report.loose_flows, 1u);
  EXPECT_EQ(report.odd_counters, 1u);
  EXPECT_EQ(report.moved_ns, 5000);
  EXPECT_EQ(std::get<5>(slices_of(*out).begin()->first), 3000);
}

TEST(PerfettoExport, RealTracesKeepEverySlice) {
  const auto files = analysis::shared_traces();
  if (files.empty()) GTEST_SKIP() << "the public trace files are not beside the repository";
  for (const std::string& path : files) {
    auto in = Session::open(path);
    ASSERT_TRUE(in.ok()) << path;
    PerfettoReport report;
    const SessionPtr out = round_trip(**in, &report);
    ASSERT_NE(out, nullptr) << path;
    const bool same = report.other_lanes == 0;
    EXPECT_EQ(difference(slices_of(**in, same), slices_of(*out, same)), "") << path;
    EXPECT_TRUE(out->files()[0].file.ledger.balanced()) << path;
  }
}

TEST(PerfettoExport, AFailedWriteEndsIt) {
  analysis::TraceText text;
  text.op("a", 1, 2);
  const SessionPtr in = open_text(text.json());
  const auto done = write_perfetto(*in, [](std::string_view) { return resource_exhausted("the disk is full"); });
  EXPECT_EQ(done.status().code(), StatusCode::resource_exhausted);
}

}  // namespace
}  // namespace lanewise::trace::exporting
