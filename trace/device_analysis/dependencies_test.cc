// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "trace/device_analysis/critical_path.h"
#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/operands.h"
#include "trace/device_analysis/profile_fixture.h"
#include "trace/device_analysis/replay.h"
#include "trace/device_analysis/semaphore_history.h"
#include "trace/device_analysis/stalls.h"

namespace lanewise::trace::device_analysis {
namespace {

using isa::Engine;
using B = ProfileBuilder;

// With round numbers for what the runs below are made of.
machine::Machine trn2() { return *machine::load_machine("trn2,sequencer_vector.wake_ps=24000,sequencer_scalar.wake_ps=24000"); }

// Sync loads x; Vector waits for it and writes; Scalar waits for Vector.
//   sync    |trigger 0-58|
//   DMA                      790 ----- 1000 visible 1200 (ns)
//   vector                                              1224 - 1400
//   scalar                                                          1435 - 1600
B chain() {
  B b;
  const uint32_t trigger = b.run(Engine::sync, "dma_copy", 0, 0, 58'000, {}, {}, {{1, "+", 1}});
  b.dma(trigger, 790'000, 1'000'000, 1'200'000, 65536, B::hbm("src0", "x", 16384), B::sbuf("dst", 0, 128));
  b.run(Engine::vector, "tensor_copy", 0, 1'224'000, 1'400'000, {B::sbuf("dst", 1024, 128), B::sbuf("src0", 0, 128)}, {{1, ">=", 1}}, {{2, "+", 1}});
  b.run(Engine::scalar, "activation", 0, 1'435'000, 1'600'000, {B::sbuf("dst", 2048, 128), B::sbuf("src0", 1024, 128)}, {{2, ">=", 1}});
  b.update(1'200'000, 1, 1, true, 0);
  b.update(1'411'000, 2, 1, false, 1, Engine::vector);
  return b;
}

TEST(Dependencies, FollowSemaphoresAndTriggers) {
  const B b = chain();
  const machine::Machine m = trn2();
  const Dependencies d(b.profile, m);
  ASSERT_EQ(d.nodes(), 4u);
  ASSERT_NE(d.binding(1), nullptr);
  EXPECT_EQ(d.binding(1)->why, Why::semaphore);
  EXPECT_EQ(d.binding(1)->from, d.node_of_dma(0));
  EXPECT_EQ(d.binding(2)->from, 1u);
  EXPECT_EQ(d.binding(d.node_of_dma(0))->why, Why::trigger);
  EXPECT_EQ(d.unknown_setters(), 0);
}

TEST(Dependencies, FindTheSetterByTimeWhenTheFileDoesNotSay) {
  B b = chain();
  for (auto& s : b.profile.semaphores) s.run = device::kNone;
  const machine::Machine m = trn2();
  const Dependencies d(b.profile, m);
  EXPECT_EQ(d.binding(1)->from, d.node_of_dma(0));
  EXPECT_EQ(d.binding(2)->from, 1u);
}

TEST(Dependencies, TellTheIterationsOfALoopApartInWhateverOrderTheyRan) {
  B b;
  const uint32_t trigger = b.run(Engine::sync, "dma_copy", 0, 0, 10);
  const auto first = b.profile.instructions[0];
  for (const uint32_t iteration : {2u, 1u, 1u}) {   // the last one claims what another had: the first keeps it
    auto run = first;
    run.iteration = iteration;
    run.begin = b.profile.instructions.back().end;
    run.end = run.begin + Picos(10);
    b.profile.instructions.push_back(run);
  }
  for (const uint32_t iteration : {0u, 1u, 2u, 3u}) {
    b.dma(trigger, 100 + iteration, 200, 210, 64, B::hbm("src0", "x", 16), B::sbuf("dst", 0, 16));
    b.profile.dmas.back().iteration = iteration;
  }
  const machine::Machine m = trn2();
  const Dependencies d(b.profile, m);
  const auto ordered_by = [&](uint32_t dma) {
    for (const Constraint& c : d.before(d.node_of_dma(dma))) {
      if (c.why == Why::trigger) return c.from;
    }
    return device::kNone;
  };
  EXPECT_EQ(ordered_by(0), 0u);
  EXPECT_EQ(ordered_by(1), 2u);
  EXPECT_EQ(ordered_by(2), 1u);
  EXPECT_EQ(ordered_by(3), device::kNone);
}

TEST(Dependencies, OrderNodesByTheirBeginInstructionsFirst) {
  B b;
  const uint32_t trigger = b.run(Engine::sync, "dma_copy", 0, 50, 60);
  b.run(Engine::vector, "tensor_copy", 0, 20, 40);   // out of order, as a damaged file may have it
  b.dma(trigger, 50, 70, 80, 64, B::hbm("src0", "x", 16), B::sbuf("dst", 0, 16));
  b.dma(trigger, 30, 70, 80, 64, B::hbm("src0", "x", 16), B::sbuf("dst", 0, 16));
  const machine::Machine m = trn2();
  EXPECT_EQ(Dependencies(b.profile, m).order(), (std::vector<uint32_t>{1, 3, 0, 2}));
}

TEST(CriticalPath, CoversTheWholeAndNamesEachPiece) {
  const B b = chain();
  machine::Machine m = trn2();
  m.dma.drain_ps = 100'000;   // less than the whole of this short DMA
  const auto path = critical_path(Dependencies(b.profile, m));
  std::vector<PieceKind> kinds;
  for (const Piece& p : path) kinds.push_back(p.kind);
  const std::vector<PieceKind> want = {PieceKind::dma_start, PieceKind::transfer, PieceKind::completion, PieceKind::semaphore,
                                       PieceKind::work, PieceKind::semaphore, PieceKind::work};
  EXPECT_EQ(kinds, want);
  EXPECT_EQ(path.front().begin.value, 0);
  EXPECT_EQ(path.back().end, b.profile.duration);
}

TEST(Replay, UnchangedIsWhatWasObserved) {
  const B b = chain();
  const machine::Machine m = trn2();
  EXPECT_EQ(replay(Dependencies(b.profile, m), {}), b.profile.duration);
}

TEST(Replay, FasterWorkSavesItsPartOfThePath) {
  const B b = chain();
  const machine::Machine m = trn2();
  const Dependencies d(b.profile, m);
  Scaling vector{.work = {1, 0.5, 1, 1}};
  EXPECT_EQ(b.profile.duration - replay(d, vector), Picos(88'000));   // half of 176 ns
  Scaling hops{.work = {}, .semaphore = 0};
  EXPECT_EQ(b.profile.duration - replay(d, hops), Picos(24'000 + 35'000));
}

TEST(Replay, WorkBesideThePathSavesNothingAndHasSlack) {
  B b = chain();
  b.run(Engine::gpsimd, "memset", 0, 0, 500'000);
  const machine::Machine m = trn2();
  const Dependencies d(b.profile, m);
  Scaling s;
  s.work.assign(d.nodes(), 1);
  s.work[3] = 0.5;
  EXPECT_EQ(replay(d, s), b.profile.duration);
  const auto slacks = slack(d);
  EXPECT_EQ(slacks[3], Picos(1'100'000));
  EXPECT_EQ(slacks[0].value, 0);
  EXPECT_EQ(slacks[1].value, 0);
  EXPECT_EQ(slacks[2].value, 0);
}

TEST(Stalls, HaveTheReasonAndTheSetter) {
  const B b = chain();
  const machine::Machine m = trn2();
  const Dependencies d(b.profile, m);
  const StallReport r = find_stalls(d);
  ASSERT_EQ(r.stalls.size(), 2u);
  EXPECT_EQ(r.stalls[0].engine, Engine::vector);
  EXPECT_EQ(r.stalls[0].reason, StallReason::dma);
  EXPECT_EQ(r.stalls[0].setter, d.node_of_dma(0));
  EXPECT_EQ(r.stalls[1].reason, StallReason::data);
  for (const EngineTime& e : r.engines) EXPECT_EQ(e.busy + e.stall + e.idle, b.profile.duration);
}

TEST(Stalls, OverwritingWhatIsStillReadWaitsForTheBuffer) {
  B b;
  b.run(Engine::vector, "tensor_copy", 0, 0, 500, {B::sbuf("dst", 4096, 64), B::sbuf("src0", 0, 64)}, {}, {{3, "+", 1}});
  b.run(Engine::scalar, "activation", 0, 700, 900, {B::sbuf("dst", 0, 64), B::sbuf("src0", 8192, 64)}, {{3, ">=", 1}});
  b.update(600, 3, 1, false, 0, Engine::vector);
  machine::Machine m = trn2();
  m.sequencer.scalar.wake_ps = 100;
  const StallReport r = find_stalls(Dependencies(b.profile, m));
  ASSERT_EQ(r.stalls.size(), 1u);
  EXPECT_EQ(r.stalls[0].reason, StallReason::buffer_free);
}

TEST(Stalls, ADmaBehindAnotherInItsQueueIsSplit) {
  B b;
  const uint32_t first = b.run(Engine::sync, "dma_copy", 0, 0, 58'000, {}, {}, {{1, "+", 1}});
  const uint32_t second = b.run(Engine::sync, "dma_copy", 58'000, 58'000, 116'000, {}, {}, {{2, "+", 1}});
  b.dma(first, 790'000, 3'000'000, 3'200'000, 1 << 20, B::hbm("src0", "x", 1 << 18), B::sbuf("dst", 0, 2048));
  b.dma(second, 2'713'000, 4'000'000, 4'200'000, 1 << 19, B::hbm("src0", "y", 1 << 17), B::sbuf("dst", 8192, 1024));
  b.run(Engine::vector, "tensor_copy", 0, 4'224'000, 4'400'000, {B::sbuf("dst", 16384, 8), B::sbuf("src0", 8192, 8)}, {{2, ">=", 1}});
  b.update(3'200'000, 1, 1, true, 0);
  b.update(4'200'000, 2, 1, true, 1);
  const machine::Machine m = trn2();
  const StallReport r = find_stalls(Dependencies(b.profile, m));
  Picos queue, dma;
  for (const Stall& s : r.stalls) {
    if (s.engine != Engine::vector) continue;
    (s.reason == StallReason::queue ? queue : dma) += s.end - s.begin;
  }
  EXPECT_EQ(queue, Picos(2'713'000 - (58'000 + 790'000)));
  EXPECT_EQ(dma + queue, Picos(4'224'000));
}

TEST(Dependencies, AMatmulWaitsForTheArrayAndNotForALoadThatHidesBehindIt) {
  // As real captures have it: the second load runs beside the first matmul, nothing says when it was ready.
  const machine::Machine m = trn2();
  const int64_t fill = m.pe.clock.to_picos(Cycles(m.pe.fill_drain_cycles)).value;
  const auto psum = [](const char* role) {
    auto o = B::sbuf(role, 0, 512);
    o.space = device::Space::psum;
    return o;
  };
  B b;
  b.run(Engine::pe, "LDWEIGHTS", -1, 0, 100'000, {B::sbuf("src0", 0, 128)});
  b.run(Engine::pe, "MATMUL", -1, 110'000, 310'000 + fill, {psum("dst"), B::sbuf("src0", 4096, 512)});
  b.run(Engine::pe, "LDWEIGHTS", -1, 112'000, 300'000, {B::sbuf("src0", 0, 128)});
  b.run(Engine::pe, "MATMUL", -1, 310'000, 510'000 + fill, {psum("dst"), B::sbuf("src0", 4096, 512)});
  const Dependencies d(b.profile, m);
  EXPECT_EQ(d.binding(3)->from, 1u);
  Scaling load{.work = {1, 1, 0.5, 1}};
  EXPECT_EQ(replay(d, load), b.profile.duration);
  EXPECT_EQ(replay(d, {}), b.profile.duration);
}

TEST(Stalls, AWaitSpeaksForWhatFollowsIt) {
  // The load carries the wait, the matmul behind it overwrites what the copy had to read.
  auto psum = B::sbuf("dst", 0, 128);
  psum.space = device::Space::psum;
  auto from_psum = psum;
  from_psum.role = "src0";
  B b;
  b.run(Engine::vector, "COPY", -1, 0, 500, {B::sbuf("dst", 4096, 128), from_psum}, {}, {{3, "+", 1}});
  b.run(Engine::pe, "LDWEIGHTS", -1, 700, 900, {B::sbuf("src0", 8192, 128)}, {{3, ">=", 1}});
  b.run(Engine::pe, "MATMUL", -1, 900, 1100, {psum, B::sbuf("src0", 12288, 128)});
  b.update(600, 3, 1, false, 0, Engine::vector);
  machine::Machine m = trn2();
  m.sequencer.pe.wake_ps = 100;
  const StallReport r = find_stalls(Dependencies(b.profile, m));
  ASSERT_EQ(r.stalls.size(), 1u);
  EXPECT_EQ(r.stalls[0].reason, StallReason::buffer_free);
}

TEST(SemaphoreHistory, FindsTheUpdateThatReachedTheValueAlsoAfterAReset) {
  B b;
  const uint32_t values[] = {1, 2, 3, 0, 1, 2};
  for (int i = 0; i < 6; ++i) b.update(100 * (i + 1), 7, values[i], false, 0, Engine::vector);
  b.run(Engine::vector, "a", 0, 0, 50);
  const SemaphoreHistory h(b.profile);
  EXPECT_EQ(h.reached(0, {7, ">=", 2}, Picos(350)), 1u);
  EXPECT_EQ(h.reached(0, {7, ">=", 1}, Picos(1000)), 4u);
  EXPECT_EQ(h.reached(0, {7, "==", 2}, Picos(1000)), 5u);
  EXPECT_EQ(h.reached(0, {7, ">=", 3}, Picos(1000)), device::kNone);
  EXPECT_EQ(h.reached(0, {8, ">=", 1}, Picos(1000)), device::kNone);
}

TEST(Operands, SizesAndOverlaps) {
  EXPECT_EQ(dtype_bytes("float32"), 4);
  EXPECT_EQ(dtype_bytes("bfloat16"), 2);
  EXPECT_EQ(dtype_bytes("float8_e4m3"), 1);
  EXPECT_EQ(dtype_bytes("bool"), 1);
  EXPECT_EQ(dtype_bytes("uint8"), 1);
  EXPECT_EQ(dtype_bytes(""), 0);
  EXPECT_EQ(bytes_of(B::sbuf("dst", 0, 10, "bfloat16", 4)), 80);
  EXPECT_TRUE(box_of(B::sbuf("a", 0, 10)).overlaps(box_of(B::sbuf("b", 36, 1))));
  EXPECT_FALSE(box_of(B::sbuf("a", 0, 10)).overlaps(box_of(B::sbuf("b", 40, 1))));
  auto backward = B::sbuf("a", 40, 5);
  backward.steps = {-2};
  EXPECT_EQ(box_of(backward).begin, 40 - 8 * 4);
  EXPECT_EQ(box_of(backward).end, 44);
}

TEST(Intervals, UnionAndOverlap) {
  const auto a = merged({{Picos(5), Picos(7)}, {Picos(0), Picos(2)}, {Picos(2), Picos(3)}, {Picos(6), Picos(6)}});
  EXPECT_EQ(a, (std::vector<Interval>{{Picos(0), Picos(3)}, {Picos(5), Picos(7)}}));
  EXPECT_EQ(total(a).value, 5);
  EXPECT_EQ(total_overlap(a, {{Picos(1), Picos(6)}}).value, 3);
}

}  // namespace
}  // namespace lanewise::trace::device_analysis
