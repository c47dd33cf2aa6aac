// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "trace/pair/open_pair.h"

namespace lanewise::trace::pair {
namespace {

std::filesystem::path hardware_folder() {
  const char* shared = std::getenv("LANEWISE_SHARED");
  const std::filesystem::path root =
      shared != nullptr ? std::filesystem::path(shared) : std::filesystem::path(LANEWISE_SOURCE_DIR) / ".." / "shared";
  return root / "hardware";
}

TEST(RealPairs, EveryInstructionAndDescriptorOfTheProgramHasItsRun) {
  std::vector<std::string> alone;
  const auto pairs = pairs_in(hardware_folder().string(), &alone);
  if (!pairs.ok()) GTEST_SKIP() << "skipped: the public device captures are not there; set LANEWISE_SHARED";
  EXPECT_GE(pairs->size(), 4u);
  EXPECT_TRUE(alone.empty());
  for (const PairPaths& paths : *pairs) {
    SCOPED_TRACE(paths.name);
    const auto p = open_pair(paths.neff, paths.ntff);
    ASSERT_TRUE(p.ok()) << p.status().to_string();
    std::vector<int> times(p->program.instructions.size());
    for (const device::InstructionRun& run : p->instructions)
      if (run.instruction != device::kNone) {
        ++times[run.instruction];
        EXPECT_EQ(p->program.instructions[run.instruction].engine, run.engine);
      }
    for (size_t i = 0; i < times.size(); ++i) {
      const device::Instruction& in = p->program.instructions[i];
      EXPECT_EQ(times[i], in.opcode == "SET_ORDERING_MODE" || in.opcode == "PSEUDO_BRANCH_LABEL" ? 0 : 1) << in.text;
    }
    // Bytes of the transfers, plus four for each semaphore.
    int64_t program_bytes = 0, bytes = 0, semaphores = 0, visible = 0;
    for (const device::DmaDescriptor& d : p->program.descriptors) program_bytes += d.bytes;
    for (const device::DmaRun& d : p->dmas) {
      if (d.setup) continue;
      EXPECT_NE(d.trigger, device::kNone);
      bytes += d.bytes - 4 * d.semaphore;
      semaphores += d.semaphore;
      visible += d.visible >= Picos(0);
    }
    EXPECT_EQ(bytes, program_bytes);
    EXPECT_EQ(visible, semaphores);
    // The resets of semaphores at the end come faster than their buffer takes them, in every capture.
    for (const std::string& s : p->ledger.sentences) EXPECT_NE(s.find("were lost"), std::string::npos) << s;
  }
}

TEST(RealPairs, RefusesAProgramOfAnotherCapture) {
  std::vector<std::string> alone;
  const auto pairs = pairs_in(hardware_folder().string(), &alone);
  if (!pairs.ok() || pairs->size() < 2) GTEST_SKIP() << "skipped: the public device captures are not there; set LANEWISE_SHARED";
  const auto p = open_pair((*pairs)[0].neff, (*pairs)[1].ntff);
  ASSERT_FALSE(p.ok());
  EXPECT_NE(p.status().message().find("do not belong together"), std::string::npos) << p.status().to_string();
  EXPECT_FALSE(open_pair((*pairs)[0].ntff, (*pairs)[0].neff).ok());
  EXPECT_EQ(open_pair("/nowhere.neff", (*pairs)[1].ntff).status().code(), StatusCode::not_found);
}

}  // namespace
}  // namespace lanewise::trace::pair
