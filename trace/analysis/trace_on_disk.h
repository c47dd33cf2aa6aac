// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: a model whose files stay while it lives, for analyses that read args again; and sessions of several files.
#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "trace/analysis/analysis_fixture.h"

namespace lanewise::trace::analysis {

struct TraceOnDisk {
  // One file each, named so that their order stays.
  explicit TraceOnDisk(const std::vector<TraceText>& texts) {
    static int next = 0;
    folder = std::filesystem::temp_directory_path() / ("lw_on_disk_" + std::to_string(::getpid()) + "_" + std::to_string(next++));
    std::filesystem::create_directories(folder);
    for (size_t i = 0; i < texts.size(); ++i) std::ofstream(folder / ("trace_" + std::to_string(i) + ".json")) << texts[i].json();
    auto session = session::Session::open(folder.string());
    EXPECT_TRUE(session.ok()) << session.status().to_string();
    model = Model::build(*session);
  }
  explicit TraceOnDisk(const TraceText& text) : TraceOnDisk(std::vector<TraceText>{text}) {}
  ~TraceOnDisk() { std::filesystem::remove_all(folder); }
  TraceOnDisk(const TraceOnDisk&) = delete;
  TraceOnDisk& operator=(const TraceOnDisk&) = delete;

  std::filesystem::path folder;
  std::shared_ptr<const Model> model;
};

}  // namespace lanewise::trace::analysis
