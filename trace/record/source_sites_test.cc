// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/source_sites.h"

#include <gtest/gtest.h>

#include "trace/record/output_file.h"
#include "trace/record/proto_wire.h"
#include "trace/record/record_fixture.h"
#include "trace/record/trace_info.h"

namespace lanewise::trace::record {
namespace {

SourceTable small_table() {
  SourceTable table;
  table.graph = "graph0_forward";
  table.frames = {{"/m/model.py", "forward", 12}, {"/x/torch/nn/functional.py", "rms_norm", 3012}};
  table.nodes = {{"mul", "aten.mul.Tensor", "Net.norm", "RMSNorm", false, 1, {1, 0}}, {"add", "aten.add.Tensor", "", "", true, kNoNode, {}}};
  return table;
}

// What a launch of that site leaves in a capture's rings.
void launch_from(uint32_t site) {
  Event submit;
  submit.kind = EventKind::nrta_execute_schedule;
  submit.start_ns = now_ns();
  submit.end_ns = submit.start_ns + 10;
  submit.launch_id = new_launch_id();
  submit.site = site;
  emit(submit);
}

TEST(SourceSitesTest, TablesAndSitesReadBackAsTheyWereWritten) {
  SourceSite site{7, 0x7fffffffffffffff, "graph0_forward", {}};
  site.streams[static_cast<size_t>(isa::Engine::vector)] = {{0, 3}, {kNoNode, 1}, {1, 100000}};
  std::string bytes;
  begin_sources(&bytes);
  append_table(7, small_table(), &bytes);
  append_site(3, site, &bytes);
  LaunchSources read;
  const Status status = read_sources(bytes, &read);
  ASSERT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(read.tables.at(7), small_table());
  EXPECT_EQ(read.sites.at(3), site);
}

TEST(SourceSitesTest, ACutFileGivesWhatLiesBeforeTheCut) {
  std::string bytes;
  begin_sources(&bytes);
  append_table(1, small_table(), &bytes);
  const size_t whole = bytes.size();
  append_table(2, small_table(), &bytes);
  for (size_t cut = whole + 1; cut < bytes.size(); ++cut) {
    LaunchSources read;
    EXPECT_EQ(read_sources(std::string_view(bytes).substr(0, cut), &read).code(), StatusCode::data_loss) << cut;
    EXPECT_EQ(read.tables.size(), 1u) << cut;
  }
}

TEST(SourceSitesTest, IndicesThatLeadNowhereDoNotGetOut) {
  SourceTable table = small_table();
  table.nodes[0].frames = {9, 0};
  table.nodes[0].own = 1;
  SourceSite site{1, 5, "p", {}};
  site.streams[0] = {{2, 4}};   // of two nodes
  std::string bytes;
  begin_sources(&bytes);
  append_table(1, table, &bytes);
  append_site(1, site, &bytes);
  LaunchSources read;
  ASSERT_TRUE(read_sources(bytes, &read).ok());
  EXPECT_EQ(read.tables.at(1).nodes[0].frames, std::vector<uint32_t>{0});
  EXPECT_EQ(read.tables.at(1).nodes[0].own, 0u);   // still the frame that it meant
  EXPECT_EQ(read.sites.at(1).streams[0], (std::vector<SourceRun>{{kNoNode, 4}}));
}

// Whatever byte is damaged: a sentence or rows whose indices hold.
TEST(SourceSitesTest, DamagedFilesHoldTheirPromises) {
  SourceSite site{1, 5, "p", {}};
  site.streams[0] = {{0, 4}, {1, 1}};
  std::string bytes;
  begin_sources(&bytes);
  append_table(1, small_table(), &bytes);
  append_site(1, site, &bytes);
  int refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      LaunchSources read;
      const Status status = read_sources(damaged, &read);
      refused += !status.ok();
      if (!status.ok()) { EXPECT_FALSE(status.message().empty()); }
      for (const auto& [number, table] : read.tables) {
        for (const SourceNode& node : table.nodes) {
          EXPECT_TRUE(node.own == kNoNode || node.own < node.frames.size());
          for (const uint32_t frame : node.frames) EXPECT_LT(frame, table.frames.size());
        }
      }
      for (const auto& [number, s] : read.sites) {
        for (const SourceRun& run : s.streams[0])
          EXPECT_TRUE(run.node == kNoNode || (read.tables.contains(s.table) && run.node < read.tables[s.table].nodes.size()));
      }
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(SourceSitesTest, ANewerFileAndAForeignOneAreSentences) {
  ProtoMessage newer;
  newer.text(1, "lanewise").uint(2, kSourcesVersion + 1);
  LaunchSources read;
  EXPECT_EQ(read_sources(newer.bytes(), &read).code(), StatusCode::unimplemented);
  EXPECT_EQ(read_sources("", &read).code(), StatusCode::data_loss);
}

TEST(SourceSitesTest, ASiteFollowsTheDebugMapOfItsOwnProgram) {
  isa::Program program = small_program();
  isa::Instruction in = program.streams[static_cast<size_t>(isa::Engine::vector)][0];
  in.debug = 0;
  program.streams[static_cast<size_t>(isa::Engine::vector)].push_back(in);
  in.debug = 5;   // of which nothing is known
  program.streams[static_cast<size_t>(isa::Engine::vector)].push_back(in);
  const SourceSite site = make_site(1, program, 9, {kNoNode, 4});
  EXPECT_EQ(site.streams[static_cast<size_t>(isa::Engine::vector)], (std::vector<SourceRun>{{4, 1}, {kNoNode, 2}}));
  EXPECT_EQ(site.streams[static_cast<size_t>(isa::Engine::sync)], (std::vector<SourceRun>{{kNoNode, 1}}));
  EXPECT_TRUE(site.streams[static_cast<size_t>(isa::Engine::pe)].empty());
}

TEST(SourceSitesTest, ACaptureHoldsTheSitesOfItsLaunchesOnce) {
  const uint32_t table = add_source_table(small_table());
  const uint32_t used = add_source_site(make_site(table, small_program(), 9, {}));
  const uint32_t again = add_source_site(make_site(table, small_program("other"), 8, {}));
  const uint32_t unused = add_source_site(make_site(table, small_program(), 7, {}));
  for (const bool runtime : {true, false}) {   // without the system trace they are written at the stop
    TemporaryFolder folder;
    CaptureOptions options;
    options.profile_output_dir = folder.path();
    options.runtime = runtime;
    auto capture = Capture::start(options, {});
    ASSERT_TRUE(capture.ok()) << capture.status().to_string();
    for (const uint32_t site : {used, used, 0u, again}) launch_from(site);
    const CaptureResult result = (*capture)->stop();
    ASSERT_TRUE(result.write_status.ok()) << result.write_status.to_string();
    const auto bytes = read_whole_file(result.directory + "/" + kSourcesFile);
    ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
    LaunchSources read;
    ASSERT_TRUE(read_sources(*bytes, &read).ok());
    EXPECT_EQ(read.tables.size(), 1u);
    EXPECT_EQ(read.sites.size(), 2u);
    EXPECT_TRUE(read.sites.contains(used) && read.sites.contains(again));
    EXPECT_FALSE(read.sites.contains(unused));
    // Once: the file is as long as its parts.
    std::string expected;
    begin_sources(&expected);
    append_table(table, *source_table(table), &expected);
    append_site(used, *source_site(used), &expected);
    append_site(again, *source_site(again), &expected);
    EXPECT_EQ(bytes->size(), expected.size());
  }
}

TEST(SourceSitesTest, WithoutCompiledGraphsThereIsNoFile) {
  TemporaryFolder folder;
  CaptureOptions options;
  options.profile_output_dir = folder.path();
  auto capture = Capture::start(options, {});
  ASSERT_TRUE(capture.ok());
  launch_from(0);
  const CaptureResult result = (*capture)->stop();
  EXPECT_FALSE(std::filesystem::exists(result.directory + "/" + kSourcesFile));
}

TEST(SourceSitesTest, ThePairOfAProgramTellsTheSiteOfItsLaunch) {
  const uint32_t site = add_source_site(make_site(add_source_table(small_table()), small_program(), 9, {}));
  TemporaryFolder folder;
  CaptureOptions options;
  options.profile_output_dir = folder.path();
  auto capture = Capture::start(options, {});
  ASSERT_TRUE(capture.ok());
  (*capture)->add_program(small_program(), 9, 0, 1, small_profile(), "", site);
  const CaptureResult result = (*capture)->stop();
  TraceInfo info;
  ASSERT_TRUE(read_trace_info(*read_whole_file(result.directory + "/trace_info.pb"), &info).ok());
  ASSERT_EQ(info.programs.size(), 1u);
  EXPECT_EQ(info.programs[0].site, site);
  LaunchSources read;
  ASSERT_TRUE(read_sources(*read_whole_file(result.directory + "/" + kSourcesFile), &read).ok());
  EXPECT_TRUE(read.sites.contains(site));   // also where its launch was not kept in a ring
}

}  // namespace
}  // namespace lanewise::trace::record
