// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/ntff.h"

#include "trace/record/little_endian.h"
#include "trace/record/record_fixture.h"

namespace lanewise::trace::record {
namespace {

Ntff small_ntff() {
  Ntff n;
  n.program_hash = 0x7123456789abcdefull;
  n.uuid = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  n.nc = 7;
  n.instance = 70'000;
  n.launch_id = 1ull << 40;
  n.program = "mul";
  n.neff = "neff_1_vnc_7.neff";
  n.producer.machine_preset = "trn2";
  n.producer.machine_spec = "trn2,hbm=1";
  n.producer.exec_overhead_ns = 15'000;
  n.engines = {"pe", "vector", "scalar", "gpsimd", "sync"};
  n.profile = small_profile();
  return n;
}

bool same(const InstructionSpan& a, const InstructionSpan& b) {
  return a.engine == b.engine && a.throttled == b.throttled && a.index == b.index && a.iteration == b.iteration &&
         a.ready_ps == b.ready_ps && a.begin_ps == b.begin_ps && a.end_ps == b.end_ps &&
         a.table_load_ps == b.table_load_ps;
}
bool same(const DmaSpan& a, const DmaSpan& b) {
  return a.engine == b.engine && a.queue == b.queue && a.index == b.index && a.iteration == b.iteration &&
         a.trigger_ps == b.trigger_ps && a.begin_ps == b.begin_ps && a.end_ps == b.end_ps &&
         a.visible_ps == b.visible_ps && a.bytes == b.bytes && a.descriptors == b.descriptors;
}

TEST(NtffTest, EverythingComesBack) {
  const Ntff n = small_ntff();
  auto bytes = write_ntff(n);
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  Ntff back;
  const Status status = read_ntff(*bytes, &back);
  ASSERT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(back.version, kNtffVersion);
  EXPECT_EQ(back.program_hash, n.program_hash);
  EXPECT_EQ(back.uuid, n.uuid);
  EXPECT_EQ(back.nc, n.nc);
  EXPECT_EQ(back.instance, n.instance);
  EXPECT_EQ(back.launch_id, n.launch_id);
  EXPECT_EQ(back.program, n.program);
  EXPECT_EQ(back.neff, n.neff);
  EXPECT_EQ(back.producer.machine_spec, "trn2,hbm=1");
  EXPECT_EQ(back.producer.exec_overhead_ns, 15'000);
  EXPECT_EQ(back.engines, n.engines);
  EXPECT_EQ(back.profile.duration_ps, n.profile.duration_ps);
  ASSERT_EQ(back.profile.instructions.size(), n.profile.instructions.size());
  for (size_t i = 0; i < n.profile.instructions.size(); ++i)
    EXPECT_TRUE(same(back.profile.instructions[i], n.profile.instructions[i])) << i;
  ASSERT_EQ(back.profile.dmas.size(), n.profile.dmas.size());
  for (size_t i = 0; i < n.profile.dmas.size(); ++i) EXPECT_TRUE(same(back.profile.dmas[i], n.profile.dmas[i])) << i;
}

TEST(NtffTest, MoreThan65535Instructions) {
  Ntff n = small_ntff();
  n.profile.instructions.clear();
  for (uint32_t i = 0; i < 100'000; ++i) n.profile.instructions.push_back({1, false, i, 0, i * 10, i * 10, i * 10 + 5, 0});
  Ntff back;
  ASSERT_TRUE(read_ntff(*write_ntff(n), &back).ok());
  ASSERT_EQ(back.profile.instructions.size(), 100'000u);
  EXPECT_EQ(back.profile.instructions.back().index, 99'999u);
}

TEST(NtffTest, RecordsAreAlignedAndOfOurOwnKinds) {
  const std::string bytes = *write_ntff(small_ntff());
  const auto offset = load_le<uint64_t>(bytes, 32);
  const auto count = load_le<uint64_t>(bytes, 40);
  EXPECT_EQ(offset % 16, 0u);
  EXPECT_EQ(offset + count * 16, bytes.size());
  for (size_t at = offset; at < bytes.size(); at += 16) EXPECT_GE(load_le<uint8_t>(bytes, at + 3), 0xE0);
}

TEST(NtffTest, WhatTheFormatCannotHoldIsRefused) {
  Ntff n = small_ntff();
  n.profile.instructions[1].end_ps = 0;
  EXPECT_EQ(write_ntff(n).status().code(), StatusCode::invalid_argument);
  EXPECT_NE(write_ntff(n).status().message().find("span 1"), std::string::npos);
  n = small_ntff();
  n.profile.dmas[0].queue = 16;
  EXPECT_NE(write_ntff(n).status().message().find("queue 16"), std::string::npos);
  n = small_ntff();
  n.profile.instructions[0].engine = 8;
  EXPECT_FALSE(write_ntff(n).ok());
  n = small_ntff();
  n.profile.duration_ps = -1;
  EXPECT_FALSE(write_ntff(n).ok());
}

TEST(NtffTest, EveryCutIsDataLossAndWholeSpansBeforeItAreKept) {
  const std::string bytes = *write_ntff(small_ntff());
  const auto records = load_le<uint64_t>(bytes, 32);
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    Ntff back;
    const Status status = read_ntff(std::string_view(bytes).substr(0, cut), &back);
    ASSERT_EQ(status.code(), StatusCode::data_loss) << cut;
    EXPECT_NE(status.message().find("byte " + std::to_string(cut)), std::string::npos) << status.message();
    if (cut >= records) {
      EXPECT_EQ(back.program, "mul");
      const size_t whole = (cut - records) / 16;   // the first span has 2 records, the second 3
      EXPECT_EQ(back.profile.instructions.size() >= 1, whole >= 2) << cut;
      EXPECT_EQ(back.profile.instructions.size() >= 2, whole >= 5) << cut;
    }
  }
}

TEST(NtffTest, EveryChangedByteIsFound) {
  const std::string bytes = *write_ntff(small_ntff());
  const auto metadata_end = 128 + load_le<uint64_t>(bytes, 24);
  const auto records = load_le<uint64_t>(bytes, 32);
  for (size_t at = 0; at < bytes.size(); ++at) {
    if ((at >= 92 && at < 128) || (at >= metadata_end && at < records)) continue;   // reserved, padding
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    Ntff back;
    const Status status = read_ntff(damaged, &back);
    ASSERT_FALSE(status.ok()) << at;
    EXPECT_NE(status.message().find("byte "), std::string::npos) << status.message();
  }
}

TEST(NtffTest, ADamagedRecordIsNamedByItsOffset) {
  const std::string bytes = *write_ntff(small_ntff());
  const auto records = load_le<uint64_t>(bytes, 32);
  std::string damaged = bytes;
  damaged[records + 5 * 16 + 3] = 0x11;   // a kind that nobody has
  Ntff back;
  const Status status = read_ntff(damaged, &back);
  EXPECT_EQ(status.message(), "unknown record kind 17 at byte " + std::to_string(records + 5 * 16));
  EXPECT_EQ(back.profile.instructions.size(), 2u);
}

TEST(NtffTest, ARealCaptureIsNotOurs) {
  std::string other(4096, '\0');
  other[0] = 0x05;
  Ntff back;
  const Status status = read_ntff(other, &back);
  EXPECT_EQ(status.code(), StatusCode::data_loss);
  EXPECT_NE(status.message().find("byte 0"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::trace::record
