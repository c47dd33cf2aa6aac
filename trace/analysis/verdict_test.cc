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

TEST(Verdict, OneExecutionOfEachDeviceStays) {
  TraceText t;
  for (int i = 0; i < 4; ++i) {
    const std::string device = ",\"device\":" + std::to_string(i % 2), id = "\"correlation\":" + std::to_string(i + 1);
    t.slice("privateuse1_runtime", "nrta_execute_schedule", "1", "1", 100 * i, 2, id + device);
    t.slice("kernel", "k", std::to_string(i % 2), "0", 100 * i + 10, 50, id + device + ",\"exec overhead ns\":15000");
  }
  const TraceOnDisk trace(t);
  ASSERT_EQ(trace.model->devices().size(), 2u);
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  const VerdictFinding* overhead = first_of(*findings, "execution_overhead");
  ASSERT_NE(overhead, nullptr);
  EXPECT_EQ(overhead->gain_ns, 2 * 15'000);
}

// As the simulated device writes a dropout: the host reads the input, waits for it, and writes the results back.
TEST(Verdict, CopiesAndWaitsOfAFallbackAreTheFallbacks) {
  TraceText t;
  t.op("aten::mul", 0, 5, "\"External id\":1").slice("privateuse1_runtime", "nrta_execute_schedule", "1", "1", 1, 2, R"("correlation":1,"External id":1,"device":0)");
  t.slice("kernel", "mul", "0", "0", 3, 7, R"("correlation":1,"External id":1,"device":0)");
  t.op("aten::dropout", 20, 200, "\"External id\":2").op("aten::native_dropout", 21, 199, "\"External id\":3");
  t.slice("privateuse1_runtime", "neuron_host_fallback", "1", "1", 22, 176, R"("External id":3,"name":"aten::native_dropout","device":0,"stream":0,"correlation":2)");
  t.op("aten::copy_", 30, 80, "\"External id\":4").slice("privateuse1_runtime", "nrt_tensor_read", "1", "1", 31, 1, R"("External id":4,"bytes":131072,"correlation":3,"device":0)");
  t.slice("privateuse1_runtime", "nrt_synchronize", "1", "1", 33, 40, R"("correlation":4,"device":0,"stream":0)");
  t.slice("gpu_memcpy", "Memcpy DtoH", "0", "0", 40, 10, R"("External id":4,"correlation":3,"bytes":131072,"device":0)");
  t.op("aten::copy_", 150, 160, "\"External id\":5").slice("privateuse1_runtime", "nrt_tensor_write", "1", "1", 151, 2, R"("External id":5,"bytes":131072,"correlation":5,"device":0)");
  t.slice("gpu_memcpy", "Memcpy HtoD", "0", "0", 155, 10, R"("External id":5,"correlation":5,"bytes":131072,"device":0)");
  t.op("aten::add", 210, 215, "\"External id\":6").slice("privateuse1_runtime", "nrta_execute_schedule", "1", "1", 211, 2, R"("correlation":6,"External id":6,"device":0)");
  t.slice("kernel", "add", "0", "0", 213, 7, R"("correlation":6,"External id":6,"device":0)");
  const TraceOnDisk trace(t);
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  for (const char* kind : {"h2d_copy", "d2h_copy", "sync", "pageable_copy", "copy_wait"}) EXPECT_EQ(first_of(*findings, kind), nullptr) << kind;
  const VerdictFinding* fallback = first_of(*findings, "fallback");
  ASSERT_NE(fallback, nullptr);
  EXPECT_NE(fallback->text.find("aten::native_dropout has no kernel for the device and runs on the host, once, 176.0 us; for it 2 copies move 256.0 KiB"), std::string::npos) << fallback->text;
  EXPECT_NE(fallback->text.find("20.0 us on the device"), std::string::npos) << fallback->text;
  // From 22 to 198 the device did nothing but these copies: all of it would be free but the way of the second copy, which is told too.
  EXPECT_EQ(fallback->gain_ns, 176'000);
}

// Two steps that end with a wait, one with another wait in its middle, called from line 24 of a script that the profiler saw first at line 25.
TraceText waits() {
  TraceText t;
  const auto launch = [&](const char* op, int at, int kernel, int end, int id) {
    t.op(op, at, at + 4).call("cudaLaunchKernel", at + 1, at + 2, id).kernel("k", kernel, end, id);
  };
  const auto wait = [&](int at, int end, int id, int line) {
    t.slice("python_function", "lanewise/neuron/__init__.py(84): synchronize", "1", "1", at - 1, end - at + 2, "\"CallFrom\":\"train.py:" + std::to_string(line) + "\"");
    t.call("cudaDeviceSynchronize", at, end, id);
  };
  t.slice("python_function", "train.py(25): <module>", "1", "1", 0, 400);
  t.slice("user_annotation", "ProfilerStep#3", "1", "1", 1, 99).slice("user_annotation", "ProfilerStep#4", "1", "1", 100, 100);
  launch("aten::mul", 2, 4, 10, 1);
  wait(15, 50, 2, 24);
  launch("aten::add", 53, 55, 60, 3);
  wait(70, 90, 4, 26);
  launch("aten::mul", 110, 112, 120, 5);
  wait(130, 190, 6, 26);
  return t;
}

TEST(Verdict, AWaitAtTheEndOfAStepIsNoGain) {
  const TraceOnDisk trace(waits());
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  int syncs = 0;
  for (const VerdictFinding& finding : *findings) syncs += finding.kind == "sync";
  EXPECT_EQ(syncs, 1);
  const VerdictFinding* sync = first_of(*findings, "sync");
  ASSERT_NE(sync, nullptr);
  EXPECT_EQ(sync->gain_ns, 35'000);
  EXPECT_NE(sync->text.find("holds the host once"), std::string::npos) << sync->text;
}

TEST(Verdict, TheLineOfAFindingIsThatOfTheCall) {
  const TraceOnDisk trace(waits());
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  const VerdictFinding* sync = first_of(*findings, "sync");
  ASSERT_NE(sync, nullptr);
  EXPECT_EQ(sync->line.file, "train.py");
  EXPECT_EQ(sync->line.line, 24);
  EXPECT_NE(sync->text.find("called from its line 24"), std::string::npos) << sync->text;
}

TEST(Verdict, WithoutStepsTheLastWaitOfTheFileIsNoGain) {
  TraceText t;
  t.op("aten::mul", 0, 5).call("cudaLaunchKernel", 1, 2, 1).kernel("k", 3, 10, 1).call("cudaDeviceSynchronize", 15, 90, 2);
  t.slice("cuda_runtime", "cudaGetLastError", "1", "1", 95, 1);
  const TraceOnDisk trace(t);
  const auto findings = find_verdict(*trace.model);
  ASSERT_TRUE(findings.ok());
  EXPECT_EQ(first_of(*findings, "sync"), nullptr);
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
    const auto kinds = verdict_kinds();
    for (const VerdictFinding& finding : *findings) {
      EXPECT_GE(finding.gain_ns, 0) << finding.text;
      EXPECT_NE(std::find(kinds.begin(), kinds.end(), finding.kind), kinds.end()) << finding.kind;
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
