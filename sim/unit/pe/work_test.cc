// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/pe/work.h"

#include <gtest/gtest.h>

#include "sim/core/test_program.h"

namespace lanewise::sim::pe {
namespace {

using namespace test;

TEST(Work, OfEachInstruction) {
  const machine::Machine m = load_preset("trn2");
  const Work half = work(matmul(psum(DType::f32, 96, 300), sbuf(DType::bf16, 128, 96), sbuf(DType::bf16, 128, 300)), m, false);
  EXPECT_TRUE(half.loads && half.streams);
  EXPECT_EQ(half.passes, 1);
  EXPECT_EQ(half.load.columns, 96);
  EXPECT_EQ(half.columns.columns, 300);
  EXPECT_EQ(half.columns.bytes, 2);
  const Work wide = work(matmul(psum(DType::f32, 96, 300), sbuf(DType::f32, 128, 96), sbuf(DType::f32, 128, 300)), m, true);
  EXPECT_EQ(wide.passes, 2);
  EXPECT_TRUE(wide.load.strided);
  EXPECT_FALSE(wide.load.pass_through);
  Instruction turn = op(Engine::pe, Opcode::nc_transpose);
  turn.src0 = sbuf(DType::f32, 64, 100);
  const Work turned = work(turn, m, false);
  EXPECT_EQ(turned.passes, 1);              // bits pass unchanged, in one pass (transpose_1024 of the captures)
  EXPECT_TRUE(turned.load.pass_through);
  EXPECT_EQ(turned.load.columns, 100);
  EXPECT_EQ(turned.columns.columns, 64);    // of the identity
  Instruction moving = op(Engine::pe, Opcode::multiply_moving);
  moving.src0 = sbuf(DType::f8e4m3, 128, 512);
  EXPECT_FALSE(work(moving, m, false).loads);
  EXPECT_EQ(work(moving, m, false).columns.bytes, 1);
}

TEST(WorkRun, BeginsWithItsLoadUnlessTheLoadIsHidden) {
  const machine::Machine m = load_preset("trn2,pe.throttle_factor=1");
  const Work w = work(matmul(psum(DType::f32, 128, 512), sbuf(DType::bf16, 128, 128), sbuf(DType::bf16, 128, 512)), m, false);
  Steps steps(m, Picos(0));
  const Picos step(m.pe.hand_over_ps);
  const WorkRun first = run(&steps, w, Picos(0), Picos(1000), m);
  EXPECT_EQ(first.begin, Picos(1000));
  const WorkRun second = run(&steps, w, step * 2, step * 2, m);
  const Picos columns = m.pe.clock.to_picos(Cycles(512));
  EXPECT_NEAR(static_cast<double>((second.end - first.end).value), static_cast<double>((columns + Picos(m.pe.moving_gap_ps)).value), 2);
  EXPECT_NEAR(static_cast<double>((second.end - second.begin).value), static_cast<double>(m.pe.clock.to_picos(Cycles(512 + m.pe.fill_drain_cycles)).value), 2);
  // Alone again: what is exposed is the load and the way to the first column.
  const Picos later = second.end + Picos(1'000'000);
  const WorkRun third = run(&steps, w, later, later, m);
  EXPECT_EQ(third.begin, later);
  EXPECT_GT(third.end - third.begin, second.end - second.begin);
}

}  // namespace
}  // namespace lanewise::sim::pe
