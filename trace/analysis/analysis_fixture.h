// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: small traces written by hand, as a model. Times in whole microseconds.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/model.h"

namespace lanewise::trace::analysis {

// pid and tid are JSON: 1, "\"stream 7\"".
struct TraceText {
  std::string events;
  std::string root;  // more root keys: "\"x\": 1, "

  TraceText& event(std::string_view json) {
    if (!events.empty()) events += ",\n";
    events += json;
    return *this;
  }
  TraceText& slice(std::string_view cat, std::string_view name, const std::string& pid, const std::string& tid, int ts, int dur,
                   std::string_view args = "") {
    return event("{\"ph\":\"X\",\"cat\":\"" + std::string(cat) + "\",\"name\":\"" + std::string(name) + "\",\"pid\":" + pid +
                 ",\"tid\":" + tid + ",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) + ",\"args\":{" +
                 std::string(args) + "}}");
  }
  // Host thread 1 of process 1.
  TraceText& op(std::string_view name, int ts, int end, std::string_view args = "") { return slice("cpu_op", name, "1", "1", ts, end - ts, args); }
  TraceText& call(std::string_view name, int ts, int end, int correlation, const std::string& tid = "1") {
    return slice("cuda_runtime", name, "1", tid, ts, end - ts, "\"correlation\":" + std::to_string(correlation));
  }
  TraceText& kernel(std::string_view name, int ts, int end, int correlation, int stream = 7) {
    return slice("kernel", name, "0", std::to_string(stream), ts, end - ts,
                 "\"device\":0,\"stream\":" + std::to_string(stream) + (correlation < 0 ? "" : ",\"correlation\":" + std::to_string(correlation)));
  }
  std::string json() const { return "{" + root + "\"traceEvents\": [" + events + "]}"; }
};

inline std::shared_ptr<const Model> open_model(const TraceText& text) {
  static int next = 0;
  const auto path = std::filesystem::temp_directory_path() /
                    ("lw_analysis_" + std::to_string(::getpid()) + "_" + std::to_string(next++) + ".json");
  std::ofstream(path) << text.json();
  auto session = session::Session::open(path.string());
  std::filesystem::remove(path);
  EXPECT_TRUE(session.ok()) << session.status().to_string();
  return Model::build(*session);
}

// The first row of that name.
inline schema::Row row_named(const Model& model, std::string_view name, uint32_t part = 0) {
  for (schema::Row row = 0; row < model.events(part).rows(); ++row) {
    if (model.name(part, row) == name) return row;
  }
  ADD_FAILURE() << "no event " << name;
  return 0;
}

// Public trace files are not part of the repository: they lie beside it, or where LANEWISE_SHARED says.
inline std::filesystem::path shared_traces_folder() {
  const char* named = std::getenv("LANEWISE_SHARED");
  return (named ? std::filesystem::path(named) : std::filesystem::path(LANEWISE_SOURCE_DIR).parent_path() / "shared") / "traces";
}

// Empty when they are not there.
inline std::vector<std::string> shared_traces() {
  namespace fs = std::filesystem;
  const fs::path folder = shared_traces_folder();
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".json") != std::string::npos && name != "expected.json") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A test over the public trace files, one after the other; skipped where they are not.
class SharedTraces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (files.empty()) GTEST_SKIP() << "skipped: the public trace files are not there; set LANEWISE_SHARED";
  }
  static std::shared_ptr<const Model> open(const std::string& path) {
    auto session = session::Session::open(path);
    if (!session.ok()) ADD_FAILURE() << session.status().to_string(), std::abort();
    return Model::build(*session);
  }
  const std::vector<std::string> files = shared_traces();
};

}  // namespace lanewise::trace::analysis
