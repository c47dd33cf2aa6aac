// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Rules of the timing model, each from both sides of its edge, and machine numbers that move what they should move.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/chip/chip.h"
#include "sim/core/test_program.h"

namespace lanewise::sim {
namespace {

using namespace test;
constexpr Engine V = Engine::vector, A = Engine::scalar, G = Engine::gpsimd, S = Engine::sync;

Timing timed(const isa::Program& p, std::string_view spec = "trn2") {
  auto t = time_program(p, load_preset(spec), {.records = true});
  LW_CHECK(t.ok(), t.status().to_string());
  return std::move(t).value();
}
int64_t latency(const Timing& t, size_t i = 0) { return (t.records[i].end - t.records[i].begin).value; }
int64_t interval(const Timing& t, size_t i = 0) { return (t.records[i + 1].begin - t.records[i].begin).value; }
int64_t vector_cycles(const Instruction& in, std::string_view spec = "trn2") {
  const machine::Machine m = load_preset(spec);
  const int64_t ps = latency(timed(program({in}), spec)) ;
  return ps * m.vector.clock.khz / 1'000'000'000 - m.vector.fixed_cycles;
}

const Tile kA = sbuf(DType::f32, 128, 512), kB = sbuf(DType::f32, 128, 512, 4096), kC = sbuf(DType::f32, 128, 512, 8192);
const Tile kA16 = sbuf(DType::bf16, 128, 512), kB16 = sbuf(DType::bf16, 128, 512, 4096), kC16 = sbuf(DType::bf16, 128, 512, 8192);

TEST(VectorModes, FourElementsPerCycleNeedSixteenBitsInSbufAndAdjacent) {
  EXPECT_EQ(vector_cycles(copy(V, kB16, kA16)), 128);
  EXPECT_EQ(vector_cycles(copy(V, kB, kA)), 512);
  EXPECT_EQ(vector_cycles(copy(V, kB16, kA)), 512);                                    // one side 32 bits
  EXPECT_EQ(vector_cycles(copy(V, kB16, psum(DType::bf16, 128, 512))), 256);           // one side in PSUM
  EXPECT_EQ(vector_cycles(copy(V, kB16, tile(Space::sbuf, DType::bf16, 128, {{2, 512}}))), 256);   // not adjacent
  EXPECT_EQ(vector_cycles(with_scalar(V, AluOp::add, kB16, kA16, Scalar::of(1.0f))), 128);
  EXPECT_EQ(vector_cycles(copy(V, kB16, kA16), "trn1"), 512);                          // no modes on v2
}

TEST(VectorModes, TensorTensorRunsTwoPerCycleWithBothInputsInSbuf) {
  EXPECT_EQ(vector_cycles(binary(V, AluOp::add, kC16, kA16, kB16)), 256);
  EXPECT_EQ(vector_cycles(binary(V, AluOp::add, kC16, psum(DType::bf16, 128, 512), kB16)), 512);
  EXPECT_EQ(vector_cycles(binary(V, AluOp::add, kC16, kA16, kB)), 512);
}

TEST(VectorModes, V2PaysTwiceForWideTensorTensor) {
  EXPECT_EQ(vector_cycles(binary(V, AluOp::add, kC, kA, kB), "trn1"), 1024);
  EXPECT_EQ(vector_cycles(binary(V, AluOp::add, kC, psum(DType::f32, 128, 512), kB), "trn1"), 512);
  EXPECT_EQ(vector_cycles(binary(V, AluOp::add, kC16, kA16, kB16), "trn1"), 512);
  EXPECT_EQ(vector_cycles(binary(V, AluOp::divide, kC16, kA16, kB16), "trn1"), 1024);   // not add, subtract, multiply
}

TEST(Strides, FromSixteenBytesOnReadingIsSlow) {
  const auto strided = [](int stride) { return tile(Space::sbuf, DType::f32, 128, {{stride, 512}}, 16384); };
  EXPECT_EQ(vector_cycles(copy(V, kB, strided(3))), 512);
  EXPECT_EQ(vector_cycles(copy(V, kB, strided(4))), 896);   // captured: 7 cycles for four elements
  EXPECT_EQ(vector_cycles(copy(V, kB, strided(4)), "trn2,vector.wide_stride_cycles_x4=12"), 1536);
  EXPECT_EQ(vector_cycles(copy(V, strided(4), kA)), 512);   // whole words are written at full rate
  EXPECT_EQ(vector_cycles(copy(V, kB, strided(4)), "trn2,memory.wide_stride_bytes=32"), 512);
  EXPECT_EQ(vector_cycles(copy(V, kB, tile(Space::sbuf, DType::f32, 128, {{0, 512}}, 16384))), 512);   // a broadcast
}

TEST(Strides, PartsOfWordsAreWrittenSlowlyWhateverTheClock) {
  const Tile to = tile(Space::sbuf, DType::bf16, 128, {{8, 256}}, 16384), from = sbuf(DType::bf16, 128, 256);
  const machine::Machine m = load_preset("trn2");
  const int64_t write = 256 * m.memory.partial_write_ps + m.memory.partial_write_fixed_ps;
  EXPECT_EQ(latency(timed(program({copy(V, to, from)}))), m.vector.clock.to_picos(Cycles(m.vector.fixed_cycles)).value + write);
  EXPECT_EQ(latency(timed(program({copy(A, to, from)}))), m.scalar.clock.to_picos(Cycles(m.scalar.copy_fixed_cycles)).value + write);
  EXPECT_EQ(latency(timed(program({copy(G, to, from)}))), m.gpsimd.clock.to_picos(Cycles(m.gpsimd.fixed_cycles)).value + write);
}

TEST(OtherCosts, FollowTheirFormulas) {
  Instruction r = op(V, Opcode::reciprocal);
  r.dst = kB, r.src0 = kA;
  EXPECT_EQ(vector_cycles(r), 8 * 512);
  Instruction sum = op(V, Opcode::tensor_reduce);
  sum.op0 = AluOp::add, sum.src0 = kA16, sum.dst = sbuf(DType::bf16, 128, 1, 4096);
  EXPECT_EQ(vector_cycles(sum), 512);   // of the input, no faster mode
  EXPECT_EQ(vector_cycles(memset(V, kA16, Scalar::of(0.0f))), 256);
  EXPECT_EQ(vector_cycles(memset(V, kA16, Scalar::of(1.0f))), 512);
  Instruction pick = op(V, Opcode::select);
  pick.dst = kC, pick.src0 = kA, pick.src1 = kB, pick.src2 = sbuf(DType::u8, 128, 512, 16384);
  EXPECT_EQ(vector_cycles(pick), 1024);
  pick.src0 = psum(DType::f32, 128, 512);
  EXPECT_EQ(vector_cycles(pick), 512);
}

TEST(GpSimd, SixtyFourBitsGoThroughInPieces) {
  const Tile a = sbuf(DType::i32, 128, 600), b = sbuf(DType::i64, 128, 600);
  const int64_t narrow = latency(timed(program({binary(G, AluOp::add, a, a, a)})));
  const int64_t wide = latency(timed(program({binary(G, AluOp::add, b, b, b)})));
  EXPECT_EQ(wide - narrow, 500'000);   // 600 more cycles of 1.2 GHz
  EXPECT_EQ(latency(timed(program({binary(G, AluOp::add, b, b, b)}), "trn2,gpsimd.int64_factor=3")) - wide, 500'000);
}

TEST(Pipeline, IndependentInstructionsOverlapDependentOnesDoNot) {
  const Tile a = sbuf(DType::f32, 128, 8), b = sbuf(DType::f32, 128, 8, 64), c = sbuf(DType::f32, 128, 8, 128);
  const Timing free = timed(program({copy(V, b, a), copy(V, c, a)}));
  EXPECT_EQ(interval(free), 66'667);                          // 64 cycles at 0.96 GHz
  const Timing tied = timed(program({copy(V, b, a), copy(V, c, b)}));
  EXPECT_EQ(interval(tied), latency(tied) + 34'600);          // the result comes back as a semaphore would
  const Timing beside = timed(program({copy(V, sbuf(DType::f32, 64, 8, 64), sbuf(DType::f32, 64, 8)),
                                       copy(V, sbuf(DType::f32, 64, 8, 128, 64), sbuf(DType::f32, 64, 8, 64, 64))}));
  EXPECT_EQ(interval(beside), 66'667);                        // the same bytes, other partitions
}

TEST(Pipeline, OneTrn1ScalarPairMatchesItsCapture) {
  // A single-element ACTIVATE takes 159 ns, a dependent pair starts 189 ns apart (264 cycles).
  const Tile a = sbuf(DType::f32, 128, 1), b = sbuf(DType::f32, 128, 1, 64), c = sbuf(DType::f32, 128, 1, 128);
  const Timing t = timed(program({copy(A, b, a), copy(A, c, b)}), "trn1");
  EXPECT_NEAR(static_cast<double>(interval(t)), 189'000, 0.05 * 189'000);
}

TEST(Semaphores, AWaiterStartsOneWakeAfterTheUpdateIsVisible) {
  const Tile a = sbuf(DType::f32, 128, 8), b = sbuf(DType::f32, 128, 8, 64), c = sbuf(DType::f32, 128, 8, 128);
  const auto p = program({updates(copy(V, b, a), 3), waits(copy(A, c, b), 3, 1)});
  const Timing t = timed(p);
  EXPECT_EQ(t.records[1].ready.value, 0);
  EXPECT_EQ((t.records[1].begin - t.records[0].end).value, 11'000 + 22'500);
  const Timing slow = timed(p, "trn2,sequencer_vector.post_ps=50000,sequencer_scalar.wake_ps=1000");
  EXPECT_EQ((slow.records[1].begin - slow.records[0].end).value, 51'000);
  // Someone who comes long after the update does not wait at all.
  isa::Program late = program({updates(copy(V, b, a), 3)});
  late.streams[2] = {copy(A, sbuf(DType::f32, 128, 4096, 65536), sbuf(DType::f32, 128, 4096, 16384)), waits(copy(A, c, b), 3, 1)};
  const Timing l = timed(late);
  EXPECT_EQ(l.records[2].begin, l.records[2].ready);
}

TEST(Semaphores, AWaitForSeveralStartsWithTheLastOfThem) {
  const Tile a = sbuf(DType::f32, 128, 8), big = sbuf(DType::f32, 128, 2000, 1024), c = sbuf(DType::f32, 128, 8, 128);
  const Timing t = timed(program({updates(copy(V, big, big), 3), updates(memset(G, c, Scalar::of(0.0f)), 3), waits(copy(A, a, c), 3, 2)}));
  Picos vector_end, begin;
  for (const auto& r : t.records) {
    if (r.engine == 1) vector_end = r.end;
    if (r.engine == 2) begin = r.begin;
  }
  EXPECT_EQ((begin - vector_end).value, 33'500);
}

TEST(SharedPort, VectorAndGpSimdTakeTurnsOnV2) {
  const Instruction v = copy(V, kB, kA), g = copy(G, sbuf(DType::f32, 128, 512, 32768), sbuf(DType::f32, 128, 512, 65536));
  const Timing together = timed(program({v, g}), "trn2"), turns = timed(program({v, g}), "trn1");
  EXPECT_EQ(together.records[0].begin, together.records[1].begin);
  EXPECT_GT(turns.records[1].begin.value, 0);
  EXPECT_LT(turns.records[1].begin, turns.records[0].end);   // only the streaming of data excludes the other
  // From v3 on only the fast modes of Vector use the bus that GpSimd needs.
  const Timing fast = timed(program({copy(V, kB16, kA16), g}));
  EXPECT_GT(fast.records[1].begin.value, 0);
}

TEST(PsumBanks, VectorAndScalarCollideInOneBankOnly) {
  const auto reads = [](Engine e, uint32_t bank, uint32_t to) {
    return copy(e, sbuf(DType::f32, 128, 512, to), psum(DType::f32, 128, 512, bank * 2048));
  };
  const Timing same = timed(program({reads(V, 0, 0), reads(A, 0, 8192)})), other = timed(program({reads(V, 0, 0), reads(A, 1, 8192)}));
  EXPECT_GT(same.records[1].begin.value, 0);
  EXPECT_EQ(other.records[1].begin.value, 0);
  EXPECT_GT(timed(program({reads(V, 0, 0), reads(A, 1, 8192)}), "trn1").records[1].begin.value, 0);   // all of PSUM on v2
}

isa::Program matmuls(int count, uint32_t n, DType dtype, uint32_t m = 128) {
  isa::Program p = program({});
  for (int i = 0; i < count; ++i)
    p.streams[0].push_back(matmul(psum(DType::f32, static_cast<int>(m), n), sbuf(dtype, 128, m), sbuf(dtype, 128, n, 4096), i > 0));
  return p;
}

TEST(TensorEngine, NumbersOfTheMachineMoveIt) {
  constexpr std::string_view kWarm = "trn2,pe.throttle_factor=1,pe.moving_gap_ps=0";
  EXPECT_EQ(interval(timed(matmuls(3, 480, DType::bf16), kWarm), 1), 200'000);
  EXPECT_EQ(interval(timed(matmuls(3, 480, DType::bf16), "trn2,pe.throttle_factor=1,pe.moving_gap_ps=7000"), 1), 207'000);
  EXPECT_EQ(interval(timed(matmuls(3, 480, DType::bf16), "trn2,pe.throttle_factor=1,pe.moving_gap_ps=0,pe.clock_khz=1200000"), 1), 400'000);
  EXPECT_EQ(interval(timed(matmuls(3, 480, DType::f32), kWarm), 1), 800'000);
  EXPECT_EQ(interval(timed(matmuls(3, 480, DType::f32), "trn2,pe.throttle_factor=1,pe.moving_gap_ps=0,pe.fp32_passes=1"), 1), 400'000);
  EXPECT_EQ(interval(timed(matmuls(3, 480, DType::f8e4m3), kWarm), 1), 100'000);
  EXPECT_EQ(latency(timed(matmuls(3, 480, DType::bf16), "trn2,pe.throttle_factor=1,pe.moving_gap_ps=0,pe.fill_drain_cycles=0,pe.array_fill_cycles=0,pe.columns_latency_ps=0"), 1), 200'000);
}

TEST(TensorEngine, ShortTilesFollowEachOtherAtTheHandOver) {
  constexpr std::string_view kWarm = "trn2,pe.throttle_factor=1";
  EXPECT_EQ(interval(timed(matmuls(3, 64, DType::bf16), kWarm), 1), 2 * 27'900);   // a load and its columns
  EXPECT_EQ(interval(timed(matmuls(3, 8, DType::bf16, 16), kWarm), 1), 2 * 27'900);
  EXPECT_EQ(interval(timed(matmuls(3, 8, DType::bf16), "trn2,pe.throttle_factor=1,pe.hand_over_ps=40000"), 1), 80'000);
}

// `count` matmuls, the array idle before each for as long as Vector copies `elements`.
isa::Program paced(isa::Program p, int count, uint32_t elements) {
  const Instruction last = p.streams[0].empty() ? matmuls(1, 128, DType::bf16).streams[0][0] : p.streams[0].back();
  if (!p.streams[0].empty()) p.streams[0].back().update = {5, 1};
  const auto before = static_cast<uint32_t>(p.streams[0].empty() ? 0 : 1);
  for (int i = 0; i < count; ++i) {
    const auto n = static_cast<uint32_t>(i);
    Instruction pause = updates(copy(V, sbuf(DType::f32, 128, elements, 65536), sbuf(DType::f32, 128, elements, 65536)), 6);
    if (n + before > 0) pause = waits(pause, 5, n + before);
    p.streams[1].push_back(pause);
    p.streams[0].push_back(updates(waits(last, 6, n + 1), 5));
  }
  return p;
}

TEST(TensorEngine, GoesColdAgainAfterALowUtilisationWindow) {
  // Warm up, then one matmul after less than half a window, or more than two.
  const auto throttled_after = [](uint32_t elements) {
    const Timing t = timed(paced(matmuls(40, 512, DType::bf16), 1, elements));
    bool warm = false, last = false;
    for (const auto& r : t.records)
      if (r.engine == 0) warm |= !r.throttled, last = r.throttled;
    EXPECT_TRUE(warm);
    return last;
  };
  EXPECT_FALSE(throttled_after(1000));
  EXPECT_TRUE(throttled_after(8000));
}

TEST(TensorEngine, StaysColdWithSparseWork) {
  for (const auto& r : timed(paced(program({}), 100, 512)).records)
    if (r.engine == 0) {
      EXPECT_TRUE(r.throttled) << r.index;
    }
}

TEST(TensorEngine, TheSequencerRunsAheadOfItsQueue) {
  // A wait of its own is over while the columns before it still stream; the increment behind them keeps its place.
  isa::Program p = matmuls(20, 512, DType::bf16);
  p.streams[0].push_back(updates(op(Engine::pe, Opcode::semaphore_increment), 3));
  p.streams[0].push_back(op(Engine::pe, Opcode::semaphore_wait));
  const Timing t = timed(p);
  Picos columns, wait, increment;
  for (const auto& r : t.records) {
    if (r.index < 20) columns = std::max(columns, r.end);
    if (r.index == 20) increment = r.end;
    if (r.index == 21) wait = r.end;
  }
  EXPECT_LT(wait, columns);
  EXPECT_GE(increment, columns);
}

TEST(Dma, StartsAfterItsTriggerAndEndsAfterItsDrain) {
  const isa::Program p = program({load(S, sbuf(DType::f32, 128, 1024), hbm(0, DType::f32, 128, 1024))}, {1 << 20});
  const Timing t = timed(p);
  const DmaRecord& d = t.dma_records.at(0);
  EXPECT_EQ(d.begin.value, 790'000);
  EXPECT_EQ((d.visible - d.end).value, 200'000);
  EXPECT_EQ(t.duration, d.visible);
  EXPECT_EQ(t.dma_bytes, 128 * 4096);
  EXPECT_EQ(t.dma_busy, d.end - d.begin);
  EXPECT_EQ(timed(p, "trn2,dma.start_ps=1000000").dma_records[0].begin.value, 1'000'000);
}

TEST(Dma, OneQueueBecomesVisibleInOrder) {
  // The second transfer uses another DMA engine and is done long before the first.
  const Instruction large = updates(load(S, sbuf(DType::f32, 1, 8192), hbm(0, DType::f32, 1, 8192)), 0);
  const auto small = [](int queue) {
    return updates(load(S, sbuf(DType::f32, 1, 8, 0, 64), hbm(0, DType::f32, 1, 8), queue), 1);
  };
  const Timing same = timed(program({large, small(0)}, {1 << 20}));
  ASSERT_EQ(same.dma_records.size(), 2u);
  EXPECT_EQ(same.dma_records[0].index, 0u);
  EXPECT_LT(same.dma_records[1].end, same.dma_records[0].end);
  EXPECT_EQ(same.dma_records[1].visible, same.dma_records[0].visible);
  const Timing other = timed(program({large, small(1)}, {1 << 20}));
  EXPECT_EQ(other.dma_records[0].index, 1u);
  EXPECT_LT(other.dma_records[0].visible, other.dma_records[1].visible);
}

TEST(Dma, DeviceMemoryCapsAllEnginesTogether) {
  const isa::Program p = program({load(S, sbuf(DType::f32, 128, 8192), hbm(0, DType::f32, 128, 8192))}, {4 << 20});
  const auto rate = [&](std::string_view spec) {
    const DmaRecord d = timed(p, spec).dma_records.at(0);
    return static_cast<double>(d.bytes) / static_cast<double>((d.end - d.begin).value) * 1e3;   // GB/s
  };
  EXPECT_NEAR(rate("trn2,dma.drain_ps=0"), 368, 4);
  EXPECT_NEAR(rate("trn2,dma.drain_ps=0,dma.hbm_bytes_per_second=184000000000"), 184, 2);
  EXPECT_NEAR(rate("trn2,dma.drain_ps=0,dma.hbm_bytes_per_second=900000000000"), 16 * 27.2 * 1024 / 1028, 3);
  EXPECT_NEAR(rate("trn2,dma.drain_ps=0,dma.clock_khz=425000"), 16 * 13.6, 3);
}

TEST(Dma, SoftwareDescriptorsCostTheirEngine) {
  Hbm from = hbm(0, DType::f32, 1, 24);
  from.row_index = sbuf(DType::i32, 32, 1, 1024);
  from.row_stride = 24;
  const isa::Program p = program({load(G, sbuf(DType::f32, 32, 24), from)}, {4096});
  const int64_t base = latency(timed(p, "trn2,dma.software_descriptor_ps=0"));
  EXPECT_EQ(latency(timed(p, "trn2,dma.software_descriptor_ps=10000")) - base, 320'000);
}

TEST(Timing, IsDeterministicAndRecordsDoNotChangeIt) {
  isa::Program p = matmuls(30, 256, DType::bf16);
  for (int i = 0; i < 20; ++i) {
    p.streams[4].push_back(load(S, sbuf(DType::f32, 128, 64 + static_cast<uint32_t>(i)), hbm(0, DType::f32, 128, 64 + i), i % 3));
    p.streams[1].push_back(copy(V, kB, kA));
    p.streams[2].push_back(activation(i % 2 ? ActFn::exp : ActFn::log, kC, kA));
  }
  p.buffers.push_back({});
  p.buffers[0].bytes = 1 << 20;
  const Timing first = timed(p);
  for (int i = 0; i < 3; ++i) {
    const Timing again = timed(p);
    EXPECT_EQ(first.duration, again.duration);
    EXPECT_EQ(first.busy, again.busy);
  }
  const auto bare = time_program(p, load_preset("trn2"), {});
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(bare->duration, first.duration);
  EXPECT_TRUE(bare->records.empty());
  EXPECT_EQ(bare->instructions, static_cast<int64_t>(first.records.size()));
  for (const auto& r : first.records) {
    EXPECT_LE(r.ready, r.begin);
    EXPECT_LE(r.begin, r.end);
  }
}

TEST(Timing, BusyIsTheUnionOfOverlappingInstructions) {
  const Tile a = sbuf(DType::f32, 128, 96), b = sbuf(DType::f32, 128, 96, 1024), c = sbuf(DType::f32, 128, 96, 2048);
  const Timing t = timed(program({copy(V, b, a), copy(V, c, a)}));
  EXPECT_EQ(t.busy[1], t.records[1].end - t.records[0].begin);
}

TEST(Timing, AnEmptyProgramTakesNoTime) {
  const Timing t = timed(program({}));
  EXPECT_EQ(t.duration.value, 0);
  EXPECT_EQ(t.instructions, 0);
}

TEST(Timing, RefusesAMachineItCannotModel) {
  machine::Machine m = load_preset("trn2");
  m.dma.engines = 40;
  EXPECT_EQ(time_program(program({}), m, {}).status().code(), StatusCode::invalid_argument);
}

TEST(Loops, UnclosedOnesAndUnknownSemaphoresAreRefused) {
  EXPECT_EQ(time_program(program({op(S, Opcode::loop_end)}), load_preset("trn2"), {}).status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(time_program(program({waits(op(S, Opcode::semaphore_wait), 300, 1)}), load_preset("trn2"), {}).status().code(),
            StatusCode::invalid_argument);
}

}  // namespace
}  // namespace lanewise::sim
