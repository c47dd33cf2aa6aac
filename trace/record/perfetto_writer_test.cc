// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/perfetto_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "trace/record/trace_replay.h"

namespace lanewise::trace::record {
namespace {

constexpr int64_t kT0 = 1'790'000'000'000'000'000;

Event runtime(uint32_t thread, int64_t start, int64_t end, EventKind kind = EventKind::nrt_synchronize) {
  Event e;
  e.kind = kind;
  e.thread = thread;
  e.start_ns = kT0 + start;
  e.end_ns = kT0 + end;
  return e;
}

Event hardware(EventKind kind, uint16_t nc, int64_t start, int64_t end) {
  Event e = runtime(0, start, end, kind);
  e.nc = nc;
  return e;
}

class PerfettoWriterTest : public ::testing::Test {
 protected:
  PerfettoWriterTest() {
    writer_.begin({static_cast<int>(getpid()), "train.py", {"simulated trn2"}, read_clocks()}, &file_);
  }
  Replay replay() const { return Replayer().run(file_); }

  PerfettoWriter writer_;
  std::string file_;
};

TEST_F(PerfettoWriterTest, ALaunchIsARuntimeCallAFlowAndAnExecutionWithItsParts) {
  Event submit = runtime(77, 100, 400, EventKind::nrta_execute_schedule);
  submit.launch_id = 42;
  submit.external_id = 9;
  submit.name = intern("aten::mul");
  submit.program_hash = 0x7fffffffffffffffull;
  Event run = hardware(EventKind::nc_exec_running, 3, 1000, 9000);
  run.launch_id = 42;
  run.stream = 2;
  run.name = submit.name;
  run.program_hash = submit.program_hash;
  run.exec_before_ns = 500;
  run.capture_before_ns = 1500;
  run.exec_after_ns = 100;
  run.capture_after_ns = 900;
  writer_.append({run, submit}, &file_);

  const Replay r = replay();
  EXPECT_TRUE(r.damage.ok());
  EXPECT_EQ(r.unmatched, 0);
  ASSERT_EQ(r.slices.size(), 5u);
  const ReplayedSlice& call = r.slices[0];
  EXPECT_EQ(call.name, "nrta_execute_schedule");
  EXPECT_EQ(call.category, "neuron_rt");
  EXPECT_EQ(call.track, "thread 77");
  EXPECT_EQ(call.start_ns, kT0 + 100);
  EXPECT_EQ(call.end_ns, kT0 + 400);
  EXPECT_EQ(call.flows, std::vector<uint64_t>{42});
  EXPECT_EQ(call.numbers.at("external_id"), 9u);
  EXPECT_EQ(call.numbers.at("program_hash"), 0x7fffffffffffffffull);
  EXPECT_EQ(call.texts.at("name"), "aten::mul");

  const ReplayedSlice& execution = r.slices[1];
  EXPECT_EQ(execution.name, "nc_exec_running");
  EXPECT_EQ(execution.track, "NC3 nc_exec_running");
  EXPECT_EQ(execution.parent_track, "neuron:3");
  EXPECT_EQ(execution.ending_flows, std::vector<uint64_t>{42});
  EXPECT_EQ(execution.numbers.at("launch_id"), 42u);
  EXPECT_EQ(execution.numbers.at("nc_idx"), 3u);
  EXPECT_EQ(execution.numbers.at("stream"), 2u);
  EXPECT_EQ(execution.numbers.at("exec_id"), 1u);
  EXPECT_EQ(execution.numbers.at("exec_before_ns"), 500u);
  EXPECT_EQ(execution.numbers.at("capture_after_ns"), 900u);

  const char* parts[] = {"overhead_before", "program", "overhead_after"};
  const int64_t edges[] = {1000, 3000, 8000, 9000};
  for (int i = 0; i < 3; ++i) {
    const ReplayedSlice& part = r.slices[2 + static_cast<size_t>(i)];
    EXPECT_EQ(part.name, parts[i]);
    EXPECT_EQ(part.depth, 1);
    EXPECT_EQ(part.track, execution.track);
    EXPECT_EQ(part.start_ns, kT0 + edges[i]);
    EXPECT_EQ(part.end_ns, kT0 + edges[i + 1]);
  }
}

TEST_F(PerfettoWriterTest, NoOverheadNoPart) {
  writer_.append({hardware(EventKind::nc_exec_running, 0, 0, 50)}, &file_);
  const Replay r = replay();
  ASSERT_EQ(r.slices.size(), 2u);
  EXPECT_EQ(r.slices[1].name, "program");
  EXPECT_EQ(r.slices[1].end_ns - r.slices[1].start_ns, 50);
}

TEST_F(PerfettoWriterTest, CallsOfAThreadNestAlsoWhenTheyTouch) {
  // outer 0..100 holds a 0..40 and b 40..100; b holds an empty one at 40; then one starts where outer ends.
  writer_.append({runtime(5, 0, 40, EventKind::nrt_load), runtime(5, 40, 40, EventKind::queue_full),
                  runtime(5, 40, 100, EventKind::nrt_tensor_read), runtime(5, 0, 100, EventKind::nrt_synchronize),
                  runtime(5, 100, 120, EventKind::compile)},
                 &file_);
  const Replay r = replay();
  EXPECT_EQ(r.unmatched, 0);
  ASSERT_EQ(r.slices.size(), 5u);
  auto check = [&](size_t i, std::string_view name, int depth, int64_t start, int64_t end) {
    EXPECT_EQ(r.slices[i].name, name);
    EXPECT_EQ(r.slices[i].depth, depth) << name;
    EXPECT_EQ(r.slices[i].start_ns, kT0 + start) << name;
    EXPECT_EQ(r.slices[i].end_ns, kT0 + end) << name;
    EXPECT_EQ(r.slices[i].track, "thread 5");
  };
  check(0, "nrt_synchronize", 0, 0, 100);
  check(1, "nrt_load", 1, 0, 40);
  check(2, "nrt_tensor_read", 1, 40, 100);
  check(3, "queue_full", 2, 40, 40);
  check(4, "compile", 0, 100, 120);
}

TEST_F(PerfettoWriterTest, BackToBackExecutionsInSeveralChunks) {
  for (int i = 0; i < 5; ++i) {
    std::string chunk;
    writer_.append({hardware(EventKind::nc_exec_running, 0, i * 10, i * 10 + 10)}, &chunk);
    file_ += chunk;
  }
  const Replay r = replay();
  EXPECT_EQ(r.unmatched, 0);
  const auto runs = r.named("nc_exec_running");
  ASSERT_EQ(runs.size(), 5u);
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].end_ns - runs[i].start_ns, 10);
    EXPECT_EQ(runs[i].depth, 0);
    EXPECT_EQ(runs[i].track, "NC0 nc_exec_running");
    EXPECT_EQ(runs[i].numbers.at("exec_id"), i + 1);
  }
}

TEST_F(PerfettoWriterTest, CopiesThatOverlapGetTheirOwnLanes) {
  std::string first, second;
  writer_.append({hardware(EventKind::dma_h2d, 1, 0, 100), hardware(EventKind::dma_d2h, 1, 50, 80)}, &file_);
  writer_.append({hardware(EventKind::dma_d2d, 1, 90, 130), hardware(EventKind::sim_lag, 1, 0, 500)}, &file_);
  const Replay r = replay();
  EXPECT_EQ(r.unmatched, 0);
  EXPECT_EQ(r.named("dma_h2d").at(0).track, "NC1 dma");
  EXPECT_EQ(r.named("dma_d2h").at(0).track, "NC1 dma (2)");
  EXPECT_EQ(r.named("dma_d2d").at(0).track, "NC1 dma (2)");
  EXPECT_EQ(r.named("sim_lag").at(0).track, "NC1 sim_lag");
  EXPECT_EQ(r.named("dma_h2d").at(0).end_ns, kT0 + 100);
  EXPECT_EQ(r.named("dma_d2d").at(0).end_ns, kT0 + 130);
}

TEST_F(PerfettoWriterTest, CallsThatDoNotNestAreKeptBesideEachOther) {
  writer_.append({runtime(6, 0, 100, EventKind::nrt_load), runtime(6, 50, 150, EventKind::compile)}, &file_);
  const Replay r = replay();
  EXPECT_EQ(r.named("nrt_load").at(0).end_ns, kT0 + 100);
  EXPECT_EQ(r.named("compile").at(0).end_ns, kT0 + 150);
  EXPECT_NE(r.named("compile").at(0).track, r.named("nrt_load").at(0).track);
}

TEST_F(PerfettoWriterTest, LostEventsAreDrawnWithTheirCount) {
  writer_.lost(2, 1234, kT0 + 10, kT0 + 600, &file_);
  const Replay r = replay();
  ASSERT_EQ(r.slices.size(), 1u);
  EXPECT_EQ(r.slices[0].name, "events lost");
  EXPECT_EQ(r.slices[0].numbers.at("count"), 1234u);
  EXPECT_EQ(r.slices[0].parent_track, "neuron:2");
  EXPECT_EQ(r.slices[0].end_ns - r.slices[0].start_ns, 590);
}

TEST_F(PerfettoWriterTest, AFileThatIsCutAnywhereReadsUpToTheCut) {
  for (int i = 0; i < 20; ++i)
    writer_.append({hardware(EventKind::dma_h2d, 0, i * 10, i * 10 + 5), runtime(1, i * 10, i * 10 + 9)}, &file_);
  const Replay whole = replay();
  for (size_t cut = 0; cut < file_.size(); cut += 7) {
    const Replay r = Replayer().run(std::string_view(file_).substr(0, cut));
    ASSERT_LE(r.slices.size(), whole.slices.size());
    EXPECT_LE(r.unmatched, 1);   // a begin whose end is behind the cut
    if (r.packets == whole.packets) FAIL() << "a cut at " << cut << " lost nothing";
  }
  EXPECT_EQ(whole.slices.size(), 40u);
}

}  // namespace
}  // namespace lanewise::trace::record
