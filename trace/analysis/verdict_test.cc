// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/verdict.h"

#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/trace_on_disk.h"

namespace lanewise::trace::analysis {
namespace {

const VerdictFinding* first_of(const std::vector<VerdictFinding>& findings, std::string_view kind) {
  for (const VerdictFinding& finding : findings) {
    if (finding.kind == kind) return &finding;
  }
  return nullptr;
}

// A tensor on the CPU among the inputs of an addition, as the profiler of the simulated device writes it: add holds copy_.
TraceText eps_copy() {
  TraceText t;
  const auto python = [&](const char* name, int ts, int dur, const char* from) {
    t.slice("python_function", name, "1", "1", ts, dur, "\"CallFrom\":\"" + std::string(from) + "\"");
  };
  t.slice("user_annotation", "ProfilerStep#3", "1", "1", 0, 1000);
  python("norm.py(45): <lambda>", 10, 200, "norm.py:64");
  python("norm.py(21): separate", 12, 190, "norm.py:45");
  python("<built-in method mean of Tensor object at 0x7f>", 20, 20, "norm.py:23");
  t.slice("cpu_op", "aten::mean", "1", "1", 22, 10, "\"External id\":1");
  t.slice("cpu_op", "aten::add", "1", "1", 50, 50, "\"External id\":2").slice("cpu_op", "aten::copy_", "1", "1", 60, 20, "\"External id\":3");
  python("<built-in method rsqrt of type object at 0x7f>", 110, 20, "norm.py:24");
  t.slice("privateuse1_runtime", "nrta_execute_schedule", "1", "1", 25, 2, "\"External id\":1,\"correlation\":1,\"device\":0");
  t.slice("privateuse1_runtime", "nrt_tensor_write", "1", "1", 65, 2, "\"External id\":3,\"correlation\":2,\"bytes\":4,\"device\":0");
  t.slice("privateuse1_runtime", "nrta_execute_schedule", "1", "1", 85, 2, "\"External id\":2,\"correlation\":3,\"device\":0");
  const char* overhead = ",\"device\":0,\"exec overhead ns\":15000,\"capture overhead ns\":70000,\"overhead before ns\":51000,\"overhead after ns\":34000";
  t.slice("kernel", "mean.dim", "0", "0", 30, 90, "\"External id\":1,\"correlation\":1" + std::string(overhead));
  t.slice("gpu_memcpy", "Memcpy HtoD", "0", "0", 120, 5, "\"External id\":3,\"correlation\":2,\"bytes\":4,\"device\":0");
  t.slice("kernel", "add.Tensor", "0", "0", 125, 91, "\"External id\":2,\"correlation\":3" + std::string(overhead));
  t.slice("privateuse1_runtime", "nrt_synchronize", "1", "1", 220, 100, "\"device\":0,\"stream\":0");
  return t;
}

TEST(Verdict, ACopyInsideAnOperatorIsFoundWithItsLine) {
  const TraceOnDisk trace(eps_copy());
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  const VerdictFinding* copy = first_of(*findings, "h2d_copy");
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->gain_ns, 5000);
  EXPECT_EQ(copy->line.file, "norm.py");
  EXPECT_EQ(copy->line.line, 21);
  EXPECT_NE(copy->text.find("aten::add copies 4 bytes from host to device"), std::string::npos) << copy->text;
  EXPECT_NE(copy->text.find("between its lines 23 and 24"), std::string::npos) << copy->text;
  ASSERT_GE(copy->evidence.size(), 3u);
  EXPECT_EQ(trace.model->name(0, copy->evidence[0].ordinal), "Memcpy HtoD");
  EXPECT_EQ(trace.model->name(0, copy->evidence[1].ordinal), "nrt_tensor_write");
  EXPECT_EQ(trace.model->name(0, copy->evidence[2].ordinal), "aten::add");
}

TEST(Verdict, TheOperatorWithTheMostHostTimeIsShownByItsLongestCall) {
  TraceText t;
  t.op("aten::mm", 0, 10).op("aten::mm", 20, 60).op("aten::add", 70, 75);
  const TraceOnDisk trace(t);
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  const VerdictFinding* hot = first_of(*findings, "hot_op");
  ASSERT_NE(hot, nullptr);
  ASSERT_EQ(hot->evidence.size(), 1u);
  EXPECT_EQ(trace.model->events(0).ts_ns[hot->evidence[0].ordinal], 20'000);
}

TEST(Verdict, AnIdleDeviceBehindACopyOnItIsFound) {
  TraceText t;
  t.op("aten::copy_", 0, 10, "\"External id\":1");
  t.slice("cuda_runtime", "cudaMemcpyAsync", "1", "1", 5, 2, R"("correlation":1,"External id":1)");
  t.slice("gpu_memcpy", "Memcpy DtoD (Device -> Device)", "0", "7", 905, 5, R"("device":0,"correlation":1,"External id":1,"bytes":100000)");
  const TraceOnDisk trace(t);
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  const VerdictFinding* wait = first_of(*findings, "copy_wait");
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->gain_ns, 900'000);
  EXPECT_NE(wait->text.find("until a copy of aten::copy_ starts"), std::string::npos) << wait->text;
}

TEST(Verdict, TheOverheadOfTheWatchingIsNoGain) {
  const TraceOnDisk trace(eps_copy());
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  const VerdictFinding* overhead = first_of(*findings, "execution_overhead");
  ASSERT_NE(overhead, nullptr);
  EXPECT_EQ(overhead->gain_ns, 15000);  // two executions, one stays; the capture's 70 us are not in it
  int64_t sum = 0;
  for (const VerdictFinding& finding : *findings) sum += finding.gain_ns;
  EXPECT_LE(sum, 15000 + 5000 + 5000);  // and 5 us until the first kernel starts
  const VerdictFinding* limit = first_of(*findings, "cannot_tell");
  ASSERT_NE(limit, nullptr);
  EXPECT_NE(limit->text.find("0.140 ms"), std::string::npos) << limit->text;
}

TEST(Verdict, SimLagIsInNoGain) {
  TraceText t;
  t.op("aten::mul", 0, 5).slice("privateuse1_runtime", "nrta_execute_schedule", "1", "1", 1, 2, "\"correlation\":1,\"device\":0");
  t.slice("kernel", "k", "0", "0", 1, 9, "\"correlation\":1,\"device\":0").slice("neuron_hw", "sim_lag", "0", "0", 10, 80, "\"device\":0");
  t.op("aten::mul", 91, 95).slice("privateuse1_runtime", "nrta_execute_schedule", "1", "1", 92, 1, "\"correlation\":2,\"device\":0");
  t.slice("kernel", "k", "0", "0", 92, 8, "\"correlation\":2,\"device\":0");
  const TraceOnDisk trace(t);
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  int64_t sum = 0;
  bool told = false;
  for (const VerdictFinding& finding : *findings) {
    sum += finding.gain_ns;
    told |= finding.kind == "cannot_tell" && finding.text.find("0.080 ms") != std::string::npos;
  }
  EXPECT_EQ(sum, 2000);  // 90 to 92: the host
  EXPECT_TRUE(told);
}

TEST(Verdict, IdleTimeCountsOnceAndTheLargestGainComesFirst) {
  TraceText t;
  t.op("aten::mul", 0, 5).call("cudaLaunchKernel", 1, 2, 1).kernel("k", 3, 10, 1);
  t.op("aten::item", 12, 60).call("cudaStreamSynchronize", 15, 50, 2);
  t.op("aten::add", 70, 200).call("cudaMalloc", 80, 110, 3).call("cudaLaunchKernel", 195, 196, 4).kernel("k", 198, 205, 4);
  const TraceOnDisk trace(t);
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  std::map<std::string, int64_t> gains;
  int64_t last = std::numeric_limits<int64_t>::max(), sum = 0;
  for (const VerdictFinding& finding : *findings) {
    gains[std::string(finding.kind)] += finding.gain_ns;
    EXPECT_LE(finding.gain_ns, last);
    last = finding.gain_ns;
    sum += finding.gain_ns;
  }
  EXPECT_EQ(gains["sync"], 35000);
  EXPECT_EQ(gains["allocate"], 30000);
  EXPECT_EQ(gains["launch_latency"], 2000 + 3000);
  EXPECT_EQ(gains["host_bound"], 185000 - 35000 - 30000);
  EXPECT_EQ(sum, 2000 + 3000 + 185000);
  EXPECT_EQ(findings->front().kind, "host_bound");
  EXPECT_NE(findings->front().text.find("aten::add"), std::string::npos);
}

TEST(Verdict, AFileOfTheHostOnlySaysWhatItCannotTell) {
  TraceText t;
  t.op("aten::mul", 0, 50).op("aten::add", 60, 70);
  const TraceOnDisk trace(t);
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  const VerdictFinding* hot = first_of(*findings, "hot_op");
  ASSERT_NE(hot, nullptr);
  EXPECT_NE(hot->text.find("aten::mul"), std::string::npos);
  EXPECT_EQ(findings->back().kind, "cannot_tell");
}

TEST_F(SharedTraces, OfRealFilesHasEvidenceForEveryGain) {
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const auto model = open(path);
    const auto findings = find_verdict(*model);
    ASSERT_TRUE(findings.ok());
    ASSERT_FALSE(findings->empty());
    int64_t idle = 0;
    for (const VerdictFinding& finding : *findings) {
      EXPECT_GE(finding.gain_ns, 0) << finding.text;
      if (finding.gain_ns > 0) {
        EXPECT_FALSE(finding.evidence.empty()) << finding.text;
        if (finding.kind == "host_bound" || finding.kind == "sync" || finding.kind == "launch_latency") idle += finding.gain_ns;
      }
      for (const schema::EventId id : finding.evidence) EXPECT_LT(id.ordinal, model->events(id.part).rows());
    }
    EXPECT_LE(idle, (model->end_ns() - model->begin_ns()) * static_cast<int64_t>(model->devices().size()));
  }
}

}  // namespace
}  // namespace lanewise::trace::analysis
