// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast the capture of a device with millions of runs is read, and then opens:
//
//   lw_bench_device [RUNS of instructions, 5000000] [INSTRUCTIONS of the program, 20000] [unnamed]
//
// unnamed: updates of semaphores do not say which run made them, as in real captures.
//
// The program is a loop over tiles (load, weights, matmul, copy out of PSUM, activation, store) with rotating buffers; each figure is wall
// time and the growth of the largest resident set, a byte count for each run (of instructions and DMAs). Synthetic: what a page shows of it
// is of no interest.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "server/device/device_view.h"
#include "trace/device_analysis/lifetimes.h"
#include "trace/device_analysis/profile_fixture.h"
#include "trace/import/ntff/ntff_fixture.h"
#include "trace/import/ntff/profile.h"

namespace lanewise::server::device {
namespace {

using isa::Engine;
using trace::device_analysis::ProfileBuilder;

constexpr int64_t kPerTile = 6;          // instructions
constexpr int64_t kTilePicos = 600'000;
constexpr int64_t kBuffers = 16;         // of SBUF, each kBufferBytes a partition
constexpr int64_t kBufferBytes = 4096;
constexpr int64_t kResident = 131072, kResidentElements = 8192;   // one large region of SBUF that everything reads
constexpr int64_t kSmall = kResident + 4 * kResidentElements, kSmalls = 6000;   // and many of one element
constexpr int64_t kBanks = 8;            // of PSUM, each 2 KiB a partition

trace::device::Operand psum(std::string role, int64_t tile) {
  auto o = ProfileBuilder::sbuf(std::move(role), tile % kBanks * 2048, 512);
  o.space = trace::device::Space::psum;
  return o;
}

trace::device::Instruction instruction(Engine engine, std::string opcode, int64_t tile, std::vector<trace::device::Operand> operands,
                                       std::vector<trace::device::Semaphore> waits, std::vector<trace::device::Semaphore> updates) {
  trace::device::Instruction in;
  in.engine = engine;
  in.opcode = std::move(opcode);
  in.index = static_cast<uint32_t>(tile);
  in.operands = std::move(operands);
  in.waits = std::move(waits);
  in.updates = std::move(updates);
  return in;
}

trace::device::DeviceProfile synthetic(int64_t runs, int64_t instructions) {
  trace::device::DeviceProfile profile;
  profile.machine = profile.program.target = "trn2";
  profile.producer = "lanewise";
  auto& program = profile.program;
  program.queues = {{0, "qLoad", Engine::sync}, {0, "qStore", Engine::sync}};
  const int64_t body = std::max<int64_t>(1, instructions / kPerTile), tiles = std::max<int64_t>(1, runs / kPerTile);
  for (int64_t t = 0; t < body; ++t) {
    const int64_t in = t % kBuffers * kBufferBytes, out = in + kBuffers * kBufferBytes;
    const auto hbm = [&](const char* role, const char* tensor) { return ProfileBuilder::hbm(role, tensor, 65536); };
    const auto sbuf = [&](const char* role, int64_t at) { return ProfileBuilder::sbuf(role, at, 512); };
    const auto small = ProfileBuilder::sbuf("dst1", kSmall + t % kSmalls * 4, 1);
    // Counts of the first pass: the semaphores of the bench are set back before each.
    const auto n = static_cast<uint32_t>(t + 1);
    const auto row = static_cast<uint32_t>(program.instructions.size());
    program.instructions.push_back(instruction(Engine::sync, "dma_copy", 2 * t, {sbuf("dst", in), hbm("src0", "x")}, {}, {{1, "+", 1}}));
    program.instructions.push_back(instruction(Engine::pe, "load_stationary", 2 * t, {ProfileBuilder::sbuf("src0", kResident, kResidentElements)}, {{1, ">=", n}}, {}));
    program.instructions.push_back(instruction(Engine::pe, "matmul", 2 * t + 1, {psum("dst", t), sbuf("src0", in)}, {}, {{2, "+", 1}}));
    program.instructions.push_back(instruction(Engine::vector, "tensor_copy", t, {sbuf("dst", out), psum("src0", t)}, {{2, ">=", n}}, {{3, "+", 1}}));
    program.instructions.push_back(instruction(Engine::scalar, "activation", t, {sbuf("dst", out + 2048), small, sbuf("src0", out)}, {{3, ">=", n}}, {{4, "+", 1}}));
    program.instructions.push_back(instruction(Engine::sync, "dma_copy", 2 * t + 1, {hbm("dst", "y"), sbuf("src0", out + 2048)}, {{4, ">=", n}}, {{5, "+", 1}}));
    for (const uint32_t at : {row, row + 5}) {
      program.instructions[at].queue = at == row ? 0 : 1;
      trace::device::DmaDescriptor d;
      d.queue = program.instructions[at].queue;
      d.trigger = at;
      d.to = program.instructions[at].operands[0];
      d.from = program.instructions[at].operands[1];
      d.bytes = 262144;
      program.descriptors.push_back(d);
    }
  }
  const auto resident = static_cast<uint32_t>(program.instructions.size());
  program.instructions.push_back(instruction(Engine::gpsimd, "memset", 0, {ProfileBuilder::sbuf("dst", kResident, kResidentElements)}, {}, {}));
  profile.instructions.push_back({.instruction = resident, .engine = Engine::gpsimd, .end = Picos(50'000)});
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const int64_t t = tile % body, begin = tile * kTilePicos;
    const auto iteration = static_cast<uint32_t>(tile / body);
    const auto count = static_cast<uint32_t>(t + 1);
    uint32_t first = static_cast<uint32_t>(profile.instructions.size()), first_dma = static_cast<uint32_t>(profile.dmas.size());
    for (int64_t i = 0; i < kPerTile; ++i) {
      trace::device::InstructionRun run;
      run.instruction = static_cast<uint32_t>(t * kPerTile + i);
      run.engine = program.instructions[run.instruction].engine;
      run.iteration = iteration;
      run.begin = Picos(begin + i * 100'000);
      run.end = run.begin + Picos(80'000);
      profile.instructions.push_back(run);
    }
    for (uint32_t i = 0; i < 2; ++i) {
      trace::device::DmaRun run;
      run.queue = i;
      run.descriptor = static_cast<uint32_t>(2 * t + i);
      run.trigger = program.descriptors[run.descriptor].trigger;
      run.iteration = iteration;
      run.triggered = Picos(begin + i * 500'000);
      run.begin = run.triggered + Picos(10'000);
      run.end = run.begin + Picos(70'000);
      run.visible = run.end + Picos(5'000);
      run.bytes = 262144;
      profile.dmas.push_back(run);
    }
    const auto update = [&](int64_t at, int32_t semaphore, bool by_dma, uint32_t run, Engine engine) {
      profile.semaphores.push_back({Picos(begin + at), 0, semaphore, count, by_dma, engine, run});
    };
    update(85'000, 1, true, first_dma, Engine::sync);
    update(285'000, 2, false, first + 2, Engine::pe);
    update(385'000, 3, false, first + 3, Engine::vector);
    update(485'000, 4, false, first + 4, Engine::scalar);
    update(590'000, 5, true, first_dma + 1, Engine::sync);
  }
  profile.duration = profile.last = Picos(tiles * kTilePicos);
  return profile;
}

// A capture in the form of real ones: two records a run, and the limit of the tensor engine changing all the time.
trace::ntff::test::Small capture(int64_t runs) {
  using trace::ntff::test::record_bytes;
  constexpr uint64_t kStart = 1'000'000'000;
  trace::ntff::test::Small s;
  for (int64_t i = 0; i < runs; ++i) {
    const uint64_t at = kStart + static_cast<uint64_t>(i) * 1'000;
    const uint8_t kind = i % 2 == 0 ? 144 : 132;   // DVE, PE
    s.instructions += record_bytes(0xf601, 0, kind, 0, at) + record_bytes(0xf601, 0, kind + 1, 0, at + 800);
    if (i % 8 == 0) s.throttle += record_bytes(204, 8, 158, i % 16 == 0 ? 8 : 4, at);
  }
  return s;
}

int64_t largest_bytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

// In a process of its own, so that each figure begins with the memory of the profile and nothing more.
template <typename F>
void measured(const char* what, uint32_t runs, F f) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) {
    int state = 0;
    if (child < 0 || waitpid(child, &state, 0) != child || state != 0) std::printf("%-28s failed\n", what);
    return;
  }
  const int64_t before = largest_bytes();
  const auto start = std::chrono::steady_clock::now();
  const size_t rows = f();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%-28s %7.2f s %8.1f bytes a run more, %zu rows\n", what, seconds, static_cast<double>(largest_bytes() - before) / runs, rows);
  std::fflush(stdout);
  _exit(0);
}

int bench(int64_t runs, int64_t instructions, bool unnamed) {
  {
    const auto small = capture(runs);
    const std::string bytes = small.bytes();
    std::printf("a capture of %.0f MB\n", static_cast<double>(bytes.size()) * 1e-6);
    measured("read", static_cast<uint32_t>(runs), [&] {
      const auto read = trace::ntff::read_profile(bytes, small.program(), small.pair_id);
      return read.ok() ? read->instructions.size() : 0;
    });
  }
  auto profile = synthetic(runs, instructions);
  if (unnamed) {
    for (auto& update : profile.semaphores) update.run = trace::device::kNone;
  }
  auto made = DeviceView::make(std::move(profile));
  if (!made.ok()) {
    std::fprintf(stderr, "%s\n", made.status().to_string().c_str());
    return 1;
  }
  const DeviceView& view = **made;
  const uint32_t n = view.events();
  std::printf("%zu runs of instructions, %zu of DMAs, %zu updates of semaphores\n", view.profile().instructions.size(), view.profile().dmas.size(),
              view.profile().semaphores.size());
  measured("engines and queues", n, [&] { return make_timeline(view, false)->lanes().size(); });
  measured("the same with counters", n, [&] { return make_timeline(view)->lanes().size(); });
  measured("first dependencies", n, [&] { return view.dependencies().nodes(); });
  measured("dependencies and arrows", n, [&] { return timeline::ArrowIndex(view.ties(), *make_timeline(view, false)).size(); });
  measured("lifetimes", n, [&] { return trace::device_analysis::lifetimes(view.profile()).size(); });
  return 0;
}

}  // namespace
}  // namespace lanewise::server::device

int main(int argc, char** argv) {
  const long long runs = argc > 1 ? std::atoll(argv[1]) : 5'000'000, instructions = argc > 2 ? std::atoll(argv[2]) : 20'000;
  if (runs < 1 || instructions < 1 || (argc > 3 && std::string(argv[3]) != "unnamed")) {
    std::fprintf(stderr, "lw_bench_device [RUNS] [INSTRUCTIONS] [unnamed]: give counts above 0\n");
    return 2;
  }
  return lanewise::server::device::bench(runs, instructions, argc > 3);
}
