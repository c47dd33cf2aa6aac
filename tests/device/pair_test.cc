// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Pairs of files: what they hold, and what is said about damaged, mismatched and newer ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <zlib.h>

#include "tests/device/captured.h"
#include "trace/import/lanewise_pair/pair.h"
#include "trace/record/little_endian.h"
#include "trace/record/ntff.h"
#include "trace/record/ntff_layout.h"
#include "trace/record/record_fixture.h"
#include "trace/session/device_files.h"

namespace lanewise::test {
namespace {

using trace::device::DeviceProfile;
using trace::lanewise_pair::read_pair;
using trace::record::TemporaryFolder;

Captured small() {
  auto c = capture_graph(rms_norm_graph(4, 512), "rms_norm");
  EXPECT_TRUE(c.ok()) << c.status().to_string();
  return *c;
}

std::string sentence(const Result<DeviceProfile>& r) { return r.ok() ? "" : r.status().message(); }

TEST(Pair, HoldsWhatTheProgramSaysAndWhatRan) {
  const Captured c = small();
  const auto read = read_pair(c.neff, c.ntff);
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  const DeviceProfile& p = *read;
  EXPECT_EQ(p.program.hash, std::to_string(c.hash));
  EXPECT_EQ(static_cast<int64_t>(p.program.instructions.size()), c.program.instruction_count());
  EXPECT_EQ(static_cast<int64_t>(p.instructions.size()), c.program.instruction_count());   // no loops: each ran once
  EXPECT_EQ(p.program.tensors.size(), c.program.buffers.size());
  EXPECT_TRUE(p.simulated);
  EXPECT_EQ(p.machine, "trn2");
  EXPECT_EQ(p.exec_overhead_ns, c.machine.host.exec_overhead_ns);
  int64_t dma_bytes = 0, operands = 0;
  for (const auto& run : p.dmas) {
    ASSERT_NE(run.descriptor, trace::device::kNone);
    EXPECT_EQ(run.bytes, p.program.descriptors[run.descriptor].bytes);   // two counts of the same: the chip's, the program's
    EXPECT_EQ(run.trigger, p.program.descriptors[run.descriptor].trigger);
    dma_bytes += run.bytes;
  }
  EXPECT_GE(dma_bytes, 2 * 4 * 512 * 2 + 512 * 2);   // x, w and the result
  for (const auto& in : p.program.instructions) {
    operands += static_cast<int64_t>(in.operands.size());
    EXPECT_FALSE(in.text.empty());
  }
  EXPECT_GT(operands, 0);
  // Semaphores count up to what the waits want.
  for (const auto& run : p.instructions) {
    for (const auto& wait : p.program.instructions[run.instruction].waits) {
      uint32_t reached = 0;
      for (const auto& s : p.semaphores) {
        if (s.semaphore == wait.number && s.at <= run.begin) reached = s.value;
      }
      EXPECT_GE(reached, wait.value);
    }
  }
  EXPECT_LT(p.first, p.last);
  EXPECT_LE(p.last, p.duration);
}

TEST(Pair, TheLedgerAccountsForEveryByteAndRecord) {
  const Captured c = small();
  const auto p = read_pair(c.neff, c.ntff);
  ASSERT_TRUE(p.ok());
  const auto& l = p->ledger;
  EXPECT_EQ(l.bytes, static_cast<int64_t>(c.ntff.size()));
  EXPECT_EQ(l.bytes, l.header + l.metadata + l.record_bytes + l.padding + l.skipped);
  EXPECT_EQ(l.record_bytes, 16 * l.records);
  int64_t counted = 0;
  for (const auto& [kind, n] : l.kinds) counted += n;
  EXPECT_EQ(counted, l.records);
  EXPECT_EQ(l.unknown, 0);
  EXPECT_TRUE(l.sentences.empty());
}

TEST(Pair, SaysWhatIsWrongWithTheFiles) {
  const Captured c = small();
  const auto other = capture_graph(add_graph(4096), "add");
  ASSERT_TRUE(other.ok());
  EXPECT_NE(sentence(read_pair(c.ntff, c.neff)).find("swapped"), std::string::npos);
  EXPECT_NE(sentence(read_pair("", c.ntff)).find("0 bytes"), std::string::npos);
  EXPECT_NE(sentence(read_pair(c.neff, "")).find("0 bytes"), std::string::npos);
  EXPECT_NE(sentence(read_pair(c.ntff, c.ntff)).find("both files are .ntff"), std::string::npos);
  EXPECT_NE(sentence(read_pair(c.neff, c.neff)).find("no .ntff"), std::string::npos);
  const auto mismatch = read_pair(c.neff, other->ntff);
  ASSERT_FALSE(mismatch.ok());
  EXPECT_EQ(mismatch.status().code(), StatusCode::failed_precondition);
  EXPECT_NE(mismatch.status().message().find("two programs"), std::string::npos);
  EXPECT_FALSE(read_pair(c.neff.substr(0, 500), c.ntff).ok());
  EXPECT_FALSE(read_pair(c.neff, c.ntff.substr(0, 100)).ok());
}

TEST(Pair, ATruncatedNtffKeepsTheRunsBeforeTheCut) {
  const Captured c = small();
  const auto whole = read_pair(c.neff, c.ntff);
  const auto cut = read_pair(c.neff, c.ntff.substr(0, c.ntff.size() - 16 * 20));
  ASSERT_TRUE(whole.ok());
  ASSERT_TRUE(cut.ok()) << cut.status().to_string();
  EXPECT_LT(cut->instructions.size() + cut->dmas.size(), whole->instructions.size() + whole->dmas.size());
  EXPECT_GT(cut->instructions.size(), 0u);
  ASSERT_EQ(cut->ledger.sentences.size(), 1u);
  EXPECT_NE(cut->ledger.sentences[0].find("byte"), std::string::npos);
}

TEST(Pair, ANewerVersionIsRefusedWithASentence) {
  const Captured c = small();
  std::string newer = c.ntff;
  namespace layout = trace::record::ntff_layout;
  trace::record::store_le<uint32_t>(&newer, layout::kVersion, 99);
  trace::record::store_le<uint32_t>(&newer, layout::kHeaderCrc,
                                    static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(newer.data()), layout::kHeaderCrc)));
  const auto read = read_pair(c.neff, newer);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().code(), StatusCode::unimplemented);
  EXPECT_NE(read.status().message().find("newer"), std::string::npos);
}

TEST(DeviceFiles, FindThePartnerAndTheProgram) {
  const TemporaryFolder folder;
  const Captured a = small();
  const auto b = capture_graph(add_graph(4096), "add");
  ASSERT_TRUE(b.ok());
  const std::string neff = write_pair(a, folder.path());
  auto alone = trace::session::open_device({folder.path(), "", "", "", 0});
  ASSERT_TRUE(alone.ok()) << alone.status().to_string();
  write_pair(*b, folder.path(), 1);
  const auto by_neff = trace::session::open_device({neff, "", "", "", 0});
  ASSERT_TRUE(by_neff.ok()) << by_neff.status().to_string();
  EXPECT_EQ(by_neff->profile.program.name, "rms_norm");
  const auto by_ntff = trace::session::open_device({folder.path() + "/" + trace::record::ntff_name(b->hash, 1, 0), "", "", "", 0});
  ASSERT_TRUE(by_ntff.ok()) << by_ntff.status().to_string();
  EXPECT_EQ(by_ntff->profile.program.name, "add");
  EXPECT_EQ(by_ntff->files.instance, 1u);

  const auto many = trace::session::open_device({folder.path(), "", "", "", 0});
  ASSERT_FALSE(many.ok());
  EXPECT_NE(many.status().message().find("rms_norm"), std::string::npos);   // the list of what there is
  const auto by_name = trace::session::open_device({folder.path(), "", "rms_norm", "", 0});
  ASSERT_TRUE(by_name.ok()) << by_name.status().to_string();
  const auto by_hash = trace::session::open_device({folder.path(), "", std::to_string(b->hash), "", 0});
  ASSERT_TRUE(by_hash.ok());
  EXPECT_EQ(by_hash->profile.program.name, "add");
  EXPECT_EQ(trace::session::open_device({folder.path(), "", "softmax", "", 0}).status().code(), StatusCode::not_found);
  EXPECT_EQ(trace::session::open_device({folder.path() + "/none.neff", "", "", "", 0}).status().code(), StatusCode::not_found);
}

TEST(DeviceFiles, AreKnownByTheirBytesNotByTheirNames) {
  const TemporaryFolder folder;
  const Captured a = small();
  const std::string program = folder.path() + "/program.bin", run = folder.path() + "/run";
  std::ofstream(program, std::ios::binary) << a.neff;
  const auto alone = trace::session::open_device({program, "", "", "", 0});
  ASSERT_FALSE(alone.ok());
  EXPECT_NE(alone.status().message().find("the .ntff of a run is missing"), std::string::npos) << alone.status().message();
  std::ofstream(run, std::ios::binary) << a.ntff;
  for (const std::string& path : {program, run, folder.path()}) {
    const auto opened = trace::session::open_device({path, "", "", "", 0});
    ASSERT_TRUE(opened.ok()) << path << ": " << opened.status().to_string();
    EXPECT_EQ(opened->files.neff, program);
    EXPECT_EQ(opened->files.ntff, run);
  }
  const auto pair = trace::session::pair_up(run, program);
  ASSERT_TRUE(pair.ok());
  EXPECT_EQ(pair->neff, program);
  EXPECT_FALSE(trace::session::pair_up(program, program).ok());
  std::ofstream(folder.path() + "/notes.txt") << "nothing";
  EXPECT_EQ(trace::session::open_device({folder.path() + "/notes.txt", "", "", "", 0}).status().code(), StatusCode::invalid_argument);
}

TEST(DeviceFiles, AFolderWithoutPairsSaysSo) {
  const TemporaryFolder folder;
  const Captured a = small();
  std::ofstream(folder.path() + "/a.neff", std::ios::binary) << a.neff;
  const auto opened = trace::session::open_device({folder.path(), "", "", "", 0});
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.status().message().find("1 .neff and 0 .ntff"), std::string::npos);
  EXPECT_NE(trace::session::open_device({folder.path() + "/a.neff", "", "", "", 0}).status().message().find("beside it"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::test
