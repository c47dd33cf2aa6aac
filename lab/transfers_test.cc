// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/transfers.h"

#include <gtest/gtest.h>

#include "lab/replay.h"
#include "lab/validate.h"

namespace lanewise::lab {
namespace {

using trace::device::DeviceProfile;
using trace::device::Space;

const machine::Machine& trn2() {
  static const machine::Machine m = machine::load_machine("trn2").value();
  return m;
}

// The Sync engine loads rows of 4000 bytes, 8192 apart, in halves of 2000: each trigger one half of 16 rows, 8 rows on each
// of two DMA engines, a row a descriptor, the last with the semaphore. Captured: engine 0 reads in 100 ns, engine 1 in 200.
DeviceProfile halves(const std::string& kind) {
  DeviceProfile p;
  p.program.cores = 1;
  p.program.tensors.push_back({"a", kind, "float32", {16, 2048}, 131'072});
  p.program.queues.push_back({0, "q", isa::Engine::sync});
  for (uint32_t t = 0; t < 2; ++t) {
    trace::device::Instruction in;
    in.engine = isa::Engine::sync;
    in.index = t;
    in.opcode = "PSEUDO_DMA_TRIGGER";
    in.queue = 0;
    in.updates.push_back({static_cast<int32_t>(8 + t), "+", 2});
    p.program.instructions.push_back(in);
    trace::device::DmaDescriptor row;
    row.queue = 0, row.trigger = t, row.bytes = 32'000;
    row.from.space = Space::hbm, row.from.tensor = "a", row.from.dtype = "float32", row.from.address = t * 2000;
    row.from.sizes = {16, 500}, row.from.steps = {2048, 1};
    row.to.space = Space::sbuf, row.to.dtype = "float32", row.to.partitions = 16;
    row.to.sizes = {500}, row.to.steps = {1};
    p.program.descriptors.push_back(row);
    p.instructions.push_back({t, false, 0, isa::Engine::sync, false, 0, Picos(-1), Picos(1000 + t * 82'000), Picos(60'000 + t * 82'000), Picos(0)});
    for (uint16_t e = 0; e < 2; ++e)
      for (int64_t n = 0; n < 8; ++n) {
        trace::device::DmaRun run;
        run.dma_engine = e, run.queue = 0, run.trigger = t, run.descriptor = t;
        run.triggered = Picos(1000 + t * 82'000);
        run.begin = Picos(800'000 + t * 2'000'000 + n * 80'000);
        run.read = run.begin + Picos(100'000 * (e + 1));
        run.end = run.read + Picos(240'000);
        run.bytes = n == 7 ? 2004 : 2000;
        run.semaphore = n == 7;
        p.dmas.push_back(run);
      }
  }
  p.first = Picos(1000);
  p.last = Picos(4'000'000);
  return p;
}

TEST(Transfers, APageIsNewOnce) {
  const DeviceProfile p = halves("input");
  const auto transfers = transfers_of(p, trn2());
  ASSERT_EQ(transfers.size(), 2u);
  int64_t pages[2] = {0, 0};
  for (const auto& [trigger, t] : transfers) {
    EXPECT_TRUE(t.io);
    EXPECT_EQ(t.semaphore, 8 + static_cast<int>(trigger));
    EXPECT_EQ(t.visible, 2);
    ASSERT_EQ(t.descriptors.size(), 2u);
    for (const auto& [engine, list] : t.descriptors) {
      ASSERT_EQ(list.size(), 8u);
      EXPECT_EQ(list[0].read_run, 2000);
      EXPECT_FALSE(list[0].to_memory);
      for (const auto& d : list) pages[trigger] += d.new_pages;
    }
  }
  EXPECT_EQ(pages[0], 16);   // bytes 0 to 1999 of each row of 8192: one page of 4096
  EXPECT_EQ(pages[1], 0);    // bytes 2000 to 3999: the same page
  EXPECT_FALSE(transfers_of(halves("scratch"), trn2()).at(0).io);
  const auto small = machine::load_machine("trn2,dma.page_bytes=1000");
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(transfers_of(p, *small).at(0).descriptors.at(0)[0].new_pages, 2);
}

TEST(Transfers, TriggersCostByRingAndTheFirstOneMore) {
  const auto io = replay(halves("input"), trn2()), inner = replay(halves("scratch"), trn2());
  ASSERT_TRUE(io.ok() && inner.ok()) << io.status().to_string();
  const auto took = [](const Replay& r, int i) { return r.instructions[static_cast<size_t>(i)].end - r.instructions[static_cast<size_t>(i)].begin; };
  const machine::Machine::Dma& m = trn2().dma;
  EXPECT_EQ(took(*inner, 1), Picos(trn2().sequencer.sync.trigger_ps));
  EXPECT_EQ(took(*inner, 0) - took(*inner, 1), Picos(m.first_trigger_ps));
  EXPECT_EQ(took(*io, 1) - took(*inner, 1), Picos(m.io_trigger_ps));
}

TEST(Transfers, ThePagesOfTheMachineMoveTheProgram) {
  const auto none = machine::load_machine("trn2,dma.page_ps=0,dma.page_latency_ps=0"), slow = machine::load_machine("trn2,dma.page_ps=70000");
  ASSERT_TRUE(none.ok() && slow.ok());
  const auto a = replay(halves("input"), *none), b = replay(halves("input"), *slow);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_GT(b->last - b->first, (a->last - a->first) + Picos(400'000));
}

TEST(Transfers, TheFloorIsWhatOneTimeForAllEnginesCanReach) {
  const auto v = validate(halves("input"), trn2(), "halves");
  ASSERT_TRUE(v.ok()) << v.status().to_string();
  int kinds = 0;
  for (const KindRow& k : v->kernels[0].kinds) {
    if (k.kind == "DMA_OCCUPANCY") {
      ++kinds;
      EXPECT_NEAR(k.floor_pct, 25, 1e-9);   // 100 for both: 0 % and 50 %
      EXPECT_GE(k.mae_pct, k.floor_pct);
    } else if (k.kind == "DMA_START") {
      ++kinds;
      EXPECT_EQ(k.floor_pct, -1);
    }
  }
  EXPECT_EQ(kinds, 2);
}

}  // namespace
}  // namespace lanewise::lab
