// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// load_stationary, multiply_moving and load_table: the same values as the instructions that contain them, and when they run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "sim/chip/chip.h"
#include "sim/core/test_program.h"

namespace lanewise::sim {
namespace {

using namespace test;
constexpr Engine P = Engine::pe, V = Engine::vector, S = Engine::sync, A = Engine::scalar;

Instruction load_stationary(const Tile& src) {
  Instruction in = op(P, Opcode::load_stationary);
  in.src0 = src;
  return in;
}
Instruction upper(Instruction in) { return in.upper_part = true, in; }
Instruction lower(Instruction in) { return in.lower_part = true, in; }
Instruction multiply(const Tile& dst, const Tile& moving, bool accumulate = false) {
  Instruction in = op(P, Opcode::multiply_moving);
  in.dst = dst;
  in.src0 = moving;
  in.accumulate = accumulate;
  return in;
}

constexpr int kK = 96, kM = 64, kN = 200;
const Tile kStationary = sbuf(DType::f32, kK, kM), kMoving = sbuf(DType::f32, kK, kN, 1024);
const Tile kSum = psum(DType::f32, kM, kN), kOut = sbuf(DType::f32, kM, kN, 8192);

// Loads both operands, runs `pe` (whose last instruction updates semaphore 1), stores the sum in buffer 2.
isa::Program around(std::vector<Instruction> pe) {
  pe.front() = waits(pe.front(), 0, 2);
  pe.back() = updates(pe.back(), 1);
  isa::Program p = program({updates(load(S, kStationary, hbm(0, DType::f32, kK, kM)), 0),
                            updates(load(S, kMoving, hbm(1, DType::f32, kK, kN)), 0),
                            updates(waits(copy(V, kOut, kSum), 1, 1), 2),
                            waits(store(S, hbm(2, DType::f32, kM, kN), kOut), 2, 1)},
                           {kK * kM * 4, kK * kN * 4, kM * kN * 4});
  p.streams[static_cast<size_t>(P)] = std::move(pe);
  return p;
}

std::vector<float> run(const isa::Program& p, bool slow) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> value(-2, 2);
  std::vector<std::vector<float>> data = {std::vector<float>(kK * kM), std::vector<float>(kK * kN),
                                          std::vector<float>(kM * kN)};
  for (auto& buffer : data)
    for (float& f : buffer) f = value(random);
  std::vector<Binding> bound;
  for (auto& buffer : data)
    bound.push_back({reinterpret_cast<std::byte*>(buffer.data()), static_cast<int64_t>(buffer.size() * 4)});
  const machine::Machine m = load_preset("trn2");
  const Status status = slow ? run_values_reference(p, m, bound, {}) : run_values(p, m, bound, {}, {.check_hazards = true});
  EXPECT_TRUE(status.ok()) << status.to_string();
  return data[2];
}

TEST(PeSteps, LoadAndMultiplyGiveTheBitsOfMatmul) {
  const auto whole = run(around({matmul(kSum, kStationary, kMoving)}), false);
  const isa::Program steps = around({load_stationary(kStationary), multiply(kSum, kMoving)});
  EXPECT_EQ(run(steps, false), whole);
  EXPECT_EQ(run(steps, true), whole);
}

TEST(PeSteps, TwoPassesAddUpToTheWholeProduct) {
  const auto whole = run(around({matmul(kSum, kStationary, kMoving)}), false);
  const isa::Program passes = around({upper(load_stationary(kStationary)), multiply(kSum, kMoving),
                                      lower(load_stationary(kStationary)), multiply(kSum, kMoving, true)});
  const auto sum = run(passes, false);
  EXPECT_EQ(run(passes, true), sum);
  const auto first = run(around({upper(load_stationary(kStationary)), multiply(kSum, kMoving)}), false);
  double error = 0, missing = 0;
  for (size_t i = 0; i < sum.size(); ++i) {
    error = std::max(error, std::abs(double{sum[i]} - whole[i]));
    missing = std::max(missing, std::abs(double{first[i]} - whole[i]));
  }
  EXPECT_LT(error, 1e-4);
  EXPECT_GT(missing, 1e-3);   // the upper part alone is not the product
}

TEST(PeSteps, BitsPassAnIdentity) {
  // An identity of 96 as moving operand turns the stationary one.
  const Tile identity = sbuf(DType::f32, kK, kK, 1024), turned = psum(DType::f32, kM, kK), out = sbuf(DType::f32, kM, kK, 8192);
  Instruction pass = multiply(turned, identity);
  pass.pass_through = true;
  isa::Program p = program({updates(load(S, kStationary, hbm(0, DType::f32, kK, kM)), 0),
                            updates(load(S, identity, hbm(1, DType::f32, kK, kK)), 0),
                            waits(load_stationary(kStationary), 0, 2), updates(pass, 1),
                            updates(waits(copy(V, out, turned), 1, 1), 2),
                            waits(store(S, hbm(2, DType::f32, kM, kK), out), 2, 1)},
                           {kK * kM * 4, kK * kK * 4, kM * kK * 4});
  std::vector<uint32_t> data(kK * kM), turned_data(kM * kK);
  std::vector<float> eye(kK * kK);
  std::mt19937 random(3);
  for (uint32_t& bits : data) bits = static_cast<uint32_t>(random());   // NaN and infinity among them
  for (int i = 0; i < kK; ++i) eye[static_cast<size_t>(i * kK + i)] = 1;
  const auto bytes = [](auto& v) { return Binding{reinterpret_cast<std::byte*>(v.data()), static_cast<int64_t>(v.size() * 4)}; };
  const machine::Machine m = load_preset("trn2");
  for (bool slow : {false, true}) {
    std::fill(turned_data.begin(), turned_data.end(), 0u);
    const std::vector<Binding> bound = {bytes(data), bytes(eye), bytes(turned_data)};
    const Status s = slow ? run_values_reference(p, m, bound, {}) : run_values(p, m, bound, {}, {});
    ASSERT_TRUE(s.ok()) << s.to_string();
    for (int i = 0; i < kK; ++i)
      for (int j = 0; j < kM; ++j) ASSERT_EQ(turned_data[static_cast<size_t>(j * kK + i)], data[static_cast<size_t>(i * kM + j)]);
  }
  eye[5] = 1;   // a second one in a column
  const Status s = run_values(p, m, std::vector<Binding>{bytes(data), bytes(eye), bytes(turned_data)}, {}, {});
  EXPECT_EQ(s.code(), StatusCode::invalid_argument) << s.to_string();
}

TEST(PeSteps, ColumnsPastAnEmptyArrayAreRefused) {
  const isa::Program p = program({multiply(kSum, kMoving)});
  EXPECT_EQ(run_values(p, load_preset("trn2"), {}, {}, {}).code(), StatusCode::failed_precondition);
}

TEST(PeSteps, LoadHidesBehindColumnsAndColumnsWaitForTheLoad) {
  const Tile weights = sbuf(DType::bf16, 128, 128), moving = sbuf(DType::bf16, 128, 512, 1024), sum = psum(DType::f32, 128, 512);
  const machine::Machine m = load_preset("trn2");
  const auto timed = [&](const isa::Program& p) {
    auto t = time_program(p, m, {.records = true});
    LW_CHECK(t.ok(), t.status().to_string());
    return std::move(t).value();
  };
  const Timing t = timed(program({load_stationary(weights), multiply(sum, moving), load_stationary(weights), multiply(sum, moving)}));
  EXPECT_GE(t.records[1].end, t.records[0].end + m.pe.clock.to_picos(Cycles(512)));   // nothing to hide behind
  EXPECT_LT(t.records[2].end, t.records[1].end);                                      // beside the columns
  // ... so that the second columns follow without a gap.
  EXPECT_NEAR(static_cast<double>((t.records[3].end - t.records[1].end).value), static_cast<double>(m.pe.clock.to_picos(Cycles(512 * m.pe.throttle_factor)).value), 2);
}

TEST(TableLoad, TakesItsTimeAlsoWhenTheSetIsThere) {
  Instruction table = op(A, Opcode::load_table);
  table.fn = ActFn::exp;
  const Tile x = sbuf(DType::f32, 128, 64);
  const machine::Machine m = load_preset("trn2");
  auto t = time_program(program({table, table, activation(ActFn::exp, x, x)}), m, {.records = true});
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  for (size_t i : {size_t{0}, size_t{1}}) EXPECT_EQ(t->records[i].end - t->records[i].begin, Picos(m.scalar.table_load_ps));
  EXPECT_EQ(t->records[2].table_load, Picos(0));
}

}  // namespace
}  // namespace lanewise::sim
