// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions made up here in the layout of real ones; real files are read in trace/import/neff.
#include <gtest/gtest.h>

#include "isa/trn2/table.h"

namespace lanewise::isa::trn2 {
namespace {

using Bytes = std::array<uint8_t, kInstructionBytes>;

void put(Bytes& b, size_t at, uint64_t v, int n) {
  for (int i = 0; i < n; ++i) b[at + static_cast<size_t>(i)] = static_cast<uint8_t>(v >> (8 * i));
}
Bytes of(uint8_t opcode) {
  Bytes b{};
  b[0] = opcode;
  b[1] = 16;
  return b;
}
// Rank 3 or 4: address, steps, counts; innermost first.
void pattern(Bytes& b, size_t at, uint32_t address, std::vector<Dim> dims) {
  put(b, at, address, 4);
  for (size_t d = 0; d < dims.size(); ++d) {
    put(b, at + 4 + 2 * d, static_cast<uint16_t>(dims[d].step), 2);
    put(b, at + 4 + 2 * (dims.size() + d), dims[d].count, 2);
  }
}
Bytes tensor_tensor() {
  Bytes b = of(0x41);
  b[4] = kWaitAtLeast, b[5] = 9, b[6] = kIncrement, b[7] = 6;
  put(b, 8, 0x120, 4);
  b[12] = 0x7a, b[13] = 0x07, b[14] = 0x04, b[15] = 96;
  pattern(b, 16, kPsumBase + 2048, {{1, 420}, {1, 1}, {1, 1}});
  pattern(b, 32, 4096, {{0, 420}, {1, 1}, {1, 1}});
  pattern(b, 48, 32 * kSbufPartitionStep + 64, {{1, 14}, {16, 30}, {1, 1}});
  return b;
}

TEST(Trn2Decode, TensorTensorWithWaitAndUpdate) {
  const Bytes b = tensor_tensor();
  const Instruction i = decode(b.data(), Engine::vector);
  EXPECT_EQ(i.not_understood, "");
  EXPECT_FALSE(i.inferred);
  EXPECT_EQ(i.bytes_of(ByteUse::unknown), 0);
  EXPECT_EQ(i.bytes_of(ByteUse::padding), 2);   // bytes 2 and 3
  EXPECT_EQ(print(i), "TENSOR_TENSOR op=add dst=sbuf.float16[32:128]@64{16x30,1x14} src0=psum.float32[0:96]@2048{1x420} "
                      "src1=sbuf.float16[0:96]@4096{0x420} wait=s9>=288 update=s6+1");
  const auto dst = tile(*i.pattern(Role::dst));
  ASSERT_TRUE(dst);
  EXPECT_EQ(dst->rank, 2);
  EXPECT_EQ(dst->dims[0], (FreeDim{16, 30}));
  EXPECT_EQ(dst->partition, 32);
}

TEST(Trn2Decode, MatmulAccumulatesInF32AndTransposesKeepTheirType) {
  Bytes b = of(0x02);
  pattern(b, 16, 0x1000, {{1, 14}, {16, 30}, {0, 1}});
  b[32] = 0x07, b[38] = 128, b[39] = 64, b[43] = 1, b[44] = b[45] = 15;
  pattern(b, 48, kPsumBase, {{1, 420}, {0, 1}, {0, 1}});
  Instruction i = decode(b.data(), Engine::pe);
  EXPECT_EQ(i.not_understood, "");
  EXPECT_EQ(i.bytes_of(ByteUse::unknown), 0);
  EXPECT_TRUE(i.inferred);   // rows and columns are
  EXPECT_EQ(print(i), "MATMUL first dst=psum.float32[0:64]@0{1x420} moving=sbuf.float16[0:128]@4096{16x30,1x14}");
  b[34] = 1;
  i = decode(b.data(), Engine::pe);
  EXPECT_EQ(i.pattern(Role::dst)->dtype, 0x07);
}

TEST(Trn2Decode, WhatIsNotUnderstoodSaysSoAndKeepsItsBytesUnknown) {
  Bytes b = tensor_tensor();
  b[14] = 0x1d;
  Instruction i = decode(b.data(), Engine::vector);
  EXPECT_EQ(i.not_understood, "ALU code 0x1d is not known");
  EXPECT_EQ(i.bytes_of(ByteUse::unknown), 1);
  b = tensor_tensor();
  b[4] = 0x06;
  EXPECT_EQ(decode(b.data(), Engine::vector).not_understood, "wait kind 0x06 is not known");
  b = tensor_tensor();
  b[3] = 1;
  EXPECT_EQ(decode(b.data(), Engine::vector).not_understood, "byte 3 holds 0x01, which is not understood");
  b = tensor_tensor();
  put(b, 16, 0xffffffff, 4);
  i = decode(b.data(), Engine::vector);
  EXPECT_NE(i.not_understood.find("neither SBUF nor PSUM"), std::string::npos);
  EXPECT_FALSE(tile(*i.pattern(Role::src0)));
}

TEST(Trn2Decode, AnUnknownOpcodeShowsItsWaitAndWhatItResembles) {
  Bytes b = tensor_tensor();
  b[0] = 0x55;
  const Instruction i = decode(b.data(), Engine::vector);
  EXPECT_EQ(i.row, nullptr);
  EXPECT_EQ(i.wait.value, 0x120u);
  EXPECT_NE(print(i).find("UNKNOWN_0x55 wait=s9>=288 update=s6+1  (opcode 0x55 is not known: 55100000"), std::string::npos);
  EXPECT_EQ(i.bytes_of(ByteUse::known) + i.bytes_of(ByteUse::unknown), 64);
  const auto like = resembles(i, Engine::vector);
  ASSERT_TRUE(like);
  EXPECT_EQ(like->row->name, "TENSOR_TENSOR");
  EXPECT_FALSE(resembles(decode(of(0x56).data(), Engine::vector), Engine::vector));
}

TEST(Trn2Decode, EveryByteHasOneUseWhateverTheBytes) {
  uint32_t state = 1;
  for (int n = 0; n < 20000; ++n) {
    Bytes b;
    for (uint8_t& v : b) state = state * 1664525 + 1013904223, v = static_cast<uint8_t>(state >> 24);
    if (n % 2 == 0) b[0] = opcode_rows()[static_cast<size_t>(n / 2) % opcode_rows().size()].code;
    const auto engine = static_cast<Engine>(n % kEngineCount);
    const Instruction i = decode(b.data(), engine);
    ASSERT_EQ(i.bytes_of(ByteUse::known) + i.bytes_of(ByteUse::padding) + i.bytes_of(ByteUse::unknown), 64);
    for (size_t k = 0; k < b.size(); ++k) ASSERT_TRUE(i.use[k] != ByteUse::padding || b[k] == 0);
    ASSERT_TRUE(i.bytes_of(ByteUse::unknown) == 0 || !i.not_understood.empty());
    (void)print(i);
    (void)resembles(i, engine);
    for (const Pattern& p : i.patterns) (void)tile(p);
  }
}

// Two fields on one byte, or one past the end, would count it twice.
TEST(Trn2Table, FieldsDoNotOverlap) {
  for (const OpcodeRow& row : opcode_rows()) {
    std::array<int, kInstructionBytes> times{};
    for (const auto fields : {header_fields(), row.fields})
      for (const Field& f : fields)
        for (int k = 0; k < f.bytes; ++k) ++times.at(f.offset + static_cast<size_t>(k));
    for (int t : times) EXPECT_LE(t, 1) << row.name;
    EXPECT_EQ(opcode_row(row.code), &row);
  }
}

}  // namespace
}  // namespace lanewise::isa::trn2
