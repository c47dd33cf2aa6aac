// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reported faults of other tools that tied the wrong things together, or showed nothing where a part of a file is missing; each as a
// small trace of our own. The report stands in the test.
#include <gtest/gtest.h>

#include <string>

#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/table_fixture.h"
#include "trace/analysis/trace_on_disk.h"

namespace lanewise::trace::analysis {
namespace {


std::string arrow(char phase, const std::string& cat, int64_t id, int pid, int tid, int ts) {
  return std::string("{\"ph\":\"") + phase + R"(","bp":"e","cat":")" + cat + R"(","name":")" + cat + "\",\"id\":" + std::to_string(id) +
         ",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) + ",\"ts\":" + std::to_string(ts) + "}";
}

TraceText of_rank(int rank, TraceText t) {
  t.root = "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " + std::to_string(rank) + ", \"world_size\": 2}, ";
  return t;
}

// TraceLens#577: ranks that share pids and correlation ids had their kernels under the wrong rank's operator.
TEST(ReportedLinks, RanksThatShareIdsKeepTheirOwnOperators) {
  TraceText zero, one;
  zero.op("zero::op", 0, 10).call("cudaLaunchKernel", 1, 2, 5).kernel("k", 20, 25, 5);
  one.op("one::op", 0, 10).call("cudaLaunchKernel", 1, 2, 5).kernel("k", 30, 40, 5);
  const TraceOnDisk trace({of_rank(0, zero), of_rank(1, one)});
  const Table kernels = answer_of(*trace.model, "kernels");
  EXPECT_EQ(cells(kernels, "part", "0", {"op", "sum_ns"}), "zero::op 5000");
  EXPECT_EQ(cells(kernels, "part", "1", {"op", "sum_ns"}), "one::op 10000");
}

// google/perfetto#978, triton#10956: one flow id in two files joined kernels of both.
TEST(ReportedLinks, ArrowsStayInTheirFile) {
  TraceText zero, one;
  zero.call("cudaLaunchKernel", 0, 5, 900).event(arrow('s', "ac2g", 1, 1, 1, 0));
  one.kernel("k", 10, 20, -1).event(arrow('f', "ac2g", 1, 0, 7, 10));
  const TraceOnDisk trace({of_rank(0, zero), of_rank(1, one)});
  EXPECT_EQ(cells(answer_of(*trace.model, "links"), "name", "k", {"call_method"}), "none");
}

// pytorch/pytorch#124388, #120185, #122833, #123640, Torch-FL#55: External id and correlation are two spaces of numbers.
TEST(ReportedLinks, AnExternalIdIsNoCorrelation) {
  TraceText t;
  t.op("right", 0, 10, "\"External id\":1").op("wrong", 20, 30, "\"External id\":2");
  t.slice("cuda_runtime", "cudaLaunchKernel", "1", "1", 2, 2, R"("correlation":2,"External id":1)");
  t.slice("kernel", "k", "0", "7", 40, 5, R"("device":0,"correlation":2,"External id":1)");
  EXPECT_EQ(cells(answer_of(*open_model(t), "links"), "name", "k", {"op_name", "op_method", "call_method"}), "right external_id correlation");
}

// pytorch/pytorch#184792: an arrow that starts twice; pytorch/pytorch#194904, kineto#1549: arrows that end on a row of the host.
TEST(ReportedLinks, AnArrowsEndBelongsToTheLastStartAndOnlyToADevice) {
  TraceText t;
  t.call("cudaLaunchKernel", 0, 5, 900).call("cudaLaunchKernel", 10, 15, 901).event(arrow('s', "ac2g", 1, 1, 1, 0)).event(arrow('s', "ac2g", 1, 1, 1, 10));
  t.kernel("k", 20, 30, -1).event(arrow('f', "ac2g", 1, 0, 7, 20)).event(arrow('f', "ac2g", 1, 1, 1, 12));
  const auto model = open_model(t);
  const Table links = answer_of(*model, "links");
  ASSERT_EQ(links.rows(), 1u);
  EXPECT_EQ(cells(links, "name", "k", {"call_method", "latency_ns"}), "flow 10000");
}

// pytorch/pytorch#190787, #184273: arrows of 2^40 and more join nodes of a graph on the device; they launch nothing.
TEST(ReportedLinks, ArrowsBetweenNodesOfAGraphAreNoLaunches) {
  TraceText t;
  t.kernel("first", 0, 10, -1).kernel("second", 20, 30, -1, 8);
  t.event(arrow('s', "ac2g", int64_t{1} << 40, 0, 7, 5)).event(arrow('f', "ac2g", int64_t{1} << 40, 0, 8, 20));
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "links"), "name", "second", {"call_method", "op_method"}), "none none");
}

// kineto#1324: ids that wrapped around 32 bits; TraceLens#456: ids above them.
TEST(ReportedLinks, NegativeAndLargeIdsLink) {
  TraceText t;
  t.slice("cuda_runtime", "cudaLaunchKernel", "1", "1", 0, 2, R"("correlation":-5)").slice("kernel", "negative", "0", "7", 5, 2, R"("device":0,"correlation":-5)");
  t.slice("cuda_runtime", "cudaLaunchKernel", "1", "1", 10, 2, R"("correlation":2147483648)");
  t.slice("kernel", "large", "0", "7", 15, 2, R"("device":0,"correlation":2147483648)");
  const Table links = answer_of(*open_model(t), "links");
  EXPECT_EQ(cells(links, "name", "negative", {"call_method", "latency_ns"}), "correlation 5000");
  EXPECT_EQ(cells(links, "name", "large", {"call_method", "latency_ns"}), "correlation 5000");
}

// torchtune#1662, kineto#915: without External id every operator had device time 0.
TEST(ReportedLinks, WithoutExternalIdTheOperatorAroundTheLaunchHasTheTime) {
  TraceText t;
  t.op("aten::mm", 0, 10).call("cudaLaunchKernel", 2, 4, 1).kernel("k", 20, 30, 1);
  EXPECT_EQ(cells(answer_of(*open_model(t), "ops"), "name", "aten::mm", {"self_device_ns"}), "10000");
}

// pytorch/pytorch#159771: rows of one thread carry two thread ids.
TEST(ReportedLinks, AThreadWithTwoIdsIsTiedTogetherByExternalId) {
  TraceText t;
  t.op("aten::mm", 0, 10, "\"External id\":3");
  t.slice("cuda_runtime", "cudaLaunchKernel", "1", "4294967", 2, 2, R"("correlation":8,"External id":3)").kernel("k", 20, 30, 8);
  EXPECT_EQ(cells(answer_of(*open_model(t), "ops"), "name", "aten::mm", {"self_device_ns"}), "10000");
}

// pytorch/pytorch#149757, kineto#1061: pid 0 is a process and device 0, and a thread has the number of a stream.
TEST(ReportedLinks, AThreadAndAStreamOfOneNumberDoNotNest) {
  TraceText t;
  t.slice("cpu_op", "aten::mm", "0", "7", 0, 100).slice("cuda_runtime", "cudaLaunchKernel", "0", "7", 10, 5, "\"correlation\":1");
  t.kernel("k", 20, 30, 1).slice("kernel", "text", "0", "\"stream 7\"", 40, 10, "\"device\":0");
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "ops"), "name", "aten::mm", {"self_cpu_ns", "device_ns"}), "95000 10000");
  EXPECT_EQ(cells(answer_of(*model, "gaps", "devices"), "device", "cuda:0", {"busy_ns"}), "20000");
  EXPECT_EQ(cells(answer_of(*model, "health"), "check", "crossing_slices", {"count"}), "0");
}

// pytorch/pytorch#144778: kernels of backward were under no record_function.
TEST(ReportedLinks, BackwardWorkBelongsToTheRangeOfItsForwardOperator) {
  TraceText t;
  t.slice("user_annotation", "block", "1", "1", 0, 50).op("aten::mm", 10, 20, "\"Sequence number\":3");
  t.slice("cpu_op", "MmBackward0", "1", "2", 100, 30, R"("Sequence number":3,"Fwd thread id":1)");
  t.call("cudaLaunchKernel", 110, 112, 1, "2").kernel("k", 120, 140, 1);
  EXPECT_EQ(cells(answer_of(*open_model(t), "annotations"), "name", "block", {"kernels", "backward_kernels", "backward_ns"}), "0 1 20000");
}

// Hyperloom#946, tracy#1318: kernels of a replayed graph were in no table.
TEST(ReportedLinks, KernelsOfAReplayAreInEveryTable) {
  TraceText t;
  t.op("replay", 0, 10).call("cudaGraphLaunch", 2, 5, 1);
  for (int i = 0; i < 5; ++i) t.kernel(i == 2 ? "attention" : "k", 20 + 10 * i, 25 + 10 * i, 1);
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "ops"), "name", "attention", {"device_type", "calls", "device_ns"}), "CUDA 1 5000");
  EXPECT_EQ(cells(answer_of(*model, "ops"), "name", "replay", {"self_device_ns"}), "25000");
  EXPECT_EQ(cells(answer_of(*model, "links"), "name", "attention", {"call_method", "behind_call"}), "graph_replay 5");
}

// HTA#61: cudaLaunchKernelExC and its likes were no launches.
TEST(ReportedLinks, EveryKindOfLaunchIsALaunch) {
  const char* const calls[][2] = {{"cuda_runtime", "cudaLaunchKernelExC"}, {"cuda_driver", "cuLaunchKernelEx"}, {"cuda_runtime", "hipExtModuleLaunchKernel"},
                                  {"xpu_runtime", "urEnqueueKernelLaunchWithArgsExp"}};
  for (const auto& [category, name] : calls) {
    TraceText t;
    t.slice(category, name, "1", "1", 0, 2, "\"correlation\":1").kernel("k", 5, 8, 1);
    EXPECT_EQ(cells(answer_of(*open_model(t), "launches"), "name", name, {"calls", "latency_median_ns"}), "1 5000") << name;
  }
}

// HTA#364: runtime calls of MTIA were no part of the way from an operator to the device.
TEST(ReportedLinks, TheWayToAnMtiaDeviceLeadsOverItsCall) {
  TraceText t;
  t.op("aten::mm", 0, 20).slice("mtia_runtime", "runFunction", "1", "1", 5, 5, "\"correlation\":9");
  t.slice("mtia_ccp_events", "fc", "0", "3", 30, 10, R"("correlation":9)");
  QuestionOptions options;
  options.selection.name = "fc";
  const Table chain = answer_of(*open_model(t), "chain", "", options);
  EXPECT_EQ(cells(chain, "role", "op", {"name"}), "aten::mm");
  EXPECT_EQ(cells(chain, "role", "call", {"name", "method"}), "runFunction correlation");
  EXPECT_EQ(cells(chain, "role", "device", {"name"}), "fc");
}

// xprof#3070, TraceLens#501: device work that nothing is tied to must be in the totals.
TEST(ReportedLinks, WorkWithoutAnOperatorIsInTheTotals) {
  TraceText t;
  t.event(R"({"ph":"X","cat":"kernel","name":"fusion.1","pid":1001,"tid":1,"ts":0,"dur":5})").event(R"({"ph":"X","cat":"kernel","name":"fusion.1","pid":1008,"tid":1,"ts":0,"dur":7})");
  const auto model = open_model(t);
  const Table devices = answer_of(*model, "gaps", "devices");
  EXPECT_EQ(cells(devices, "device", "cuda:1001", {"busy_ns"}), "5000");
  EXPECT_EQ(cells(devices, "device", "cuda:1008", {"busy_ns"}), "7000");
  EXPECT_EQ(cells(answer_of(*model, "health"), "check", "device_event_without_call", {"count"}), "2");
}

// intel/torch-xpu-ops#3985, pytorch/pytorch#169357: calls without device rows; the device part was silently off.
TEST(ReportedLinks, CallsWithoutDeviceRowsAreTold) {
  TraceText t;
  t.op("aten::mm", 0, 10).slice("xpu_runtime", "urEnqueueKernelLaunch", "1", "1", 2, 2, "\"correlation\":1");
  const auto model = open_model(t);
  EXPECT_EQ(answer_of(*model, "gaps", "devices").rows(), 0u);
  EXPECT_EQ(cells(answer_of(*model, "health"), "check", "missing_device_rows", {"state"}), "problem");
  EXPECT_EQ(cells(answer_of(*model, "summary", "trust"), "check", "missing_device_rows", {"count"}), "1");
  EXPECT_NE(cells(answer_of(*model, "verdict"), "kind", "cannot_tell", {"kind"}), "");
}

// pytorch/pytorch#166121: profile_memory was on, and there is no memory row.
TEST(ReportedLinks, NoMemoryRowsAreTold) {
  TraceText t;
  t.root = "\"profile_memory\": 1, ";
  t.op("aten::mm", 0, 10);
  const auto model = open_model(t);
  EXPECT_EQ(answer_of(*model, "memory").rows(), 0u);
  EXPECT_EQ(cells(answer_of(*model, "health"), "check", "missing_memory_rows", {"state"}), "problem");
}

// kineto#991, #1082, roctracer#105, pytorch/pytorch#188956: calls before their parent, kernels before their launch.
TEST(ReportedLinks, AKernelBeforeItsLaunchIsTied) {
  TraceText t;
  t.op("aten::mm", 10, 20).call("cudaLaunchKernel", 12, 14, 1).kernel("k", 5, 8, 1);
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "links"), "name", "k", {"op_name", "latency_ns"}), "aten::mm -7000");
  EXPECT_EQ(cells(answer_of(*model, "health"), "check", "kernel_before_launch", {"state", "count"}), "problem 1");
}

// pytorch/pytorch#177947: six rules of consistency. Two of them (kernels before their launch, waits that end early): health_test.cc.
TEST(ReportedLinks, RecordsThatContradictEachOther) {
  const auto wait = [](int ts, const std::string& record) {
    return R"({"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":8,"ts":)" + std::to_string(ts) +
           R"(,"dur":1,"args":{"stream":8,"device":0,"wait_on_stream":7,"wait_on_cuda_event_record_corr_id":)" + record + "}}";
  };
  TraceText t;
  t.call("cudaEventRecord", 10, 11, 50).event(wait(20, "50")).event(wait(30, "77")).event(wait(31, "-1")).event(wait(5, "50"));
  const std::string whole = R"("device":0,"Collective name":"allreduce","dtype":"Float","In msg nelems":4,"Out msg nelems":4,"Group size":2)";
  t.slice("kernel", "ncclDevKernel_AllReduce", "0", "9", 40, 5, whole).slice("kernel", "ncclDevKernel_AllReduce", "0", "9", 50, 5, R"("device":0,"dtype":"Float")");
  const std::string backward = R"("Sequence number":3,"Fwd thread id":1)";
  t.slice("cpu_op", "AddBackward0", "1", "2", 0, 10, backward).slice("cpu_op", "inside", "1", "2", 2, 5, backward).slice("cpu_op", "MulBackward0", "1", "2", 20, 10, backward);
  t.slice("cpu_op", "alone", "1", "2", 40, 10, R"("Sequence number":4,"Fwd thread id":1)");
  const auto model = open_model(t);
  const Table checks = answer_of(*model, "health");
  EXPECT_EQ(cells(checks, "check", "wait_without_record", {"state", "count", "of"}), "note 2 4");
  EXPECT_EQ(cells(checks, "check", "record_after_wait", {"state", "count", "of"}), "problem 1 4");
  EXPECT_EQ(cells(checks, "check", "bare_collective", {"state", "count", "of"}), "note 1 2");
  EXPECT_EQ(cells(checks, "check", "shared_sequence", {"state", "count", "of"}), "note 1 2");
  const Table rows = answer_of(*model, "health", "rows");
  EXPECT_EQ(cells(rows, "kind", "record_after_wait", {"value_ns"}), "5000");
  EXPECT_EQ(cells(rows, "kind", "bare_collective", {"text"}), "does not tell Collective name, In msg nelems, Out msg nelems, Group size");
  EXPECT_EQ(cells(rows, "kind", "shared_sequence", {"event"}), std::to_string(row_named(*model, "MulBackward0")));
}

// --- parts that are missing

// HTA#16, #107, #238, chakra#162, kineto#446: a name that never occurs, no rank, no steps, only the device. Every question answers.
TEST(ReportedLinks, EveryQuestionAnswersWhereAPartIsMissing) {
  TraceText host, device, calls, launcher;
  host.op("aten::add", 0, 10);
  device.kernel("k", 0, 10, 4).kernel("k", 20, 30, 5);
  calls.call("cudaLaunchKernel", 0, 10, 4);
  launcher.event(R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}})");
  for (const TraceText* text : {&host, &device, &calls, &launcher}) {
    const auto model = open_model(*text);
    for (const Question& question : questions()) {
      if (question.about_one_event()) continue;
      EXPECT_TRUE(question.answer(*model, {}).ok()) << question.name << " of " << text->events;
    }
  }
  EXPECT_EQ(cells(answer_of(*open_model(device), "gaps", "devices"), "device", "cuda:0", {"busy_ns", "causes.unknown"}), "20000 10000");
}

// dynolog#430, kineto#1060: launchers of a job write files without device events.
TEST(ReportedLinks, FilesOfLaunchersDoNotKeepRanksApart) {
  const auto rank = [](int number, int start) {
    TraceText t;
    t.kernel("ncclDevKernel_AllReduce", start, 100, -1, 9).kernel("ncclDevKernel_AllReduce", 200 + start, 300, -1, 9);
    return of_rank(number, t);
  };
  TraceText empty;
  empty.op("launch", 0, 1);
  const TraceOnDisk trace({empty, rank(0, 10), empty, rank(1, 40), empty});
  EXPECT_EQ(answer_of(*trace.model, "ranks").rows(), 5u);
  EXPECT_EQ(answer_of(*trace.model, "ranks", "unmatched").rows(), 0u);
  const Table collectives = answer_of(*trace.model, "ranks", "collectives");
  ASSERT_EQ(collectives.rows(), 2u);
  EXPECT_EQ(collectives["ranks"].integers[0], 2);
  EXPECT_EQ(collectives["spread_ns"].integers[0], 30'000);
  EXPECT_EQ(collectives["last_rank"].integers[0], 1);
}

// The same kernel of two process groups: each group is matched for itself.
TEST(ReportedLinks, CollectivesAreMatchedWithinTheirGroup) {
  const auto rank = [](int number, const std::string& group, int start) {
    TraceText t;
    t.slice("kernel", "ncclDevKernel_AllReduce", "0", "9", start, 50, R"("device":0,"Process Group Ranks":)" + group);
    return of_rank(number, t);
  };
  const TraceOnDisk trace({rank(0, "[0, 1]", 0), rank(1, "[0, 1]", 10), rank(2, "[2, 3]", 500), rank(3, "[2,3]", 505)});
  const Table collectives = answer_of(*trace.model, "ranks", "collectives");
  ASSERT_EQ(collectives.rows(), 2u);
  EXPECT_EQ(cells(collectives, "last_rank", "1", {"first_rank", "spread_ns", "ranks"}), "0 10000 2");
  EXPECT_EQ(cells(collectives, "last_rank", "3", {"first_rank", "spread_ns", "ranks"}), "2 5000 2");
}

// vllm-ascend#2295, #14359: profiles of several cards.
TEST(ReportedLinks, FourAscendCards) {
  std::vector<TraceText> cards;
  for (int card = 0; card < 4; ++card) {
    TraceText t;
    const std::string device = std::to_string(card);
    t.op("npu::add", 0, 10).slice("npu_runtime", "aclrtLaunchKernel", "1", "1", 2, 2, "\"correlation\":1");
    t.slice("npu_kernel", "Add", "\"" + device + "\"", "\"5\"", 20, 10 + card, "\"device\":" + device + ",\"correlation\":1");
    cards.push_back(of_rank(card, t));
  }
  const TraceOnDisk trace(cards);
  const Table devices = answer_of(*trace.model, "gaps", "devices");
  ASSERT_EQ(devices.rows(), 4u);
  EXPECT_EQ(cells(devices, "device", "npu:3", {"rank", "busy_ns"}), "3 13000");
}

// kineto#1080: a file of the device alone, on a clock of its own.
TEST(ReportedLinks, ADeviceOnAClockOfItsOwn) {
  TraceText t;
  t.event(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9000000000000.5,"dur":1,"args":{"device":0}})");
  t.event(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9000000000003.5,"dur":1,"args":{"device":0}})");
  EXPECT_EQ(cells(answer_of(*open_model(t), "gaps", "devices"), "device", "cuda:0", {"wall_ns", "busy_ns"}), "4000 2000");
}

// pytorch/pytorch#188264: two profiles of one process use the same ids.
TEST(ReportedLinks, TwoProfilesOfOneProcess) {
  TraceText first, second;
  first.op("first", 0, 10).call("cudaLaunchKernel", 2, 3, 1).kernel("k", 20, 30, 1);
  second.op("second", 0, 10).call("cudaLaunchKernel", 2, 3, 1).kernel("k", 20, 45, 1);
  const TraceOnDisk trace({first, second});
  EXPECT_EQ(cells(answer_of(*trace.model, "ops"), "name", "first", {"self_device_ns"}), "10000");
  EXPECT_EQ(cells(answer_of(*trace.model, "ops"), "name", "second", {"self_device_ns"}), "25000");
}

}  // namespace
}  // namespace lanewise::trace::analysis
