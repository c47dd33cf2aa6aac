// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The device level end to end: compiled programs, timed, written as a capture writes them, read back and asked.
#include <gtest/gtest.h>

#include <cmath>

#include "machine/machine.h"
#include "tests/device/captured.h"
#include "trace/device_analysis/critical_path.h"
#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/lifetimes.h"
#include "trace/device_analysis/metrics.h"
#include "trace/device_analysis/public_summary.h"
#include "trace/device_analysis/questions.h"
#include "trace/device_analysis/replay.h"
#include "trace/device_analysis/roofline.h"
#include "trace/device_analysis/stalls.h"

namespace lanewise::test {
namespace {

using namespace trace::device_analysis;
using trace::device::DeviceProfile;

struct Asked {
  DeviceProfile profile;
  machine::Machine machine;
  Subject subject() const { return {profile, machine}; }
};

Asked ask(const std::string& graph, const std::string& name, const std::string& spec = "trn2") {
  auto profile = profile_of(graph, name, spec);
  EXPECT_TRUE(profile.ok()) << profile.status().to_string();
  return {profile.ok() ? *profile : DeviceProfile{}, *machine::load_machine(spec)};
}

double value(const std::vector<PublicValue>& row, std::string_view name) {
  for (const PublicValue& v : row) {
    if (v.name == name) return v.integer ? static_cast<double>(*v.whole) : *v.real;
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

// What holds for every profile, whatever the program.
void expect_sound(const Asked& a) {
  const Dependencies d(a.profile, a.machine);
  EXPECT_EQ(d.unknown_setters(), 0);

  const StallReport stalls = find_stalls(d);
  ASSERT_EQ(stalls.engines.size(), static_cast<size_t>(isa::kEngineCount));
  for (const EngineTime& e : stalls.engines) {
    EXPECT_EQ(e.busy + e.stall + e.idle, whole(a.profile));
    Picos reasons;
    for (const Picos t : e.by_reason) reasons += t;
    EXPECT_EQ(reasons, e.stall);
  }

  const std::vector<Piece> path = critical_path(d);
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.front().begin.value, 0);
  EXPECT_EQ(path.back().end, a.profile.duration);
  for (size_t i = 1; i < path.size(); ++i) EXPECT_EQ(path[i].begin, path[i - 1].end) << i;

  EXPECT_EQ(replay(d, {}), a.profile.duration);
  const std::vector<Picos> slacks = slack(d);
  for (const Picos s : slacks) EXPECT_GE(s.value, 0);
  for (const Piece& p : path) {
    if (p.kind == PieceKind::transfer) {
      EXPECT_EQ(slacks[p.node].value, 0);
    }
  }
  for (const Question& q : questions()) {
    const auto tables = q.answer(a.subject());
    ASSERT_TRUE(tables.ok()) << q.name;
    EXPECT_TRUE(std::any_of(tables->begin(), tables->end(), [&](const Table& t) { return t.name() == q.main_table && t.rows() > 0; })) << q.name;
  }
}

TEST(DeviceLevel, AMatmulIsComputeBoundAndItsMfuIsTheClosedForm) {
  const Asked a = ask(matmul_graph(2048), "mm_2048");
  expect_sound(a);
  const RooflinePoint program = roofline(a.subject())[0];
  EXPECT_EQ(program.bound, "compute") << program.sentence;
  EXPECT_EQ(program.engine, isa::Engine::pe);
  EXPECT_EQ(program.dtype, "bfloat16");

  const double flops = 2.0 * 2048 * 2048 * 2048;
  const double peak = 2.0 * 128 * 128 * 2.4e9;
  const double total = static_cast<double>(a.profile.duration.value) * 1e-12;
  const auto row = public_summary(a.subject());
  EXPECT_EQ(value(row, "hardware_flops") - value(row, "transpose_flops"), flops);
  EXPECT_NEAR(value(row, "mfu_inst_estimated_percent"), flops / (peak * total), 1e-9);
  EXPECT_GT(value(row, "mfu_inst_estimated_percent"), 0.75);
  // Three matrices of 8 MiB go over HBM at least once.
  EXPECT_GE(value(row, "hbm_read_bytes") + value(row, "hbm_write_bytes"), 3.0 * 2048 * 2048 * 2);
}

TEST(DeviceLevel, AnAddIsMemoryBoundAndItsMbuIsTheClosedForm) {
  const int64_t n = int64_t{64} << 20;
  const Asked a = ask(add_graph(n), "add_64m");
  expect_sound(a);
  const RooflinePoint program = roofline(a.subject())[0];
  EXPECT_EQ(program.bound, "memory") << program.sentence;
  const double bytes = 3.0 * static_cast<double>(n) * 4;
  const double total = static_cast<double>(a.profile.duration.value) * 1e-12;
  const auto row = public_summary(a.subject());
  EXPECT_EQ(value(row, "hbm_read_bytes") + value(row, "hbm_write_bytes"), bytes);
  EXPECT_NEAR(value(row, "mbu_estimated_percent"), bytes / total / (2 * 368e9), 1e-9);
  EXPECT_GT(mbu_of_share(metrics(a.subject()), a.machine, a.profile.duration), 0.9);
  EXPECT_EQ(value(row, "mfu_inst_estimated_percent"), 0);
  const Traffic t = traffic(a.profile);
  EXPECT_EQ(t.minimum_read + t.minimum_written, t.hbm_read + t.hbm_written);   // nothing comes twice
  EXPECT_EQ(t.reloads + t.spill_save + t.unknown, 0);
}

TEST(DeviceLevel, HalfTheMemoryBandwidthMovesTheRoofAndTheTime) {
  const Asked fast = ask(add_graph(1 << 24), "add"), slow = ask(add_graph(1 << 24), "add", "trn2,dma.hbm_bytes_per_second=184000000000");
  const double ratio = static_cast<double>(slow.profile.duration.value) / static_cast<double>(fast.profile.duration.value);
  EXPECT_NEAR(ratio, 2, 0.1);
  EXPECT_NEAR(roofline(slow.subject())[0].demand.hbm / roofline(fast.subject())[0].demand.hbm, 2, 1e-9);
}

TEST(DeviceLevel, FusedRmsNormSaysWhatEachMicrosecondDoes) {
  const Asked a = ask(rms_norm_graph(4, 512), "rms_norm");
  expect_sound(a);
  // As small a program as this is bound by no ceiling: it waits for memory to answer.
  EXPECT_EQ(roofline(a.subject())[0].bound, "latency");
  EXPECT_EQ(roofline(a.subject())[1].bound, "overhead");
  const Dependencies d(a.profile, a.machine);
  Picos dma, work;
  for (const Piece& p : critical_path(d)) {
    if (p.kind == PieceKind::dma_start || p.kind == PieceKind::transfer || p.kind == PieceKind::completion) dma += p.end - p.begin;
    if (p.kind == PieceKind::work) work += p.end - p.begin;
  }
  EXPECT_GT(dma + work, Picos(a.profile.duration.value * 8 / 10));
  // The engines wait for DMAs, and for each other.
  bool by_dma = false, by_data = false;
  for (const Stall& s : find_stalls(d).stalls) {
    by_dma |= s.reason == StallReason::dma && d.is_dma(s.setter);
    by_data |= s.reason == StallReason::data;
  }
  EXPECT_TRUE(by_dma);
  EXPECT_TRUE(by_data);
  // The debug map leads from instructions to the operator.
  bool named = false;
  for (const auto& in : a.profile.program.instructions) named |= in.aten_node.find("rms_norm") != std::string::npos;
  EXPECT_TRUE(named);
}

TEST(DeviceLevel, FasterHopsInTheReplayAreFasterHopsInTheSimulator) {
  // Everything fixed about DMAs halved: the estimate against the truth of a machine that is so.
  const std::string graph = rms_norm_graph(4, 512);
  const Asked a = ask(graph, "rms_norm");
  const Asked b = ask(graph, "rms_norm", "trn2,dma.start_ps=395000,dma.drain_ps=143500,dma.completion_ps=100000");
  const Dependencies d(a.profile, a.machine);
  const double estimate = static_cast<double>(replay(d, {.work = {}, .dma_fixed = 0.5}).value);
  EXPECT_NEAR(estimate / static_cast<double>(b.profile.duration.value), 1, 0.02);
  EXPECT_LT(b.profile.duration, a.profile.duration);
}

TEST(DeviceLevel, TilesFitTheMemoriesAllTheTime) {
  const Asked a = ask(matmul_graph(512), "mm_512");
  expect_sound(a);
  const auto lives = lifetimes(a.profile);
  ASSERT_FALSE(lives.empty());
  for (const Lifetime& l : lives) EXPECT_LE(l.begin, l.end);
  const auto& m = a.machine.memory;
  int64_t peak_sbuf = 0, peak_psum = 0;
  for (const Occupancy& o : occupancy(lives)) {
    EXPECT_GE(o.sbuf, 0);
    EXPECT_GE(o.psum, 0);
    peak_sbuf = std::max(peak_sbuf, o.sbuf);
    peak_psum = std::max(peak_psum, o.psum);
  }
  EXPECT_GE(peak_sbuf, 512 * 512 * 2);   // one operand at least
  EXPECT_LE(peak_sbuf, m.partitions * m.sbuf_partition_bytes);
  EXPECT_GT(peak_psum, 0);
  EXPECT_LE(peak_psum, m.partitions * m.psum_banks * m.psum_bank_bytes);
}

}  // namespace
}  // namespace lanewise::test
