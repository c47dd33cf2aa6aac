// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/session/launch_sources.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "trace/import/lanewise_pair/pair_fixture.h"
#include "trace/record/output_file.h"
#include "trace/record/record_fixture.h"
#include "trace/record/source_sites.h"
#include "trace/record/trace_info.h"

namespace lanewise::trace::session {
namespace {

// A capture folder with one pair and two call sites of its program.
class LaunchSourcesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    hash_ = isa::program_hash(pair_.program);
    record::SourceTable first, second;
    first.frames = {{"/m/a.py", "forward", 10}, {"/x/torch/f.py", "helper", 3}};
    first.nodes = {{"add", "aten.add.Tensor", "Net.fc", "Linear", false, 1, {1, 0}}};
    second.frames = {{"/m/b.py", "step", 20}};
    second.nodes = {{"view", "aten.view.default", "", "", false, 0, {0}}, {"add_9", "aten.add.Tensor", "Other", "Other", true, 0, {0}}};
    // The sync engine moves what the node of the vector engine reads and writes.
    record::SourceSite here{1, hash_, "add", {}}, there{2, hash_, "add", {}}, stranger{2, hash_ + 1, "mul", {}};
    here.streams[static_cast<size_t>(isa::Engine::vector)] = {{0, 1}};
    here.streams[static_cast<size_t>(isa::Engine::sync)] = {{0, 1}, {record::kNoNode, 1}};
    there.streams[static_cast<size_t>(isa::Engine::vector)] = {{1, 1}};
    there.streams[static_cast<size_t>(isa::Engine::sync)] = {{1, 2}};
    std::string bytes;
    record::begin_sources(&bytes);
    record::append_table(1, first, &bytes);
    record::append_table(2, second, &bytes);
    record::append_site(1, here, &bytes);
    record::append_site(2, there, &bytes);
    record::append_site(3, stranger, &bytes);
    write(record::kSourcesFile, bytes);
    write("p.neff", pair_.neff);
    write("p.ntff", pair_.ntff);
    record::TraceInfo info;
    info.programs.push_back({hash_, 0, 0, 1, "add", "p.neff", "p.ntff", false, 1});
    write("trace_info.pb", record::write_trace_info(info));
  }

  void write(const std::string& name, const std::string& bytes) { ASSERT_TRUE(record::write_whole_file(folder_.path() + "/" + name, bytes).ok()); }

  device::DeviceProfile open() {
    auto opened = open_device({folder_.path(), "", "", "", 0});
    EXPECT_TRUE(opened.ok()) << opened.status().to_string();
    return std::move(opened->profile);
  }
  device::DeviceProfile seen_from(uint32_t site) {
    device::DeviceProfile profile = *read_device_pair(folder_.path() + "/p.neff", folder_.path() + "/p.ntff");
    add_sources({folder_.path(), site}, &profile);
    return profile;
  }

  // "a.py:10 Net.fc" of each instruction, "-" where nothing is known.
  static std::vector<std::string> places(const device::DeviceProfile& p) {
    std::vector<std::string> out;
    for (const device::Instruction& in : p.program.instructions) {
      const device::Source* source = p.program.source_of(&in);
      const device::SourceFrame* line = p.program.line_of(source);
      out.push_back(line == nullptr ? "-" : std::filesystem::path(line->file).filename().string() + ":" + std::to_string(line->line) + " " + source->module);
    }
    return out;
  }

  record::TemporaryFolder folder_;
  lanewise_pair::SmallPair pair_ = lanewise_pair::small_pair();
  uint64_t hash_ = 0;
};

TEST_F(LaunchSourcesTest, APairInItsFolderHasTheLinesOfTheLaunchThatItShows) {
  const device::DeviceProfile profile = open();
  EXPECT_EQ(profile.source_note, "");
  // Engines in their order: vector first, then sync. A library's line is not the user's own.
  EXPECT_EQ(places(profile), (std::vector<std::string>{"a.py:10 Net.fc", "a.py:10 Net.fc", "-"}));
}

TEST_F(LaunchSourcesTest, AnotherCallSiteOfTheProgramHasItsOwnLines) {
  const device::DeviceProfile profile = seen_from(2);
  EXPECT_EQ(places(profile), (std::vector<std::string>{"b.py:20 Other", "b.py:20 Other", "b.py:20 Other"}));
  EXPECT_TRUE(profile.program.source_of(&profile.program.instructions[0])->backward);
}

TEST_F(LaunchSourcesTest, WhyThereAreNoLinesIsASentence) {
  const auto note = [&](uint32_t site) {
    const device::DeviceProfile profile = seen_from(site);
    EXPECT_EQ(places(profile), (std::vector<std::string>{"-", "-", "-"}));
    return profile.source_note;
  };
  EXPECT_NE(note(0).find("of one operator"), std::string::npos);
  EXPECT_NE(note(4).find("does not hold call site 4"), std::string::npos);
  EXPECT_NE(note(3).find("is of program"), std::string::npos);
  write(record::kSourcesFile, "nonsense");
  EXPECT_NE(note(1).find(record::kSourcesFile), std::string::npos);
  std::filesystem::remove(folder_.path() + "/" + record::kSourcesFile);
  EXPECT_NE(note(1).find(record::kSourcesFile), std::string::npos);
  std::filesystem::remove(folder_.path() + "/trace_info.pb");
  EXPECT_NE(open().source_note.find("no launch record lies beside this pair"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::trace::session
