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
  EXPECT_TRUE(i.published);   // rows and columns are
  EXPECT_EQ(print(i), "MATMUL first dst=psum.float32[0:64]@0{1x420} moving=sbuf.float16[0:128]@4096{16x30,1x14}");
  b[34] = 1;
  i = decode(b.data(), Engine::pe);
  EXPECT_EQ(i.pattern(Role::dst)->dtype, 0x07);
}

TEST(Trn2Decode, WhatIsNotUnderstoodSaysSoAndKeepsItsBytesUnknown) {
  Bytes b = tensor_tensor();
  b[14] = 0x3d;
  Instruction i = decode(b.data(), Engine::vector);
  EXPECT_EQ(i.not_understood, "ALU code 0x3d is not known");
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
  EXPECT_NE(i.not_understood.find("stands in a register"), std::string::npos) << i.not_understood;
  EXPECT_FALSE(tile(*i.pattern(Role::src0)));
  put(b, 16, 0x03000000, 4);
  EXPECT_NE(decode(b.data(), Engine::vector).not_understood.find("neither SBUF nor PSUM"), std::string::npos);
}

TEST(Trn2Decode, AnUnknownOpcodeShowsItsWaitAndBytes) {
  Bytes b = tensor_tensor();
  b[0] = 0x55;
  Instruction i = decode(b.data(), Engine::vector);
  EXPECT_EQ(i.row, nullptr);
  EXPECT_EQ(i.wait.value, 0x120u);
  EXPECT_NE(print(i).find("UNKNOWN_0x55 wait=s9>=288 update=s6+1  (opcode 0x55 is not known: 55100000"), std::string::npos);
  EXPECT_EQ(i.bytes_of(ByteUse::known) + i.bytes_of(ByteUse::unknown), 64);
  b[0] = 0x61;   // a name without a layout
  i = decode(b.data(), Engine::vector);
  EXPECT_TRUE(i.published);
  EXPECT_EQ(i.bytes_of(ByteUse::unknown), 52);
  EXPECT_NE(print(i).find("BATCH_NORM_STATS2 wait=s9>=288 update=s6+1  (BATCH_NORM_STATS2 is known by its name only: 61100000"), std::string::npos) << print(i);
}

// What is known from descriptions only: no file here has these.
std::string text(const Bytes& b, Engine engine) {
  const Instruction i = decode(b.data(), engine);
  EXPECT_TRUE(i.published);
  EXPECT_EQ(i.not_understood, "");
  EXPECT_EQ(i.bytes_of(ByteUse::unknown), 0);
  return print(i);
}

TEST(Trn2Decode, ScalarsAreValuesOrOneElementAPartition) {
  Bytes b = of(0x43);
  pattern(b, 16, kPsumBase, {{1, 8}, {1, 1}, {1, 1}});
  b[32] = 0x0a, b[33] = 0x07, b[34] = 64, b[35] = 1, b[36] = 0x06, b[37] = 0x08, b[38] = 1;
  put(b, 40, 512, 4);            // scalar0: a pointer
  put(b, 44, 0x40200000, 4);     // scalar1: 2.5
  pattern(b, 48, 1024, {{1, 8}, {1, 1}, {1, 1}});
  EXPECT_EQ(text(b, Engine::vector), "TENSOR_SCALAR op=multiply op1=maximum reverse=first scalar1=2.5 dst=sbuf.float16[0:64]@1024{1x8} "
                                     "src0=psum.float32[0:64]@0{1x8} scalar0=sbuf.float32[0:64]@512{1x1}");
  b[37] = 0;                     // bypass: no second step
  EXPECT_EQ(text(b, Engine::vector).find("scalar1"), std::string::npos);
  b[35] = 2;
  EXPECT_EQ(decode(b.data(), Engine::vector).not_understood, "a scalar whose address is in a register");
  b[35] = 3;
  EXPECT_EQ(decode(b.data(), Engine::vector).not_understood, "immediate source 0x03 is not known");
}

TEST(Trn2Decode, ActivationsHaveTheirBiasSourceTheOtherWayRound) {
  Bytes b = of(0x21);
  b[14] = 3, b[15] = 0;          // the bias is a pointer, the scale a value
  pattern(b, 16, kPsumBase, {{1, 14}, {16, 30}, {1, 1}});
  b[32] = 0x7a, b[33] = 0x07, b[34] = 128, b[35] = 2;
  put(b, 36, 0x3f000000, 4);     // 0.5
  put(b, 40, 4096, 4);
  pattern(b, 48, 64, {{1, 420}, {1, 1}, {1, 1}});
  EXPECT_EQ(text(b, Engine::scalar), "ACTIVATE fn=relu scale=0.5 dst=sbuf.float16[0:128]@64{1x420} src0=psum.float32[0:128]@0{16x30,1x14} "
                                     "scalar1=sbuf.float16[0:128]@4096{1x1}");
  b[15] = 1;
  EXPECT_NE(text(b, Engine::scalar).find(" bias=5.73971851e-42 "), std::string::npos) << text(b, Engine::scalar);
  b[35] = 99;
  EXPECT_EQ(decode(b.data(), Engine::scalar).not_understood, "activation function 0x63 is not known");
}

TEST(Trn2Decode, ReductionsSayOverHowManyOfTheInnermostDimensions) {
  Bytes b = of(0x42);
  pattern(b, 12, 0, {{1, 2}, {32, 2}, {2, 8}, {64, 4}});
  b[32] = b[33] = 0x0a, b[34] = 128, b[35] = 1, b[36] = 0x08, b[37] = 3;
  pattern(b, 44, 8192, {{1, 8}, {8, 4}, {1, 1}, {1, 1}});
  EXPECT_EQ(text(b, Engine::vector), "TENSOR_REDUCE negate op=maximum dims=2 dst=sbuf.float32[0:128]@8192{8x4,1x8} src0=sbuf.float32[0:128]@0{64x4,2x8,32x2,1x2}");
  b[0] = 0x45, b[35] = 0, b[36] = 2;
  put(b, 40, 0x3e800000, 4);
  EXPECT_EQ(text(b, Engine::gpsimd).substr(0, 31), "POOL average dims=2 scale=0.25 ");
  b[37] = 1;
  EXPECT_EQ(decode(b.data(), Engine::gpsimd).not_understood, "byte 37 holds 0x01, which is not understood");
}

TEST(Trn2Decode, MemsetsHaveTheFormThatItsCountOfElementsFits) {
  Bytes b = of(0x49);
  put(b, 28, 60, 4);
  b[32] = 0x0a, b[34] = 32;
  put(b, 40, 0x3f800000, 4);
  pattern(b, 44, 128, {{1, 10}, {16, 6}, {1, 1}, {1, 1}});
  EXPECT_EQ(text(b, Engine::vector), "MEMSET bits=1065353216 dst=sbuf.float32[0:32]@128{16x6,1x10}");
  Bytes one = b;
  std::fill(one.begin() + 44, one.end(), uint8_t{0});
  pattern(one, 44, 128, {{1, 60}});
  EXPECT_EQ(text(one, Engine::gpsimd), "MEMSET bits=1065353216 dst=sbuf.float32[0:32]@128{1x60}");
  put(b, 28, 61, 4);
  EXPECT_EQ(decode(b.data(), Engine::vector).not_understood, "a pattern of other than the 61 elements that byte 28 says");
}

TEST(Trn2Decode, WaitsForMoreThanAValueAreWaitsForTheNext) {
  Bytes b = tensor_tensor();
  b[4] = kWaitGreater;
  EXPECT_NE(text(b, Engine::vector).find(" wait=s9>=289 "), std::string::npos);
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
