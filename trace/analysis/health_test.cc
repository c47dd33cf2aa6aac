// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/health.h"

#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/table_fixture.h"
#include "trace/analysis/trace_on_disk.h"

namespace lanewise::trace::analysis {
namespace {

// Checks that found something, and how much.
std::map<std::string, int64_t> found(const Model& model, std::string_view state = "") {
  const auto tables = health_tables(model);
  EXPECT_TRUE(tables.ok());
  const Table &checks = (*tables)[0], &rows = (*tables)[1];
  std::map<std::string, int64_t> counts;
  int64_t sum = 0;
  for (size_t row = 0; row < checks.rows(); ++row) {
    const int64_t count = checks["count"].integers[row];
    sum += count;
    EXPECT_EQ(count > 0, checks["state"].texts[row] == "problem" || checks["state"].texts[row] == "note");
    if (count > 0 && (state.empty() || checks["state"].texts[row] == state)) counts[std::string(checks["check"].texts[row])] = count;
  }
  EXPECT_LE(rows.rows(), static_cast<size_t>(sum));
  return counts;
}

using Counts = std::map<std::string, int64_t>;

TEST(Health, AGoodFileHasNoFinding) {
  TraceText t;
  t.root = "\"deviceProperties\": [{\"id\": 0, \"name\": \"x\"}], ";
  t.op("a", 0, 10).call("cudaLaunchKernel", 1, 2, 1).kernel("k", 5, 8, 1).call("cudaDeviceSynchronize", 11, 20, 2);
  EXPECT_EQ(found(*open_model(t)), Counts());
}

TEST(Health, KernelsBeforeTheirLaunchAndLaunchesWithoutKernels) {
  TraceText t;
  t.call("cudaLaunchKernel", 10, 12, 1).kernel("k", 5, 8, 1).call("cudaLaunchKernel", 20, 21, 2).kernel("loose", 30, 31, 77);
  t.call("cudaDeviceSynchronize", 40, 50, 3);
  const auto model = open_model(t);
  EXPECT_EQ(found(*model), (Counts{{"kernel_before_launch", 1}, {"launch_without_kernel", 1}, {"device_event_without_call", 1}}));
  const auto tables = health_tables(*model);
  EXPECT_EQ((*tables)[1]["value_ns"].integers[0], -5000);
}

TEST(Health, ADeviceThatSaysNothing) {
  TraceText launches;
  launches.op("a", 0, 10).call("cudaLaunchKernel", 1, 2, 1).call("cudaLaunchKernel", 3, 4, 2);
  EXPECT_EQ(found(*open_model(launches)), (Counts{{"missing_device_rows", 1}}));
  TraceText named;
  named.root = "\"deviceProperties\": [{\"id\": 0, \"name\": \"x\"}], \"with_stack\": 1, \"profile_memory\": 1, ";
  named.op("a", 0, 10);
  EXPECT_EQ(found(*open_model(named)), (Counts{{"silent_device", 1}, {"missing_memory_rows", 1}, {"missing_python_rows", 1}}));
}

TEST(Health, TheRecordStopsWhileTheDeviceWorks) {
  TraceText t;
  t.op("a", 0, 10).call("cudaLaunchKernel", 1, 2, 1).kernel("k", 5, 50, 1);
  EXPECT_EQ(found(*open_model(t)), (Counts{{"missing_synchronize", 1}}));
  TraceText lost;
  lost.call("cudaLaunchKernel", 1, 2, 1).kernel("k", 5, 6, 1).call("cudaDeviceSynchronize", 8, 9, 2).call("cudaLaunchKernel", 11, 12, 3);
  EXPECT_EQ(found(*open_model(lost)), (Counts{{"missing_synchronize", 1}, {"launch_without_kernel", 1}}));
}

TEST(Health, AWaitThatEndsBeforeItsWork) {
  TraceText t;
  t.call("cudaLaunchKernel", 1, 2, 1).kernel("k", 5, 50, 1).call("cudaDeviceSynchronize", 10, 30, 2).op("tail", 60, 70);
  const auto model = open_model(t);
  EXPECT_EQ(found(*model), (Counts{{"sync_before_end", 1}}));
  EXPECT_EQ((*health_tables(*model))[1]["value_ns"].integers[0], -20000);
  // Work launched after the wait began is none of its business.
  TraceText later;
  later.call("cudaDeviceSynchronize", 0, 10, 2).call("cudaLaunchKernel", 5, 6, 1, "2").kernel("k", 8, 50, 1).call("cudaDeviceSynchronize", 40, 60, 3);
  EXPECT_EQ(found(*open_model(later)), Counts());
}

TEST(Health, LanesSlicesAndDurations) {
  TraceText t;
  t.call("cudaLaunchKernel", 1, 2, 1).kernel("k1", 5, 20, 1).call("cudaLaunchKernel", 3, 4, 2).kernel("k2", 15, 25, 2);
  t.call("cudaDeviceSynchronize", 30, 40, 3).op("a", 50, 60).op("b", 55, 70).slice("cpu_op", "c", "1", "1", 80, -5);
  EXPECT_EQ(found(*open_model(t)), (Counts{{"overlap_on_lane", 1}, {"crossing_slices", 1}, {"negative_durations", 1}}));
}

TEST(Health, ACutFileAndWhatItLost) {
  TraceText t;
  t.op("a", 0, 10).op("b", 20, 30);
  TraceOnDisk whole(t);
  const std::string text = t.json();
  const auto path = whole.folder / "cut.json";
  std::ofstream(path) << text.substr(0, text.size() - 20);
  auto session = session::Session::open(path.string());
  ASSERT_TRUE(session.ok());
  const Counts counts = found(*Model::build(*session));
  EXPECT_EQ(counts.count("truncated"), 1u);
}

TEST_F(SharedTraces, RealFilesAreCheckedAndTheirFaultsFound) {
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    const Counts counts = found(*model);
    int64_t loose = 0;
    for (const DeviceEvent& event : model->file(0).links.device_events) loose += !event.call;
    EXPECT_EQ(counts.count("device_event_without_call") ? counts.at("device_event_without_call") : 0, loose);
    EXPECT_EQ(counts.count("truncated") + counts.count("lost_events"), 0u);
  }
}

// A session of files that lie in one folder.
std::shared_ptr<const Model> open_folder(const std::vector<std::pair<std::string, std::string>>& files) {
  static int next = 0;
  const auto folder = std::filesystem::temp_directory_path() / ("lw_health_" + std::to_string(::getpid()) + "_" + std::to_string(next++));
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : files) std::ofstream(folder / name) << text;
  auto session = session::Session::open(folder.string());
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(session.ok()) << session.status().to_string();
  return Model::build(*session);
}

std::string check_of(const Model& model, std::string_view check) {
  return cells(answer_of(model, "health", "checks"), "check", check, {"state", "count", "of"});
}

TEST(Health, FilesOfTheFolderThatCouldNotBeReadAreAProblem) {
  const std::string good = TraceText().op("a", 0, 10).json();
  const auto model = open_folder({{"a.json", good}, {"b.json", ""}, {"c.json", "{\"distributedInfo\": {\"rank\""}});
  EXPECT_EQ(check_of(*model, "unread_files"), "problem 2 3");
  EXPECT_EQ(cells(answer_of(*model, "summary", "trust"), "check", "unread_files", {"count", "of"}), "2 3");
  EXPECT_EQ(check_of(*open_folder({{"a.json", good}}), "unread_files"), "ok 0 1");
}

TEST(Health, ARankThatIsThereTwiceIsAProblem) {
  const auto rank = [](int rank, int at) {
    TraceText text{{}, "\"distributedInfo\": {\"rank\": " + std::to_string(rank) + "}, "};
    return text.op("a", at, at + 10).json();
  };
  EXPECT_EQ(check_of(*open_folder({{"a.json", rank(0, 0)}, {"b.json", rank(1, 0)}, {"c.json", rank(1, 5)}}), "repeated_files"), "problem 1 3");
  // Two recordings of one rank, one after the other, are what a schedule with several cycles writes.
  EXPECT_EQ(check_of(*open_folder({{"a.json", rank(0, 0)}, {"b.json", rank(0, 10)}}), "repeated_files"), "ok 0 2");
}

TEST(Health, ACopyOfAFileWithoutARankIsAProblem) {
  const std::string one = TraceText().op("a", 0, 10).json(), other = TraceText().op("a", 0, 9).json();
  EXPECT_EQ(check_of(*open_folder({{"a.json", one}, {"b.json", one}}), "repeated_files"), "problem 1 2");
  EXPECT_EQ(check_of(*open_folder({{"a.json", one}, {"b.json", other}}), "repeated_files"), "ok 0 2");
}

}  // namespace
}  // namespace lanewise::trace::analysis
