// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/device_perfetto.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "trace/device_analysis/profile_fixture.h"
#include "trace/record/proto_wire.h"
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
  const auto report = write_device_perfetto(b.profile, *machine::load_machine("trn2"), {}, [&](std::string_view more) { return bytes += more, ok_status(); });
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
  const auto report = write_device_perfetto(b.profile, *machine::load_machine("trn2"), {}, [&](std::string_view more) { return bytes += more, ok_status(); });
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_NE(bytes.find("nc 6"), std::string::npos);
  EXPECT_NE(bytes.find("nc 7"), std::string::npos);
  const std::multiset<Slice> want = {{"gpsimd", "runtime", "setup", 0, 4}, {"DMA engine 3", "transfer", "setup", 4, 0}};
  EXPECT_EQ(read_back(bytes), want);
}

// Arrows by their ids: how often an id begins, how often it ends, and the packets of counters.
struct Wire {
  std::map<uint64_t, int> begins, ends;
  std::map<uint64_t, std::vector<double>> counters;   // by track
  std::map<uint64_t, std::string> names;              // of tracks
};
Wire read_wire(const std::string& bytes) {
  using record::ProtoField;
  Wire wire;
  const auto fields = [](std::string_view message) {
    std::vector<ProtoField> out;
    EXPECT_TRUE(record::read_proto(message, &out).ok());
    return out;
  };
  for (const ProtoField& packet : fields(bytes)) {
    for (const ProtoField& part : fields(packet.bytes)) {
      if (part.number == 60) {   // track_descriptor
        uint64_t uuid = 0;
        std::string name;
        for (const ProtoField& f : fields(part.bytes)) {
          if (f.number == 1) uuid = f.value;
          if (f.number == 2) name = f.bytes;
        }
        wire.names[uuid] = name;
      }
      if (part.number != 11) continue;   // track_event
      uint64_t track = 0;
      for (const ProtoField& f : fields(part.bytes)) {
        if (f.number == 11) track = f.value;
        if (f.number == 47) ++wire.begins[f.value];
        if (f.number == 48) ++wire.ends[f.value];
        if (f.number == 44) wire.counters[track].push_back(f.as_number());
      }
    }
  }
  return wire;
}

TEST(DevicePerfetto, ArrowsLeadFromSetterToWaiterAndFromTriggerToDma) {
  ProfileBuilder b;
  const auto load = b.run(isa::Engine::sync, "dma_copy", 0, 0, 10'000);
  b.dma(load, 100'000, 300'000, 310'000, 4096, ProfileBuilder::hbm("src0", "x", 1024), ProfileBuilder::sbuf("dst", 0, 8));
  const auto matmul = b.run(isa::Engine::pe, "matmul", 0, 400'000, 600'000, {ProfileBuilder::sbuf("src0", 0, 8)}, {{1, ">=", 1}}, {{2, "+", 1}});
  b.run(isa::Engine::vector, "tensor_copy", 0, 700'000, 850'000, {ProfileBuilder::sbuf("dst", 64, 8)}, {{2, ">=", 1}});
  b.run(isa::Engine::vector, "tensor_copy", 0, 900'000, 950'000, {ProfileBuilder::sbuf("dst", 64, 8)});
  b.update(310'000, 1, 1, true, 0);
  b.update(600'000, 2, 1, false, matmul, isa::Engine::pe);
  const auto machine = *machine::load_machine("trn2");
  const auto written = [&](bool semaphores) {
    std::string bytes;
    const auto report = write_device_perfetto(b.profile, machine, {.semaphores = semaphores}, [&](std::string_view more) { return bytes += more, ok_status(); });
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report->arrows, 3u) << "order to DMA, DMA to matmul, matmul to copy; that the second copy came after the first is no arrow";
    const Wire wire = read_wire(bytes);
    EXPECT_EQ(wire.begins.size(), 3u);
    EXPECT_EQ(wire.begins, wire.ends) << "an arrow begins once and ends once";
    for (const auto& [id, times] : wire.begins) EXPECT_EQ(times, 1);
    EXPECT_EQ(report->counters, wire.counters.size());
    uint64_t samples = 0;
    std::map<std::string, std::vector<double>> named;
    for (const auto& [track, values] : wire.counters) samples += values.size(), named[wire.names.at(track)] = values;
    EXPECT_EQ(report->samples, samples);
    return named;
  };
  const auto plain = written(false);
  EXPECT_EQ(plain.at("DMA bandwidth (GB/s)"), (std::vector<double>{4096.0 / 200, 0}));
  EXPECT_EQ(plain.at("HBM bandwidth (GB/s)"), (std::vector<double>{4096.0 / 200, 0}));
  EXPECT_EQ(plain.at("Pending DMAs (ordered, not ended)"), (std::vector<double>{1, 0}));
  EXPECT_EQ(plain.at("PE utilisation limit (of the full clock)"), (std::vector<double>{1}));
  EXPECT_TRUE(plain.contains("SBUF (bytes in use)"));
  EXPECT_FALSE(plain.contains("s1 (value)"));
  const auto more = written(true);
  EXPECT_EQ(more.at("s1 (value)"), (std::vector<double>{1}));
  EXPECT_EQ(more.at("s2 (value)"), (std::vector<double>{1}));
}

TEST(DevicePerfetto, NothingToDrawAndNoPlaceToWrite) {
  ProfileBuilder b;
  const auto nothing = write_device_perfetto(b.profile, *machine::load_machine("trn2"), {}, [](std::string_view) { return ok_status(); });
  EXPECT_EQ(nothing.status().code(), StatusCode::failed_precondition);
  b.run(isa::Engine::sync, "dma_copy", 0, 0, 1'500);
  const auto full = write_device_perfetto(b.profile, *machine::load_machine("trn2"), {}, [](std::string_view) { return resource_exhausted("the disk is full"); });
  EXPECT_EQ(full.status().code(), StatusCode::resource_exhausted);
}

}  // namespace
}  // namespace lanewise::trace::exporting
