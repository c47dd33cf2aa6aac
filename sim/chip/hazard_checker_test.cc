// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sim/chip/chip.h"
#include "sim/core/test_program.h"

namespace lanewise::sim {
namespace {

using namespace test;
constexpr Engine V = Engine::vector, A = Engine::scalar, G = Engine::gpsimd, S = Engine::sync;

const Tile kA = sbuf(DType::f32, 128, 64), kB = sbuf(DType::f32, 128, 64, 256), kC = sbuf(DType::f32, 128, 64, 512);

Status check(const isa::Program& p) { return check_hazards(p, load_preset("trn2")); }

void expect_hazard(const isa::Program& p, std::initializer_list<std::string_view> words) {
  const Status s = check(p);
  ASSERT_EQ(s.code(), StatusCode::failed_precondition) << s.to_string();
  for (std::string_view w : words) EXPECT_NE(s.message().find(w), std::string::npos) << w << " not in: " << s.message();
}
void expect_legal(const isa::Program& p) {
  const Status s = check(p);
  EXPECT_TRUE(s.ok()) << s.to_string();
}

Instruction zero(Engine e, const Tile& t) { return memset(e, t, Scalar::of(0.0f)); }

TEST(Hazards, ReadAfterWriteNeedsASemaphore) {
  expect_hazard(program({zero(V, kA), copy(A, kB, kA)}),
                {"scalar instruction 0", "vector instruction 0", "memset", "tensor_copy", "SBUF bytes 0..256",
                 "partitions 0..128", "reads"});
  expect_legal(program({updates(zero(V, kA), 0), waits(copy(A, kB, kA), 0, 1)}));
}

TEST(Hazards, WriteAfterReadAndWriteAfterWrite) {
  // The reader does not tell the writer that it is done.
  expect_hazard(program({updates(zero(V, kA), 0), waits(copy(A, kB, kA), 0, 1), zero(V, kA)}), {"writes", "reads"});
  expect_legal(program({updates(zero(V, kA), 0), updates(waits(copy(A, kB, kA), 0, 1), 1), waits(zero(V, kA), 1, 1)}));
  expect_hazard(program({zero(V, kA), zero(G, kA)}), {"gpsimd instruction 0", "vector instruction 0"});
}

TEST(Hazards, OneEngineIsInOrder) { expect_legal(program({zero(V, kA), copy(V, kB, kA), copy(V, kA, kB)})); }

TEST(Hazards, DmaEndsLaterThanItsTrigger) {
  const Hbm h = hbm(0, DType::f32, 128, 64);
  expect_hazard(program({load(V, kA, h), copy(V, kB, kA)}, {32768}), {"vector instruction 1", "the DMA of vector instruction 0"});
  expect_legal(program({updates(load(V, kA, h), 0), waits(copy(V, kB, kA), 0, 1)}, {32768}));
  // The trigger comes after what its engine did before it.
  expect_legal(program({zero(V, kA), store(V, h, kA)}, {32768}));
  // One queue is in order, two are not.
  expect_legal(program({load(S, kA, h), load(S, kA, h)}, {32768}));
  expect_hazard(program({load(S, kA, h, 0), load(S, kA, h, 1)}, {32768}), {"sync instruction 1", "its DMA writes"});
}

TEST(Hazards, DeviceMemory) {
  const Hbm h = hbm(0, DType::f32, 128, 64), other = hbm(1, DType::f32, 128, 64);
  const Instruction a = updates(zero(V, kA), 0), out = waits(store(S, h, kA), 0, 1);
  expect_hazard(program({a, out, load(G, kB, h)}, {32768}), {"buffer 0", "the DMA of gpsimd instruction 0", "its DMA writes"});
  expect_legal(program({a, updates(out, 1), waits(load(G, kB, h), 1, 1)}, {32768}));
  expect_legal(program({a, out, load(G, kB, other)}, {32768, 32768}));
}

TEST(Hazards, OverlappingBindingsAreOneRegion) {
  const isa::Program p = program({updates(zero(V, kA), 0), waits(store(S, hbm(0, DType::f32, 128, 64), kA), 0, 1),
                                  load(G, kB, hbm(1, DType::f32, 128, 64))},
                                 {32768, 32768});
  std::vector<std::byte> memory(65536);
  const machine::Machine m = load_preset("trn2");
  std::vector<Binding> apart = {{memory.data(), 32768}, {memory.data() + 32768, 32768}};
  std::vector<Binding> shared = {{memory.data(), 32768}, {memory.data() + 16384, 32768}};
  EXPECT_TRUE(run_values(p, m, apart, {}, {.check_hazards = true}).ok());
  EXPECT_FALSE(run_values(p, m, shared, {}, {.check_hazards = true}).ok());
  EXPECT_TRUE(run_values(p, m, shared, {}, {.check_hazards = false}).ok());
}

TEST(Hazards, DisjointPartitionsAndInterleavedStridesAreLegal) {
  expect_legal(program({zero(V, sbuf(DType::f32, 32, 64, 0, 0)), zero(G, sbuf(DType::f32, 32, 64, 0, 32))}));
  const auto every = [](uint32_t offset, uint32_t n, int stride) {
    return tile(Space::sbuf, DType::f32, 128, {{stride, n}}, offset);
  };
  expect_legal(program({zero(V, every(0, 100, 2)), zero(G, every(4, 100, 2))}));
  expect_hazard(program({zero(V, every(0, 100, 2)), zero(G, every(4, 100, 3))}), {"gpsimd"});
  // The same with so many pieces that patterns are compared whole, and against a range.
  expect_legal(program({zero(V, every(0, 1000, 2)), zero(G, every(4, 1000, 2))}));
  expect_hazard(program({zero(V, every(0, 1000, 2)), zero(G, every(4, 1000, 3))}), {"gpsimd"});
  expect_hazard(program({zero(V, every(0, 1000, 2)), zero(G, sbuf(DType::f32, 128, 2, 4000))}), {"gpsimd"});
  expect_hazard(program({zero(V, sbuf(DType::f32, 128, 2, 4000)), zero(G, every(0, 1000, 2))}), {"gpsimd"});
  expect_legal(program({zero(V, sbuf(DType::f32, 128, 1, 4004)), zero(G, every(0, 1000, 2))}));
  // Negative strides and repeated reads touch the same bytes as their mirror images.
  expect_hazard(program({zero(V, tile(Space::sbuf, DType::f32, 128, {{-1, 16}}, 60)), zero(G, sbuf(DType::f32, 128, 1, 0))}), {"gpsimd"});
}

TEST(Hazards, OrderIsTransitive) {
  expect_legal(program({updates(zero(V, kA), 0), updates(waits(zero(G, kB), 0, 1), 1), waits(copy(A, kC, kA), 1, 1)}));
}

TEST(Hazards, ACountingSemaphoreImpliesOnlyWhatItMust) {
  const Hbm h = hbm(0, DType::f32, 128, 64);
  // Two queues update one semaphore: a wait for 1 does not say which of them is done.
  expect_hazard(program({updates(load(S, kA, h, 0), 0), updates(load(S, kB, h, 1), 0), waits(copy(V, kC, kA), 0, 1)}, {32768}),
                {"the DMA of sync instruction 0"});
  expect_legal(program({updates(load(S, kA, h, 0), 0), updates(load(S, kB, h, 1), 0), waits(copy(V, kC, kA), 0, 2)}, {32768}));
  // One queue is in order, so the first update is the first DMA, however far the queue has run ahead.
  expect_legal(program({updates(load(S, kA, h, 0), 0), updates(load(S, kB, h, 0), 0), waits(copy(V, kC, kA), 0, 1)}, {32768}));
  expect_hazard(program({updates(load(S, kA, h, 0), 0), updates(load(S, kB, h, 0), 0), waits(copy(V, kC, kB), 0, 1)}, {32768}),
                {"the DMA of sync instruction 1"});
  // A semaphore used again in a second phase: both agents go on only after the reader has answered.
  expect_legal(program({updates(zero(V, kA), 0), updates(zero(G, kB), 0), updates(waits(binary(A, AluOp::add, kC, kA, kB), 0, 2), 1),
                        updates(waits(zero(V, kA), 1, 1), 0), updates(waits(zero(G, kB), 1, 1), 0),
                        waits(binary(A, AluOp::add, kC, kA, kB), 0, 4)}));
  // Without the answer the second phase of one agent could stand in for the first of the other.
  expect_hazard(program({updates(zero(V, kA), 0), updates(zero(V, kA), 0), updates(zero(G, kB), 0),
                         waits(copy(A, kC, kB), 0, 2)}), {"scalar instruction 0"});
}

TEST(Hazards, ReadingWhatNothingWrote) {
  expect_hazard(program({copy(V, kB, kA)}), {"vector instruction 0", "SBUF bytes 0..256", "nothing in this program wrote"});
  expect_hazard(program({zero(V, sbuf(DType::f32, 64, 64)), copy(V, kB, kA)}), {"nothing in this program wrote"});
  expect_legal(program({zero(V, sbuf(DType::f32, 64, 64)), zero(V, sbuf(DType::f32, 64, 64, 0, 64)), copy(V, kB, kA)}));
  // Adding to PSUM reads it.
  const Tile d = psum(DType::f32, 64, 64), a = sbuf(DType::f32, 128, 64);
  expect_hazard(program({updates(zero(V, a), 0), waits(matmul(d, a, a, true), 0, 1)}), {"PSUM", "nothing in this program wrote"});
  expect_legal(program({updates(zero(V, a), 0), waits(matmul(d, a, a), 0, 1), matmul(d, a, a, true)}));
}

TEST(Hazards, LoopsMoveThroughMemory) {
  // Double buffering over two halves with one semaphore each way would need decrements; here each turn has its own bytes.
  Instruction begin = op(V, Opcode::loop_begin), end = op(V, Opcode::loop_end);
  begin.loop_register = 0;
  begin.loop_end = 4;
  Tile moving = kA;
  moving.loop_register = 0;
  moving.register_stride = 256;
  expect_legal(program({begin, updates(zero(V, moving), 0), end, waits(copy(A, sbuf(DType::f32, 128, 64, 4096), kB), 0, 2)}));
  expect_hazard(program({begin, updates(zero(V, moving), 0), end, waits(copy(A, sbuf(DType::f32, 128, 64, 4096), kB), 0, 1)}),
                {"vector instruction 1"});
}

TEST(Hazards, StaticCheckFindsDeadlocks) { expect_hazard(program({waits(zero(V, kA), 5, 1)}), {"deadlock", "semaphore 5 >= 1"}); }

TEST(Hazards, IndexedRowsAreExactBesideTheValues) {
  const Tile index = sbuf(DType::i32, 4, 1, 1024), rows = sbuf(DType::f32, 4, 8, 2048);
  Instruction numbers = op(G, Opcode::iota);
  numbers.dst = index;
  numbers.scalar0 = Scalar::of_int(0);
  numbers.iota_partition_step = 2;   // rows 0, 2, 4, 6
  Hbm to = hbm(0, DType::f32, 1, 8);
  to.row_index = index;
  to.row_stride = 8;
  Instruction one = load(S, sbuf(DType::f32, 1, 8, 3072), hbm(0, DType::f32, 1, 8, 0));
  std::vector<std::byte> memory(256);
  const std::vector<Binding> b = {{memory.data(), 256}};
  for (int64_t row : {1, 2}) {
    one.hbm_src.offset = row * 32;
    const isa::Program p = program({numbers, zero(G, rows), store(G, to, rows, 0), one}, {256});
    EXPECT_EQ(run_values(p, load_preset("trn2"), b, {}, {.check_hazards = true}).ok(), row == 1);
    expect_legal(p);   // the static check does not know the rows
  }
}

}  // namespace
}  // namespace lanewise::sim
