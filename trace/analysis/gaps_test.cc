// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Ten small traces whose answers were worked out by hand, then the sum rule on real files.
#include "trace/analysis/gaps.h"

#include <map>

#include "trace/analysis/analysis_fixture.h"

namespace lanewise::trace::analysis {
namespace {

using Answers = std::map<std::string, int64_t>;  // microseconds; "busy", "wall" and the causes that are not 0

Answers answers(const Model& model, size_t device = 0) {
  const auto report = find_gaps(model);
  EXPECT_TRUE(report.ok());
  const DeviceGaps& gaps = report->devices.at(device);
  Answers found = {{"wall", gaps.wall_ns / 1000}, {"busy", gaps.busy_ns / 1000}};
  int64_t sum = gaps.busy_ns, of_gaps = gaps.busy_ns, end = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < kCauses; ++i) {
    sum += gaps.causes[i];
    if (gaps.causes[i] != 0) found[std::string(cause_name(static_cast<Cause>(i)))] = gaps.causes[i] / 1000;
  }
  for (const Gap& gap : gaps.gaps) {
    EXPECT_GT(gap.dur_ns, 0);
    EXPECT_GE(gap.start_ns, end) << "gaps lie apart";
    end = gap.start_ns + gap.dur_ns;
    of_gaps += gap.dur_ns;
  }
  EXPECT_EQ(sum, gaps.wall_ns);
  EXPECT_EQ(of_gaps, gaps.wall_ns);
  return found;
}

TEST(Gaps, TwoStreamsAreBusyOnce) {
  TraceText t;
  t.op("a", 0, 10).call("cudaLaunchKernel", 1, 2, 1).call("cudaLaunchKernel", 3, 4, 2);
  t.kernel("k1", 10, 30, 1, 7).kernel("k2", 20, 50, 2, 8).op("tail", 55, 60);
  EXPECT_EQ(answers(*open_model(t)),
            (Answers{{"wall", 60}, {"busy", 40}, {"queue_empty_start", 1}, {"launch_latency", 9}, {"queue_empty_end", 10}}));
}

TEST(Gaps, TheThreadThatLaunchesNextCountsBeforeOneThatWaits) {
  TraceText t;
  t.op("forward", 0, 10).call("cudaLaunchKernel", 2, 3, 1).kernel("k1", 5, 15, 1);
  t.call("cudaStreamSynchronize", 12, 58, 3);
  t.slice("cpu_op", "backward", "1", "2", 30, 20).call("cudaLaunchKernel", 40, 42, 2, "2").kernel("k2", 45, 55, 2);
  t.op("tail", 58, 60);
  EXPECT_EQ(answers(*open_model(t)), (Answers{{"wall", 60}, {"busy", 20}, {"queue_empty_start", 2}, {"launch_latency", 3 + 5},
                                              {"synchronize", 15}, {"host_busy", 10}, {"queue_empty_end", 5}}));
}

TEST(Gaps, KernelsOfAReplayedGraphAreQueuedFromItsLaunchOn) {
  TraceText t;
  t.call("cudaGraphLaunch", 0, 4, 9).kernel("k1", 10, 12, 9).kernel("k2", 15, 17, 9).kernel("k3", 20, 25, 9);
  const auto model = open_model(t);
  EXPECT_EQ(answers(*model), (Answers{{"wall", 25}, {"busy", 9}, {"launch_latency", 16}}));
  for (const DeviceEvent& event : model->file(0).links.device_events) EXPECT_EQ(event.call.method, LinkMethod::graph_replay);
  EXPECT_EQ(model->file(0).links.calls[0].device_events, 3u);
}

TEST(Gaps, BeforeAKernelWithoutALaunchTheCauseIsUnknown) {
  TraceText t;
  t.op("a", 0, 10).call("cudaLaunchKernel", 1, 2, 1).kernel("k1", 3, 8, 1).kernel("k2", 20, 25, -1);
  EXPECT_EQ(answers(*open_model(t)),
            (Answers{{"wall", 25}, {"busy", 10}, {"queue_empty_start", 1}, {"launch_latency", 2}, {"unknown", 12}}));
}

TEST(Gaps, ASyncCallIsTheCauseWhileItLasts) {
  TraceText t;
  t.op("a", 0, 5).call("cudaLaunchKernel", 1, 2, 1).kernel("k1", 3, 10, 1).call("cudaDeviceSynchronize", 6, 30, 2);
  t.op("b", 32, 40).call("cudaLaunchKernel", 35, 36, 3).kernel("k2", 38, 40, 3);
  const auto model = open_model(t);
  EXPECT_EQ(answers(*model), (Answers{{"wall", 40}, {"busy", 9}, {"queue_empty_start", 1}, {"launch_latency", 2 + 3},
                                      {"synchronize", 20}, {"host_busy", 2 + 3}}));
  const auto report = find_gaps(*model);
  for (const Gap& gap : report->devices[0].gaps) {
    if (gap.cause == Cause::synchronize) {
      EXPECT_EQ(model->name(0, gap.event), "cudaDeviceSynchronize");
    } else if (gap.cause == Cause::host_busy) {
      EXPECT_EQ(model->name(0, gap.op), "b");
    }
  }
}

TEST(Gaps, ACopyThatHasNotStartedAndACopyCallThatHasNotReturned) {
  TraceText t;
  t.op("a", 0, 9).call("cudaLaunchKernel", 1, 2, 1).kernel("k1", 3, 8, 1);
  t.op("to", 10, 30).call("cudaMemcpyAsync", 10, 30, 2);
  t.slice("gpu_memcpy", "Memcpy HtoD", "0", "7", 25, 4, R"("device":0,"stream":7,"correlation":2,"bytes":64)");
  t.op("b", 31, 40).call("cudaLaunchKernel", 31, 32, 3).kernel("k2", 33, 40, 3);
  EXPECT_EQ(answers(*open_model(t)), (Answers{{"wall", 40}, {"busy", 5 + 4 + 7}, {"queue_empty_start", 1}, {"launch_latency", 2 + 2},
                                              {"host_busy", 2 + 1}, {"copy_wait", 15 + 1}}));
}

TEST(Gaps, BeforeTheFirstAndAfterTheLastWorkTheQueueIsEmpty) {
  TraceText t;
  t.op("a", 0, 100).call("cudaLaunchKernel", 40, 41, 1).kernel("k", 45, 50, 1).call("cudaDeviceSynchronize", 60, 90, 2);
  const auto model = open_model(t);
  EXPECT_EQ(answers(*model),
            (Answers{{"wall", 100}, {"busy", 5}, {"queue_empty_start", 40}, {"launch_latency", 5}, {"queue_empty_end", 50}}));
  const auto report = find_gaps(*model);
  EXPECT_EQ(report->devices[0].device_window_ns, 5000);
  EXPECT_EQ(report->devices[0].idle_inside_ns, 0);
}

TEST(Gaps, TheProfilersOwnOverheadIsACause) {
  TraceText t;
  t.op("a", 0, 20).call("cudaLaunchKernel", 1, 2, 1).kernel("k1", 3, 5, 1);
  t.slice("overhead", "Activity Buffer Request", "-1", "0", 6, 10);
  t.call("cudaLaunchKernel", 17, 18, 2).kernel("k2", 19, 20, 2);
  EXPECT_EQ(answers(*open_model(t)), (Answers{{"wall", 20}, {"busy", 3}, {"queue_empty_start", 1}, {"launch_latency", 2 + 2},
                                              {"host_busy", 2}, {"profiler", 10}}));
}

TEST(Gaps, KernelsThatOverlapOnOneStreamAreBusyOnce) {
  TraceText t;
  t.op("a", 0, 12).call("cudaLaunchKernel", 1, 2, 1).call("cudaLaunchKernel", 2, 3, 2);
  t.kernel("k1", 3, 10, 1).kernel("k2", 8, 12, 2).kernel("k0", 5, 5, 1);
  EXPECT_EQ(answers(*open_model(t)), (Answers{{"wall", 12}, {"busy", 9}, {"queue_empty_start", 1}, {"launch_latency", 2}}));
}

TEST(Gaps, OverheadInsideAnExecutionAndLagOfTheSimulatorAreNoWork) {
  TraceText t;
  t.op("a", 0, 50).slice("privateuse1_runtime", "nrta_execute_schedule", "1", "1", 1, 1, "\"correlation\":5");
  t.slice("neuron_hw", "nc_exec_running", "\"neuron:0\"", "\"NC0 exec\"", 3, 7,
          R"("correlation":5,"overhead before ns":1000,"overhead after ns":2000)");
  t.slice("neuron_hw", "sim_lag", "\"neuron:0\"", "\"NC0 sim_lag\"", 10, 20);
  t.slice("privateuse1_runtime", "nrta_execute_schedule", "1", "1", 32, 1, "\"correlation\":6");
  t.slice("neuron_hw", "nc_exec_running", "\"neuron:0\"", "\"NC0 exec\"", 40, 10, "\"correlation\":6");
  const auto model = open_model(t);
  EXPECT_EQ(answers(*model), (Answers{{"wall", 50}, {"busy", 4 + 10}, {"queue_empty_start", 1}, {"launch_latency", 2 + 8},
                                      {"overhead", 3}, {"sim_lag", 20}, {"host_busy", 2}}));
  EXPECT_EQ(model->devices()[0].name, "neuron:0");
}

TEST(Gaps, TwoDevicesHaveTheWallOfTheSession) {
  TraceText t;
  t.op("a", 0, 20).call("cudaLaunchKernel", 1, 2, 1).kernel("k", 5, 10, 1);
  t.slice("kernel", "other", "1", "7", 10, 5, "\"device\":1,\"correlation\":77");
  const auto model = open_model(t);
  ASSERT_EQ(model->devices().size(), 2u);
  EXPECT_EQ(answers(*model, 0).at("wall"), 20);
  EXPECT_EQ(answers(*model, 1), (Answers{{"wall", 20}, {"busy", 5}, {"queue_empty_start", 10}, {"queue_empty_end", 5}}));
}

TEST(Gaps, StepsAndSelectionsAreCutOutOfTheSameGaps) {
  TraceText t;
  t.slice("user_annotation", "ProfilerStep#3", "1", "1", 0, 10).slice("user_annotation", "ProfilerStep#4", "1", "1", 10, 20);
  t.call("cudaLaunchKernel", 1, 2, 1).kernel("k1", 5, 12, 1).call("cudaLaunchKernel", 20, 21, 2).kernel("k2", 25, 30, 2);
  const auto model = open_model(t);
  const auto report = find_gaps(*model);
  ASSERT_EQ(report->steps.size(), 2u);
  EXPECT_EQ(report->steps[0].busy_ns, 5000);
  EXPECT_EQ(report->steps[1].busy_ns, 7000);
  for (const StepGaps& step : report->steps) {
    int64_t sum = step.busy_ns;
    for (const int64_t ns : step.causes) sum += ns;
    EXPECT_EQ(sum, step.wall_ns);
  }
  Selection second;
  second.steps = {4};
  const auto only = find_gaps(*model, second);
  EXPECT_EQ(only->devices[0].wall_ns, 20000);
  EXPECT_EQ(only->devices[0].busy_ns, 7000);
  EXPECT_EQ(only->devices[0].causes[static_cast<size_t>(Cause::host_busy)], 8000);
  second.steps = {9};
  EXPECT_FALSE(find_gaps(*model, second).ok());
}

TEST(Gaps, ATraceOfTheHostOnlyHasNone) {
  TraceText t;
  t.op("a", 0, 10);
  EXPECT_TRUE(find_gaps(*open_model(t))->devices.empty());
}

TEST_F(SharedTraces, BusyAndCausesAddUpOnRealFiles) {
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    for (size_t device = 0; device < model->devices().size(); ++device) answers(*model, device);
  }
}

}  // namespace
}  // namespace lanewise::trace::analysis
