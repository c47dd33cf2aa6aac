// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Files recorded on a real trn2, where they are there (../shared/hardware beside the source, or LANEWISE_SHARED).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "trace/import/neff/program.h"

namespace lanewise::trace::neff {
namespace {

std::filesystem::path hardware() {
  const char* shared = std::getenv("LANEWISE_SHARED");
  return std::filesystem::path(shared != nullptr ? shared : LANEWISE_SOURCE_DIR "/../shared") / "hardware";
}
std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class RealFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(hardware(), error))
      if (entry.path().extension() == ".neff") paths_.push_back(entry.path());
    if (paths_.empty()) GTEST_SKIP() << "no real NEFF in " << hardware() << ": reading of real files is not tested";
  }
  std::vector<std::filesystem::path> paths_;
};

TEST_F(RealFiles, EveryMemberAndEveryByteOfEveryInstructionIsAccountedFor) {
  for (const auto& path : paths_) {
    SCOPED_TRACE(path.filename().string());
    auto neff = read_file(contents(path));
    ASSERT_TRUE(neff.ok()) << neff.status().to_string();
    EXPECT_EQ(neff->target, "cayman");
    EXPECT_EQ(neff->cores.size(), 2u);
    for (const std::string& problem : neff->problems) ADD_FAILURE() << problem;
    for (const Member& m : neff->members) EXPECT_NE(m.use, MemberUse::unknown) << m.name;
    for (const Core& core : neff->cores)
      for (const EngineCode& code : core.engines) {
        EXPECT_GE(code.instructions.size(), 2u);
        EXPECT_EQ(code.names.size(), code.instructions.size());
        EXPECT_EQ(code.rest_bytes, 0);
        for (const auto& in : code.instructions) {
          EXPECT_EQ(in.not_understood, "") << isa::trn2::print(in);
          EXPECT_EQ(in.bytes_of(isa::trn2::ByteUse::unknown), 0) << isa::trn2::print(in);
          EXPECT_TRUE(in.queue.empty() || core.block(code.engine, in.queue, in.descriptor) != nullptr) << isa::trn2::print(in);
        }
      }
  }
}

TEST_F(RealFiles, EveryDescriptorHasItsTriggerAndMovesWhatItsTensorHolds) {
  for (const auto& path : paths_) {
    SCOPED_TRACE(path.filename().string());
    auto neff = read_file(contents(path));
    ASSERT_TRUE(neff.ok()) << neff.status().to_string();
    const device::Program program = program_of(*neff);
    for (const device::Instruction& i : program.instructions) {
      EXPECT_EQ(i.opcode == "SET_ORDERING_MODE" || i.opcode == "PSEUDO_BRANCH_LABEL", i.name.empty()) << i.text;
      EXPECT_EQ(i.name.empty(), i.ir_op.empty()) << i.text;
    }
    EXPECT_EQ(program.target, "trn2");
    EXPECT_EQ(program.cores, 2);
    std::map<std::string, int64_t> stored;
    for (const device::DmaDescriptor& d : program.descriptors) {
      ASSERT_NE(d.trigger, device::kNone) << d.name;
      EXPECT_EQ(program.instructions[d.trigger].opcode, "PSEUDO_DMA_TRIGGER");
      EXPECT_EQ(program.instructions[d.trigger].queue, d.queue);
      EXPECT_GT(d.bytes, 0);
      if (!d.to.tensor.empty()) stored[d.to.tensor] += d.bytes;
    }
    for (const device::Tensor& t : program.tensors) {
      EXPECT_GT(t.bytes, 0) << t.name;
      EXPECT_EQ(t.kind == "output" ? stored[t.name] : t.bytes, t.bytes) << t.name;   // each byte written once
    }
    // Every wait is for something an instruction or a transfer of the same core updates often enough.
    std::map<std::pair<int, int>, uint64_t> raised;
    for (const device::Instruction& i : program.instructions)
      for (const device::Semaphore& u : i.updates) raised[{i.core, u.number}] += u.value;
    for (const device::Instruction& i : program.instructions)
      for (const device::Semaphore& w : i.waits) EXPECT_GE((raised[{i.core, w.number}]), w.value) << i.text;
  }
}

TEST_F(RealFiles, AFileCutAnywhereGivesASentence) {
  const std::string whole = contents(paths_.front());
  for (size_t n : {size_t{0}, size_t{1}, size_t{1023}, size_t{1024}, size_t{1025}, whole.size() / 2, whole.size() - 1}) {
    const auto cut = read_file(std::string_view(whole).substr(0, n));
    if (cut.ok()) EXPECT_FALSE(cut->problems.empty()) << n;
    else EXPECT_GT(cut.status().message().size(), 20u) << n;
  }
}

}  // namespace
}  // namespace lanewise::trace::neff
