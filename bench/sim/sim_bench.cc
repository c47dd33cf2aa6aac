// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast the simulator itself is, each figure beside what it can be compared with on this machine:
//   timing model   instructions per second, without records
//   nc_matmul      GFLOP/s of the kernel and of the whole instruction, beside a naive loop and the FMA peak measured here
//   elementwise    GB/s of one instruction, beside memcpy of the same bytes
//   hazards        instructions per second of the static check
// Every figure is the best of several repetitions in CPU seconds of one thread: other work on the machine only ever
// makes one slower.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "sim/chip/chip.h"
#include "sim/core/test_program.h"
#include "sim/unit/pe/matmul.h"

namespace lanewise::sim {
namespace {

using namespace test;
constexpr Engine V = Engine::vector, A = Engine::scalar, G = Engine::gpsimd, S = Engine::sync;

double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

template <typename F>
double best_seconds(int repetitions, F f) {
  double best = 1e30;
  for (int i = 0; i < repetitions; ++i) {
    const double start = thread_seconds();
    f();
    best = std::min(best, thread_seconds() - start);
  }
  return best;
}

void require(const Status& s) {
  if (s.ok()) return;
  std::fprintf(stderr, "%s\n", s.to_string().c_str());
  std::exit(1);
}

// A tiled pipeline as the compiler makes it: load, matmul, copy out, activation, store, on all engines.
isa::Program pipeline(int tiles) {
  isa::Program p = program({}, {1 << 20, 1 << 20});
  const auto push = [&](Instruction in) { p.streams[static_cast<size_t>(in.engine)].push_back(in); };
  for (int i = 0; i < tiles; ++i) {
    const auto n = static_cast<uint32_t>(i);
    const uint32_t half = (n & 1) * 8192;
    const Tile a = sbuf(DType::bf16, 128, 512, half), o = sbuf(DType::bf16, 128, 512, 16384 + half);
    const Tile d = psum(DType::f32, 128, 512, (n & 7) * 2048);
    Instruction in = updates(load(S, a, hbm(0, DType::bf16, 128, 512), i & 1), 8 + (i & 1));
    if (i >= 2) in = waits(in, 1, 4 * (n - 1));
    push(in);
    for (int k = 0; k < 4; ++k) {
      Instruction m = updates(matmul(d, sbuf(DType::bf16, 128, 128, half), a, k > 0), 1);
      if (k == 0 && i >= 8) push(waits(op(Engine::pe, Opcode::semaphore_wait), 2, n - 7));   // the bank is free again
      if (k == 0) m = waits(m, 8 + (i & 1), n / 2 + 1);
      push(m);
    }
    if (i >= 2) push(waits(op(V, Opcode::semaphore_wait), 10 + (i & 1), n / 2));   // the store before last is done
    push(updates(waits(copy(V, o, d), 1, 4 * (n + 1)), 2));
    push(updates(waits(activation(ActFn::exp, o, o), 2, n + 1), 3));
    push(updates(waits(with_scalar(V, AluOp::multiply, o, o, Scalar::of(2.0f)), 3, n + 1), 4));
    push(updates(waits(store(G, hbm(1, DType::bf16, 128, 512, (i & 1) * 131072), o, i & 1), 4, n + 1), 10 + (i & 1)));
  }
  return p;
}

void timing_model(const machine::Machine& m) {
  isa::Program elementwise = program({});
  for (int i = 0; i < 200'000; ++i) {
    const uint32_t at = static_cast<uint32_t>(i % 16) * 4096;
    elementwise.streams[1].push_back(binary(V, AluOp::add, sbuf(DType::f32, 128, 512, at + 2048), sbuf(DType::f32, 128, 512, at),
                                            sbuf(DType::f32, 128, 512, at)));
    elementwise.streams[2].push_back(activation(ActFn::exp, sbuf(DType::f32, 128, 512, 65536 + at), sbuf(DType::f32, 128, 512, 67584 + at)));
  }
  const isa::Program mixed = pipeline(20'000);
  for (const auto& [name, p] : {std::pair<const char*, const isa::Program*>{"two engines, no semaphores", &elementwise},
                               {"pipeline with DMA and semaphores", &mixed}}) {
    const double s = best_seconds(5, [&, q = p] { require(time_program(*q, m, {}).status()); });
    std::printf("timing model, %-34s %8.2f M instructions/s\n", name, static_cast<double>(p->instruction_count()) / s / 1e6);
  }
  const double s = best_seconds(3, [&] { require(check_hazards(mixed, m)); });
  std::printf("hazard check, %-34s %8.2f M instructions/s\n", "the same pipeline", static_cast<double>(mixed.instruction_count()) / s / 1e6);
}

void naive(const float* a, const float* b, float* out, int k, int m, int n) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += a[l * m + i] * b[l * n + j];
      out[i * n + j] = sum;
    }
}

void matmuls(const machine::Machine& m) {
  constexpr int kK = 128, kM = 128, kN = 512;
  constexpr double kFlop = 2.0 * kK * kM * kN;
  std::vector<float> a(kK * kM, 0.5f), b(kK * kN, 0.25f), out(kM * kN);
  for (const pe::MatmulVariant& v : pe::matmul_variants()) {
    if (!v.supported) continue;
    const double s = best_seconds(v.name == "portable" ? 3 : 200, [&, k = v.kernel] { k(a.data(), kM, b.data(), kN, out.data(), kK, kM, kN); });
    std::printf("nc_matmul kernel, %-10s            %8.1f GFLOP/s\n", std::string(v.name).c_str(), kFlop / s / 1e9);
  }
  const double s = best_seconds(3, [&] { naive(a.data(), b.data(), out.data(), kK, kM, kN); });
  std::printf("naive loop                              %8.1f GFLOP/s\n", kFlop / s / 1e9);
  for (DType t : {DType::f32, DType::bf16}) {
    isa::Program p = program({memset(V, sbuf(t, 128, 128), Scalar::of(0.5f)), updates(memset(V, sbuf(t, 128, 512, 2048), Scalar::of(0.25f)), 0)});
    for (int i = 0; i < 200; ++i) {
      Instruction in = matmul(psum(DType::f32, 128, 512), sbuf(t, 128, 128), sbuf(t, 128, 512, 2048), i > 0);
      if (i == 0) in = waits(in, 0, 1);
      p.streams[0].push_back(in);
    }
    const double whole = best_seconds(10, [&] { require(run_values(p, m, {}, {}, {})); });
    std::printf("nc_matmul instruction, %-4s accumulating %8.1f GFLOP/s\n", t == DType::f32 ? "f32" : "bf16", 200 * kFlop / whole / 1e9);
  }
}

void elementwise(const machine::Machine& m) {
  constexpr uint32_t kN = 4096;
  constexpr int kRepeat = 20;
  const auto report = [&](const char* name, const Instruction& in, double bytes) {
    isa::Program p = program({});
    for (int i = 0; i < kRepeat; ++i) p.streams[static_cast<size_t>(in.engine)].push_back(in);
    const double s = best_seconds(10, [&] { require(run_values(p, m, {}, {}, {})); });
    std::printf("%-38s  %8.1f GB/s\n", name, bytes * kRepeat / s / 1e9);
  };
  constexpr double kBytes = 128.0 * kN * 4;
  std::vector<char> from(128 * kN * 4, 1), to(from.size());
  const double s = best_seconds(50, [&] { std::memcpy(to.data(), from.data(), to.size()); });
  std::printf("%-38s  %8.1f GB/s\n", "memcpy (read + write)", 2 * kBytes / s / 1e9);
  const Tile a = sbuf(DType::f32, 128, kN), b = sbuf(DType::f32, 128, kN, kN * 4), c = sbuf(DType::f32, 128, kN, kN * 8);
  const Tile a16 = sbuf(DType::bf16, 128, kN), b16 = sbuf(DType::bf16, 128, kN, kN * 4), c16 = sbuf(DType::bf16, 128, kN, kN * 8);
  report("tensor_copy f32", copy(V, b, a), 2 * kBytes);
  report("tensor_tensor add f32", binary(V, AluOp::add, c, a, b), 3 * kBytes);
  report("tensor_scalar multiply f32", with_scalar(V, AluOp::multiply, b, a, Scalar::of(1.5f)), 2 * kBytes);
  report("tensor_tensor add bf16", binary(V, AluOp::add, c16, a16, b16), 1.5 * kBytes);
  report("tensor_copy f32 to bf16", copy(V, b16, a), 1.5 * kBytes);
  report("activation exp f32", activation(ActFn::exp, b, a), 2 * kBytes);
  Instruction sum = op(V, Opcode::tensor_reduce);
  sum.op0 = AluOp::add;
  sum.src0 = a;
  sum.dst = sbuf(DType::f32, 128, 1, kN * 8);
  report("tensor_reduce add f32", sum, kBytes);
  Instruction turn = copy(G, tile(Space::sbuf, DType::f32, 128, {{1, 64}, {64, 64}}, kN * 4), tile(Space::sbuf, DType::f32, 128, {{64, 64}, {1, 64}}));
  report("tensor_copy f32 transposing 64 x 64", turn, 2 * kBytes);
}

void launches(const machine::Machine& m) {
  const Tile a = sbuf(DType::bf16, 4, 512), b = sbuf(DType::bf16, 4, 512, 1024), c = sbuf(DType::bf16, 4, 512, 2048);
  const isa::Program p = program({updates(load(S, a, hbm(0, DType::bf16, 4, 512)), 0), updates(load(A, b, hbm(1, DType::bf16, 4, 512)), 0),
                                  updates(waits(binary(V, AluOp::multiply, c, a, b), 0, 2), 1),
                                  waits(store(S, hbm(2, DType::bf16, 4, 512), c), 1, 1)},
                                 {4096, 4096, 4096});
  std::vector<std::byte> memory(3 * 4096);
  std::vector<Binding> bindings;
  for (int i = 0; i < 3; ++i) bindings.push_back({memory.data() + i * 4096, 4096});
  constexpr int kRepeat = 1000;
  const double values = best_seconds(10, [&] { for (int i = 0; i < kRepeat; ++i) require(run_values(p, m, bindings, {}, {})); });
  const double time = best_seconds(10, [&] { for (int i = 0; i < kRepeat; ++i) require(time_program(p, m, {}).status()); });
  std::printf("eager multiply 4 x 512 bf16: values %.2f us, timing %.2f us\n", values / kRepeat * 1e6, time / kRepeat * 1e6);
}

}  // namespace
}  // namespace lanewise::sim

int main() {
  using namespace lanewise::sim;
  const auto machine = test::load_preset("trn2");
  timing_model(machine);
  matmuls(machine);
  elementwise(machine);
  launches(machine);
}
