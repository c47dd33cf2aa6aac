// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/device_perfetto.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

#include "trace/device_analysis/profile_fixture.h"
#include "trace/session/session.h"

namespace lanewise::trace::exporting {
namespace {

namespace fs = std::filesystem;
using device_analysis::ProfileBuilder;

// What our own importer reads of a trace: track, name, category, start and duration in ns.
using Slice = std::tuple<std::string, std::string, std::string, int64_t, int64_t>;
std::multiset<Slice> read_back(const std::string& bytes) {
  const std::string path = (fs::temp_directory_path() / ("lw_device_" + std::to_string(::getpid()) + ".pftrace")).string();
  std::ofstream(path, std::ios::binary) << bytes;
  const auto session = session::Session::open(path);
  fs::remove(path);
  EXPECT_TRUE(session.ok()) << session.status().to_string();
  std::multiset<Slice> slices;
  if (!session.ok()) return slices;
  for (const auto& file : (*session)->files()) {
    const auto& t = file.file.events;
    for (schema::Row row = 0; row < t.rows(); ++row) {
      if (!t.is_slice(row)) continue;
      slices.emplace((*session)->text(t.track_of(row).tid), (*session)->text(t.name[row]), (*session)->text(t.category[row]), t.ts_ns[row], t.dur_ns[row]);
    }
  }
  return slices;
}

TEST(DevicePerfetto, TracksOfEnginesAndQueuesWithTimesRoundedDown) {
  ProfileBuilder b;
  const uint32_t trigger = b.run(isa::Engine::sync, "dma_copy", 0, 0, 1'500);
  b.dma(trigger, 2'000, 9'999, 10'500, 4096, ProfileBuilder::hbm("src", "x", 1024), ProfileBuilder::sbuf("dst", 0, 8));
  b.dma(trigger, 5'000, 7'000, 7'500, 4096, ProfileBuilder::hbm("src", "x", 1024), ProfileBuilder::sbuf("dst", 0, 8));
  b.run(isa::Engine::vector, "tensor_tensor", 10'500, 10'999, 12'001);
  b.run(isa::Engine::vector, "tensor_copy", 12'001, 12'001, 12'900);   // touches the one before; under 1 ns
  std::string bytes;
  const auto report = write_device_perfetto(b.profile, [&](std::string_view more) { return bytes += more, ok_status(); });
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_EQ(report->instructions, 3u);
  EXPECT_EQ(report->dmas, 2u);
  EXPECT_EQ(report->tracks, 4u);
  EXPECT_EQ(report->other_lanes, 1u);
  const std::multiset<Slice> want = {
      {"sync", "dma_copy", "instruction", 0, 1},
      {"q", "x -> SBUF", "dma", 2, 7},
      {"q (overlap 1)", "x -> SBUF", "dma", 5, 2},
      {"vector", "tensor_tensor", "instruction", 10, 2},
      {"vector", "tensor_copy", "instruction", 12, 0},
  };
  EXPECT_EQ(read_back(bytes), want);
}

TEST(DevicePerfetto, RunsOfTheRuntimeAndOfDmaEngines) {
  ProfileBuilder b;
  b.profile.first_core = 6;
  device::InstructionRun own;   // in no binary
  own.setup = true;
  own.core = 1;
  own.engine = isa::Engine::gpsimd;
  own.begin = Picos(-2'500);    // of a damaged file: all times move up
  own.end = Picos(1'000);
  b.profile.instructions.push_back(own);
  device::DmaRun fetch;
  fetch.setup = true;
  fetch.dma_engine = 3;
  fetch.begin = Picos(1'000);
  fetch.end = Picos(500);       // ends before it begins: no length
  b.profile.dmas.push_back(fetch);
  std::string bytes;
  const auto report = write_device_perfetto(b.profile, [&](std::string_view more) { return bytes += more, ok_status(); });
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_NE(bytes.find("nc 6"), std::string::npos);
  EXPECT_NE(bytes.find("nc 7"), std::string::npos);
  const std::multiset<Slice> want = {{"gpsimd", "runtime", "setup", 0, 4}, {"DMA engine 3", "transfer", "setup", 4, 0}};
  EXPECT_EQ(read_back(bytes), want);
}

TEST(DevicePerfetto, NothingToDrawAndNoPlaceToWrite) {
  ProfileBuilder b;
  const auto nothing = write_device_perfetto(b.profile, [](std::string_view) { return ok_status(); });
  EXPECT_EQ(nothing.status().code(), StatusCode::failed_precondition);
  b.run(isa::Engine::sync, "dma_copy", 0, 0, 1'500);
  const auto full = write_device_perfetto(b.profile, [](std::string_view) { return resource_exhausted("the disk is full"); });
  EXPECT_EQ(full.status().code(), StatusCode::resource_exhausted);
}

}  // namespace
}  // namespace lanewise::trace::exporting
