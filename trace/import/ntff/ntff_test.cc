// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "trace/import/ntff/ntff_fixture.h"
#include "trace/import/ntff/import_invariants.h"
#include "trace/import/ntff/profile.h"

namespace lanewise::trace::ntff {
namespace {

using test::record_bytes;
using test::Small;

constexpr uint64_t kStart = 14'169'024'808'314'977;   // captures count from the start of the chip

Small full() {
  Small s;
  s.instructions = record_bytes(0xf600, 0, 144, 0x7a120000, kStart) +               // prologue
                   record_bytes(0xf600, 0, 145, 0xffffffff, kStart + 50'000) +
                   record_bytes(0xfa01, 0, 148, 0, kStart + 60'000) +                // SP: the trigger
                   record_bytes(0xfa01, 0, 149, 0xffffffff, kStart + 118'000) +
                   record_bytes(0xf601, 0, 144, 0x00600000, kStart + 2'000'000) +    // 0x60 cycles of 0.96 GHz = 100 ns
                   record_bytes(0xf601, 0, 145, 0, kStart + 3'202'000) +
                   record_bytes(0xf602, 32, 144, 0, kStart + 3'300'000) +            // epilogue, jumps
                   record_bytes(0xf602, 32, 145, 0xffffffff, kStart + 3'400'000);
  s.semaphores = record_bytes(8, 0xf1, 155, 1, kStart + 1'000) + record_bytes(256 + 9, 0xf3, 155, 1, kStart + 1'900'000) +
                 record_bytes(256 + 6, 0xf3, 147, 1, kStart + 3'213'000);
  s.dma = record_bytes(0, 0, 128, 0x11, kStart + 850'000) + record_bytes(0, 0, 128, 0x11, kStart + 1'001'800) +
          record_bytes(4000, 0, 128, 0xf7200015, kStart + 1'005'300) + record_bytes(0, 0, 128, 0x16, kStart + 1'289'000) +
          record_bytes(4004, 0, 128, 0xbd160015, kStart + 1'157'000) + record_bytes(0, 0, 128, 0x16, kStart + 1'640'000);
  s.throttle = record_bytes(204, 8, 158, 8, kStart + 500'000) + record_bytes(3, 8, 158, 260, kStart + 900'000);
  return s;
}

TEST(Ntff, TellsUnderWhichLimitTheTensorEngineRan) {
  Small s = full();   // limited at first, full clock from 500 ns on, half from 900 ns on
  for (const uint64_t at : {300'000, 500'000, 899'999, 900'000, 5'000'000})
    s.instructions += record_bytes(0xf700, 0, 132, 0, kStart + at) + record_bytes(0xf700, 0, 133, 0, kStart + at + 10);
  const auto p = read_profile(s.bytes(), s.program(), s.pair_id);
  ASSERT_TRUE(p.ok()) << p.status().to_string();
  std::vector<bool> throttled;
  for (const device::InstructionRun& run : p->instructions) {
    if (run.engine == isa::Engine::pe) throttled.push_back(run.throttled);
    else EXPECT_FALSE(run.throttled);
  }
  EXPECT_EQ(throttled, (std::vector<bool>{true, false, false, true, true}));
}

TEST(Ntff, JoinsRecordsWithTheProgram) {
  const Small s = full();
  const auto p = read_profile(s.bytes(), s.program(), s.pair_id);
  ASSERT_TRUE(p.ok()) << p.status().to_string();
  ASSERT_EQ(p->instructions.size(), 4u);
  EXPECT_TRUE(p->instructions[0].setup);
  EXPECT_EQ(p->instructions[0].instruction, device::kNone);
  EXPECT_EQ(p->instructions[1].instruction, 1u);
  EXPECT_EQ(p->instructions[1].engine, isa::Engine::sync);
  const device::InstructionRun& tensor = p->instructions[2];
  EXPECT_EQ(tensor.instruction, 0u);
  EXPECT_FALSE(tensor.setup);
  EXPECT_EQ(tensor.begin, Picos(2'000'000));
  EXPECT_EQ(tensor.end, Picos(3'202'000));
  EXPECT_EQ(tensor.ready, Picos(1'900'000));
  EXPECT_TRUE(p->instructions[3].setup);

  ASSERT_EQ(p->dmas.size(), 2u);
  for (const device::DmaRun& d : p->dmas) {
    EXPECT_EQ(d.trigger, 1u);
    EXPECT_EQ(d.queue, 0u);
    EXPECT_EQ(d.dma_engine, 64);
    EXPECT_EQ(d.triggered, Picos(60'000));
  }
  EXPECT_EQ(p->dmas[0].bytes, 4000);
  EXPECT_EQ(p->dmas[0].read, Picos(1'005'300));
  EXPECT_EQ(p->dmas[0].visible, Picos(-1));            // only the last descriptor writes the semaphore
  EXPECT_EQ(p->dmas[1].end, Picos(1'640'000));
  EXPECT_EQ(p->dmas[1].visible, Picos(1'900'000));

  ASSERT_EQ(p->semaphores.size(), 2u);                 // the event is not one
  EXPECT_EQ(p->semaphores[1].engine, isa::Engine::vector);
  ASSERT_EQ(p->pe_limits.size(), 2u);
  EXPECT_EQ(p->pe_limits[0].limit, 1.0);
  EXPECT_EQ(p->pe_limits[1].limit, 0.5);
  EXPECT_EQ(p->first, Picos(60'000));
  EXPECT_EQ(p->last, Picos(3'202'000));

  const device::Ledger& l = p->ledger;
  EXPECT_EQ(l.records, 8 + 3 + 6 + 2);
  EXPECT_EQ(l.unknown, 0);
  EXPECT_EQ(l.bytes, l.header + l.metadata + l.record_bytes + l.padding + l.skipped);
  EXPECT_EQ(l.kinds.at("event_set"), 1);
  EXPECT_TRUE(l.sentences.empty()) << l.sentences[0];
}

TEST(Ntff, CountsUnknownKindsAndKeepsTheRest) {
  Small s = full();
  s.semaphores += record_bytes(1, 2, 0x9a, 3, kStart + 5);
  const auto p = read_profile(s.bytes(), s.program(), s.pair_id);
  ASSERT_TRUE(p.ok());
  EXPECT_EQ(p->ledger.unknown, 1);
  EXPECT_EQ(p->ledger.kinds.at("0x9a"), 1);
  EXPECT_EQ(p->instructions.size(), 4u);
}

TEST(Ntff, SaysThatRecordsWereLost) {
  Small s = full();
  s.semaphores += record_bytes(256 + 40, 0xf9, 147 + 64, 0, kStart + 3'300'000);
  const auto p = read_profile(s.bytes(), s.program(), s.pair_id);
  ASSERT_TRUE(p.ok());
  EXPECT_EQ(p->ledger.unknown, 0);
  ASSERT_EQ(p->ledger.sentences.size(), 1u);
  EXPECT_NE(p->ledger.sentences[0].find("1 records say that others before them were lost"), std::string::npos);
}

TEST(Ntff, RefusesWhatItCannotReadInSentences) {
  const Small s = full();
  const auto message = [&](const std::string& bytes) { return read_capture(bytes).status(); };
  EXPECT_NE(message("").message().find("0 bytes"), std::string::npos);
  EXPECT_NE(message("LANENTFF").message().find("Lanewise's own device"), std::string::npos);
  EXPECT_EQ(message(std::string(500, 'x')).code(), StatusCode::invalid_argument);
  std::string newer = s.bytes();
  newer[0] = 6;
  EXPECT_EQ(message(newer).code(), StatusCode::unimplemented);
  EXPECT_NE(message(newer).message().find("use a newer Lanewise"), std::string::npos);
  std::string neff(1100, '\0');
  neff[0] = 2;
  neff[9] = 4;
  EXPECT_NE(message(neff).message().find("this is a NEFF"), std::string::npos);
  EXPECT_EQ(message(s.bytes().substr(0, 100)).code(), StatusCode::data_loss);
  EXPECT_EQ(message(s.bytes().substr(0, 200)).code(), StatusCode::data_loss);
}

TEST(Ntff, KeepsWhatStandsBeforeACut) {
  const Small s = full();
  const std::string bytes = s.bytes();
  const std::string cut = bytes.substr(0, bytes.size() - s.throttle.size() - s.dma.size() - 20);
  const auto p = read_profile(cut, s.program(), s.pair_id);
  ASSERT_TRUE(p.ok()) << p.status().to_string();
  EXPECT_EQ(p->instructions.size(), 4u);
  EXPECT_TRUE(p->dmas.empty());
  EXPECT_FALSE(p->ledger.sentences.empty());
  EXPECT_EQ(p->ledger.bytes, p->ledger.header + p->ledger.metadata + p->ledger.record_bytes + p->ledger.skipped);
}

TEST(Ntff, RefusesAnotherPrograms) {
  const Small s = full();
  const auto other_id = read_profile(s.bytes(), s.program(), "fedcba9876543210");
  ASSERT_FALSE(other_id.ok());
  EXPECT_NE(other_id.status().message().find("do not belong together"), std::string::npos);
  device::Program program = s.program();
  program.instructions[0].waits[0].value = 3;
  EXPECT_FALSE(read_profile(s.bytes(), program, s.pair_id).ok());
  program = s.program();
  program.instructions.push_back(program.instructions[0]);
  EXPECT_FALSE(read_profile(s.bytes(), program, s.pair_id).ok());
}

TEST(Ntff, PromisesHoldForCutAndChangedFiles) {
  const Small s = full();
  const std::string bytes = s.bytes();
  for (size_t cut = 0; cut < bytes.size(); cut += 7) EXPECT_EQ(broken_invariant(bytes.substr(0, cut), s.program()), "") << cut;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    EXPECT_EQ(broken_invariant(changed, s.program()), "") << at;
  }
}

std::string whole_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(RealNtff, EveryRecordOfEveryFileIsKnown) {
  const auto folder = test::hardware_folder();
  if (folder.empty()) GTEST_SKIP() << "skipped: the public device captures are not there; set LANEWISE_SHARED";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".ntff") continue;
    SCOPED_TRACE(entry.path().string());
    ++files;
    const std::string bytes = whole_file(entry.path());
    const auto p = read_profile(bytes, {}, {});
    ASSERT_TRUE(p.ok()) << p.status().to_string();
    const device::Ledger& l = p->ledger;
    EXPECT_GT(l.records, 4000);
    EXPECT_EQ(l.unknown, 0);
    EXPECT_EQ(l.skipped, 0);
    EXPECT_EQ(l.record_bytes, l.records * int64_t{kRecordBytes});
    EXPECT_EQ(l.bytes, l.header + l.metadata + l.record_bytes);
    // One a core has no end: it stops the recording.
    EXPECT_EQ(l.kinds.at("instruction_begin"), l.kinds.at("instruction_end") + 2);
    EXPECT_EQ(static_cast<int64_t>(p->instructions.size()), l.kinds.at("instruction_end"));
    EXPECT_EQ(l.kinds.at("descriptor_start"), l.kinds.at("descriptor_complete"));
    // The program's own instructions end before the epilogue and begin after the prologue.
    size_t own = 0;
    for (const device::InstructionRun& run : p->instructions) own += !run.setup;
    EXPECT_GT(own, 8u);
    EXPECT_LT(p->last - p->first, Picos(100'000'000));
  }
  EXPECT_GE(files, 4);
}

}  // namespace
}  // namespace lanewise::trace::ntff
