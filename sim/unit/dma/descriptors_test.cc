// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/dma/descriptors.h"

#include <gtest/gtest.h>

#include "sim/core/test_program.h"

namespace lanewise::sim::dma {
namespace {

using namespace test;

machine::Machine trn2() {
  machine::Machine m;
  m.dma.clock.khz = 850'000;
  m.dma.descriptor_max_bytes = 4096;
  m.memory.partitions = 128;
  return m;
}
int busy_engines(const Transfer& t) {
  int n = 0;
  for (int64_t ps : t.busy_ps) n += ps > 0;
  return n;
}
int64_t ps(int64_t cycles) { return Clock{850'000}.to_picos(Cycles(cycles)).value; }

TEST(Descriptors, OneRunPerPartitionSpreadOverEnginesOfEightPartitions) {
  const Transfer t = describe(load(Engine::sync, sbuf(DType::f32, 128, 512), hbm(0, DType::f32, 128, 512)), trn2());
  EXPECT_EQ(t.descriptors, 128);
  EXPECT_EQ(t.bytes, 128 * 2048);
  EXPECT_EQ(t.hbm_bytes, 128 * 2048);
  EXPECT_EQ(busy_engines(t), 16);
  EXPECT_EQ(t.busy_ps[0], ps(8 * (2048 / 32 + 4)));
}

TEST(Descriptors, FewPartitionsUseFewEngines) {
  EXPECT_EQ(busy_engines(describe(load(Engine::sync, sbuf(DType::f32, 8, 16), hbm(0, DType::f32, 8, 16)), trn2())), 1);
  EXPECT_EQ(busy_engines(describe(load(Engine::sync, sbuf(DType::f32, 9, 16), hbm(0, DType::f32, 9, 16)), trn2())), 2);
  const Transfer t = describe(load(Engine::sync, sbuf(DType::f32, 8, 16, 0, 64), hbm(0, DType::f32, 8, 16)), trn2());
  EXPECT_GT(t.busy_ps[8], 0);   // partitions 64 to 71
  EXPECT_EQ(busy_engines(t), 1);
}

TEST(Descriptors, LongRunsAreSplit) {
  const auto count = [](uint32_t elements) {
    return describe(load(Engine::sync, sbuf(DType::f32, 1, elements), hbm(0, DType::f32, 1, elements)), trn2()).descriptors;
  };
  EXPECT_EQ(count(1024), 1);   // 4096 bytes
  EXPECT_EQ(count(1025), 2);
  EXPECT_EQ(count(2048), 2);
}

TEST(Descriptors, ARunEndsWhereEitherSideJumps) {
  // Rows of 64 in memory, 32 elements at a time in SBUF.
  const Tile t = tile(Space::sbuf, DType::f32, 4, {{100, 2}, {1, 32}});
  EXPECT_EQ(describe(load(Engine::sync, t, hbm(0, DType::f32, 4, 64)), trn2()).descriptors, 8);
  Hbm turned = hbm(0, DType::f32, 1, 1);
  turned.dims[0] = {1, 4};
  turned.dims[1] = {4, 64};
  EXPECT_EQ(describe(load(Engine::sync, sbuf(DType::f32, 4, 64), turned), trn2()).descriptors, 256);   // element by element
}

TEST(Descriptors, BetweenBuffersTheyAreDealtToAllEngines) {
  Instruction in = op(Engine::sync, Opcode::dma_copy);
  in.hbm_dst = hbm(0, DType::f32, 1, 1 << 18);
  in.hbm_src = hbm(1, DType::f32, 1, 1 << 18);
  const Transfer t = describe(in, trn2());
  EXPECT_EQ(t.descriptors, 256);
  EXPECT_EQ(busy_engines(t), 16);
  EXPECT_EQ(t.hbm_bytes, 2 * t.bytes);   // read and written
  in.hbm_dst = hbm(0, DType::f32, 1, 100);
  in.hbm_src = hbm(1, DType::f32, 1, 100);
  EXPECT_EQ(busy_engines(describe(in, trn2())), 1);
}

TEST(Descriptors, CastsCountTheWiderSide) {
  const Transfer t = describe(load(Engine::sync, sbuf(DType::bf16, 1, 256), hbm(0, DType::f32, 1, 256)), trn2());
  EXPECT_EQ(t.busy_ps[0], ps(1024 / 32 + 4));
  EXPECT_EQ(t.bytes, 512);
  EXPECT_EQ(t.hbm_bytes, 1024);
}

TEST(Descriptors, ShortOnesPayTheirMinimum) {
  machine::Machine m = trn2();
  const Instruction in = load(Engine::sync, sbuf(DType::f32, 1, 1), hbm(0, DType::f32, 1, 1));
  EXPECT_EQ(describe(in, m).busy_ps[0], ps(1 + 4));
  m.dma.descriptor_min_bytes = 512;
  EXPECT_EQ(describe(in, m).busy_ps[0], ps(16 + 4));
}

TEST(Descriptors, IndexedRows) {
  Hbm from = hbm(0, DType::f32, 1, 24);
  from.row_index = sbuf(DType::i32, 32, 1, 1024);
  from.row_stride = 24;
  const Transfer t = describe(load(Engine::gpsimd, sbuf(DType::f32, 32, 24), from), trn2());
  EXPECT_EQ(t.indexed_rows, 32);
  EXPECT_EQ(t.descriptors, 32);
  EXPECT_EQ(t.bytes, 32 * 96);
}

}  // namespace
}  // namespace lanewise::sim::dma
