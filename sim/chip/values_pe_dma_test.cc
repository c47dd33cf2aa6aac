// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor engine and DMA against the plain interpreter, and the errors of a run.
#include <gtest/gtest.h>

#include <xmmintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "sim/chip/chip.h"
#include "sim/core/test_program.h"

namespace lanewise::sim {
namespace {

using namespace test;
constexpr Engine V = Engine::vector, S = Engine::sync, P = Engine::pe, G = Engine::gpsimd;

using Bytes = std::vector<std::byte>;

Bytes random_bytes(size_t n, uint32_t seed, DType dtype) {
  std::mt19937 random(seed);
  Bytes b(n);
  if (dtype == DType::f32) {
    for (size_t i = 0; i + 4 <= n; i += 4) {
      const float f = std::uniform_real_distribution<float>(-2, 2)(random);
      std::memcpy(&b[i], &f, 4);
    }
    return b;
  }
  // Narrow floats without NaN: the exponent never all ones.
  for (size_t i = 0; i < n; ++i) b[i] = static_cast<std::byte>(random());
  if (dtype == DType::bf16 || dtype == DType::f16)
    for (size_t i = 1; i < n; i += 2) b[i] &= std::byte{0xbf};
  if (dtype == DType::f8e4m3 || dtype == DType::f8e5m2)
    for (size_t i = 0; i < n; ++i) b[i] &= std::byte{0xbf};
  return b;
}

std::vector<Binding> bind(std::vector<Bytes>& data) {
  std::vector<Binding> b;
  for (auto& d : data) b.push_back({d.data(), static_cast<int64_t>(d.size())});
  return b;
}

// Runs both interpreters on copies; returns the fast one's buffers.
std::vector<Bytes> both(const isa::Program& p, std::vector<Bytes> data) {
  const machine::Machine m = load_preset("trn2");
  std::vector<Bytes> slow = data;
  const Status a = run_values(p, m, bind(data), {}, {}), b = run_values_reference(p, m, bind(slow), {});
  EXPECT_TRUE(a.ok()) << a.to_string();
  EXPECT_TRUE(b.ok()) << b.to_string();
  EXPECT_EQ(data, slow);
  return data;
}

struct MatmulCase {
  int k, m;
  uint32_t n;
  DType a, b;
};
class Matmul : public testing::TestWithParam<MatmulCase> {};

TEST_P(Matmul, IsBitEqualToThePlainSum) {
  const MatmulCase c = GetParam();
  const Tile a = sbuf(c.a, c.k, static_cast<uint32_t>(c.m)), b = sbuf(c.b, c.k, c.n, 1024);
  const Tile d = psum(DType::f32, c.m, c.n), out = sbuf(DType::f32, c.m, c.n, 8192);
  const int64_t a_bytes = c.k * c.m * isa::dtype_bytes(c.a), b_bytes = c.k * c.n * isa::dtype_bytes(c.b);
  const isa::Program p = program({updates(load(S, a, hbm(0, c.a, c.k, c.m)), 0), updates(load(S, b, hbm(1, c.b, c.k, c.n)), 0),
                                  waits(matmul(d, a, b), 0, 2), updates(matmul(d, a, b, true), 1),
                                  updates(waits(copy(V, out, d), 1, 1), 2),
                                  waits(store(S, hbm(2, DType::f32, c.m, c.n), out), 2, 1)},
                                 {a_bytes, b_bytes, c.m * c.n * 4});
  both(p, {random_bytes(static_cast<size_t>(a_bytes), 1, c.a), random_bytes(static_cast<size_t>(b_bytes), 2, c.b),
           Bytes(static_cast<size_t>(c.m * c.n * 4))});
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Matmul,
    testing::Values(MatmulCase{128, 128, 512, DType::f32, DType::f32}, MatmulCase{1, 1, 1, DType::f32, DType::f32},
                    MatmulCase{7, 13, 33, DType::f32, DType::f32}, MatmulCase{128, 5, 17, DType::bf16, DType::bf16},
                    MatmulCase{64, 100, 420, DType::bf16, DType::f16}, MatmulCase{31, 128, 96, DType::f16, DType::f8e4m3},
                    MatmulCase{128, 12, 31, DType::f8e5m2, DType::f8e4m3}, MatmulCase{3, 127, 511, DType::f32, DType::f32}));

TEST(Transpose, MovesBits) {
  for (DType t : {DType::f32, DType::bf16, DType::u8, DType::i32}) {
    const int64_t size = isa::dtype_bytes(t);
    const Tile a = sbuf(t, 100, 60), d = psum(t, 60, 100), out = sbuf(t, 60, 100, 1024);
    Instruction turn = op(P, Opcode::nc_transpose);
    turn.dst = d;
    turn.src0 = a;
    const isa::Program p = program({updates(load(S, a, hbm(0, t, 100, 60)), 0), updates(waits(turn, 0, 1), 1),
                                    updates(waits(copy(V, out, d), 1, 1), 2), waits(store(S, hbm(1, t, 60, 100), out), 2, 1)},
                                   {6000 * size, 6000 * size});
    const Bytes in = random_bytes(static_cast<size_t>(6000 * size), 3, DType::u8);
    const auto r = both(p, {in, Bytes(in.size())});
    for (int64_t i = 0; i < 100; ++i)
      for (int64_t j = 0; j < 60; ++j)
        ASSERT_EQ(std::memcmp(&in[static_cast<size_t>((i * 60 + j) * size)], &r[1][static_cast<size_t>((j * 100 + i) * size)],
                              static_cast<size_t>(size)), 0);
  }
}

TEST(Dma, PatternsCastsAndTranspositions) {
  // A transposing load, a strided store, a broadcast load, and copies between buffers with casts.
  Hbm turned = hbm(0, DType::f32, 1, 1);
  turned.dims[0] = {1, 50};
  turned.dims[1] = {50, 40};
  Hbm spread = hbm(1, DType::f32, 1, 1);
  spread.dims[0] = {80, 50};
  spread.dims[1] = {2, 40};
  Hbm row = hbm(0, DType::f32, 1, 1);
  row.dims[0] = {0, 128};
  row.dims[1] = {1, 100};
  const Tile a = sbuf(DType::f32, 50, 40), b = sbuf(DType::bf16, 128, 100, 1024);
  Instruction direct = op(G, Opcode::dma_copy);
  direct.hbm_src = hbm(0, DType::f32, 20, 50, 0, 100);
  direct.hbm_dst = hbm(3, DType::i32, 10, 100);
  const isa::Program p = program({updates(load(S, a, turned), 0), waits(store(S, spread, a), 0, 1), updates(load(S, b, row, 1), 1),
                                  waits(store(S, hbm(2, DType::f16, 128, 100), b, 2), 1, 1), direct},
                                 {8000, 16000, 25600, 4000});
  both(p, {random_bytes(8000, 4, DType::f32), Bytes(16000), Bytes(25600), Bytes(4000)});
}

TEST(Dma, GatherAndScatterByRow) {
  const Tile index = sbuf(DType::i64, 32, 1, 0), rows = sbuf(DType::f32, 32, 24, 64);
  Hbm from = hbm(0, DType::f32, 1, 24);
  from.row_index = index;
  from.row_stride = 24;
  Hbm to = hbm(2, DType::f32, 1, 24);
  to.row_index = index;
  to.row_stride = 30;
  Bytes indices(32 * 8);
  std::mt19937 random(5);
  std::vector<int64_t> order(50);
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::shuffle(order.begin(), order.end(), random);
  std::memcpy(indices.data(), order.data(), indices.size());
  const isa::Program p = program({updates(load(G, index, hbm(1, DType::i64, 32, 1)), 0), updates(waits(load(G, rows, from), 0, 1), 1),
                                  waits(store(G, to, rows), 1, 1)},
                                 {50 * 24 * 4, 256, 50 * 30 * 4});
  const auto r = both(p, {random_bytes(50 * 24 * 4, 6, DType::f32), indices, Bytes(50 * 30 * 4)});
  for (int64_t i = 0; i < 32; ++i)
    EXPECT_EQ(std::memcmp(&r[0][static_cast<size_t>(order[static_cast<size_t>(i)] * 96)],
                          &r[2][static_cast<size_t>(order[static_cast<size_t>(i)] * 120)], 96), 0);
}

Status run(const isa::Program& p, std::vector<Bytes> data) {
  return run_values(p, load_preset("trn2"), bind(data), {}, {});
}

TEST(Errors, NameWhatIsWrong) {
  const Tile t = sbuf(DType::f32, 4, 8);
  isa::Program p = program({load(S, t, hbm(0, DType::f32, 4, 8))}, {128});
  EXPECT_TRUE(run(p, {Bytes(128)}).ok());
  EXPECT_EQ(run_values(p, load_preset("trn2"), {}, {}, {}).code(), StatusCode::invalid_argument);
  EXPECT_NE(run(p, {Bytes(100)}).message().find("needs 128 bytes, 100 are bound"), std::string::npos);
  std::vector<Binding> unbound = {{nullptr, 128}};
  EXPECT_NE(run_values(p, load_preset("trn2"), unbound, {}, {}).message().find("not bound"), std::string::npos);

  p = program({load(S, t, hbm(0, DType::f32, 4, 8, 4))}, {128});
  Status s = run(p, {Bytes(256)});   // inside the allocation, outside the declared buffer
  EXPECT_EQ(s.code(), StatusCode::out_of_range);
  EXPECT_NE(s.message().find("bytes 4..132 of buffer 0"), std::string::npos) << s.message();
  EXPECT_NE(s.message().find("sync instruction 0"), std::string::npos);

  p = program({load(S, sbuf(DType::f32, 4, 8, 1 << 20), hbm(0, DType::f32, 4, 8))}, {128});
  EXPECT_EQ(run(p, {Bytes(128)}).code(), StatusCode::out_of_range);

  Hbm from = hbm(0, DType::f32, 1, 8);
  from.row_index = sbuf(DType::i32, 4, 1, 64);
  from.row_stride = 8;
  p = program({memset(G, from.row_index, Scalar::of_int(7)), load(G, t, from)}, {128});
  s = run(p, {Bytes(128)});
  EXPECT_EQ(s.code(), StatusCode::out_of_range);
  EXPECT_NE(s.message().find("indexed row 7"), std::string::npos) << s.message();

  p = program({with_scalar(V, AluOp::add, t, t, Scalar::of_parameter(3))});
  EXPECT_EQ(run(p, {}).code(), StatusCode::out_of_range);
  p = program({op(S, Opcode::reciprocal)});
  EXPECT_EQ(run(p, {}).code(), StatusCode::unimplemented);
}

TEST(Errors, DeadlockListsEveryWaitingEngine) {
  const Tile t = sbuf(DType::f32, 4, 8);
  const isa::Program p = program({waits(updates(copy(V, t, t), 2), 1, 1), waits(updates(copy(G, t, t), 1), 2, 3)});
  for (const Status& s : {run(p, {}), run_values_reference(p, load_preset("trn2"), {}, {}),
                          time_program(p, load_preset("trn2"), {}).status()}) {
    EXPECT_EQ(s.code(), StatusCode::failed_precondition);
    EXPECT_NE(s.message().find("vector waits at instruction 0"), std::string::npos) << s.message();
    EXPECT_NE(s.message().find("tensor_copy"), std::string::npos);
    EXPECT_NE(s.message().find("semaphore 1 >= 1, which is 0"), std::string::npos) << s.message();
    EXPECT_NE(s.message().find("semaphore 2 >= 3, which is 0"), std::string::npos) << s.message();
  }
}

TEST(Loops, AddressRegistersMoveTilesAndPatterns) {
  Instruction begin = op(S, Opcode::loop_begin), end = op(S, Opcode::loop_end);
  begin.loop_register = 3;
  begin.loop_end = 8;
  begin.loop_step = 2;
  Hbm from = hbm(0, DType::f32, 4, 8);
  from.loop_register = 3;
  from.register_stride = 64;
  Tile t = sbuf(DType::f32, 4, 8);
  t.loop_register = 3;
  t.register_stride = 16;
  Hbm to = hbm(1, DType::f32, 4, 8);
  to.loop_register = 3;
  to.register_stride = 64;
  const isa::Program p = program({begin, load(S, t, from), store(S, to, t), end}, {1024, 1024});
  const auto r = both(p, {random_bytes(1024, 9, DType::f32), Bytes(1024)});
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(std::memcmp(&r[0][i * 128], &r[1][i * 128], 128), 0);
  const auto timing = time_program(p, load_preset("trn2"), {.records = true});
  ASSERT_TRUE(timing.ok());
  EXPECT_EQ(timing->instructions, 1 + 4 * 3);
  EXPECT_EQ(timing->records.back().iteration, 3u);
}

TEST(FloatMode, DoesNotDependOnTheCallersFlags) {
  const Tile a = sbuf(DType::f32, 1, 1), b = sbuf(DType::f32, 1, 1, 4);
  const isa::Program p = program({updates(load(S, a, hbm(0, DType::f32, 1, 1)), 0),
                                  waits(updates(with_scalar(V, AluOp::multiply, b, a, Scalar::of(1.0f)), 1), 0, 1),
                                  waits(store(S, hbm(1, DType::f32, 1, 1), b), 1, 1)},
                                 {4, 4});
  const float denormal = 1e-40f;
  std::vector<Bytes> data = {Bytes(4), Bytes(4)};
  std::memcpy(data[0].data(), &denormal, 4);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);   // flush to zero, denormals are zero
  const Status s = run_values(p, load_preset("trn2"), bind(data), {}, {});
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_TRUE(s.ok());
  EXPECT_EQ(after, before | 0x8040u);
  EXPECT_EQ(data[0], data[1]);
}

}  // namespace
}  // namespace lanewise::sim
