// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reported faults of other tools whose numbers were wrong, each as a small trace of our own with the answer worked out by hand. The
// report stands in the test. Of the file itself: reported_faults_test.cc; of links: reported_link_faults_test.cc.
#include <gtest/gtest.h>

#include <string>

#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/table_fixture.h"
#include "trace/analysis/trace_on_disk.h"

namespace lanewise::trace::analysis {
namespace {


// pytorch/pytorch#60783, #94972, #45209: wrappers counted twice. The time of a nested operator is its own, and self columns add up.
TEST(ReportedNumbers, SelfTimesOfNestedOperatorsAddUp) {
  TraceText t;
  t.op("aten::linear", 0, 100, "\"External id\":1").op("aten::addmm", 10, 90, "\"External id\":2").call("cudaLaunchKernel", 20, 30, 5);
  t.kernel("gemm", 40, 70, 5);
  const auto model = open_model(t);
  const Table ops = answer_of(*model, "ops");
  EXPECT_EQ(cells(ops, "name", "aten::linear", {"self_cpu_ns", "cpu_ns", "self_device_ns", "device_ns"}), "20000 100000 0 30000");
  EXPECT_EQ(cells(ops, "name", "aten::addmm", {"self_cpu_ns", "cpu_ns", "self_device_ns", "device_ns"}), "70000 80000 30000 30000");
  int64_t self_cpu = 0, self_device = 0;
  for (size_t row = 0; row < ops.rows(); ++row) {
    self_cpu += ops["self_cpu_ns"].integers[row];
    if (ops["device_type"].texts[row] == "CPU") self_device += ops["self_device_ns"].integers[row];
  }
  EXPECT_EQ(self_cpu, 100'000);
  EXPECT_EQ(self_device, 30'000);
}

// pytorch/pytorch#43869: asking twice changed the answer.
TEST(ReportedNumbers, AskingTwiceGivesTheSameTable) {
  TraceText t;
  t.op("a", 0, 100).op("b", 10, 20).op("b", 30, 40);
  const auto model = open_model(t);
  const Table first = answer_of(*model, "ops"), second = answer_of(*model, "ops");
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(cells(first, "name", name, {"calls", "self_cpu_ns", "cpu_ns"}), cells(second, "name", name, {"calls", "self_cpu_ns", "cpu_ns"}));
  }
  EXPECT_EQ(cells(first, "name", "a", {"self_cpu_ns"}), "80000");
}

// pytorch/pytorch#130730, #130732: ranges of annotations on the device were added to the device's total.
TEST(ReportedNumbers, ARangeOnTheDeviceIsNoWork) {
  TraceText t;
  t.slice("user_annotation", "range", "1", "1", 0, 50).op("aten::mm", 5, 20).call("cudaLaunchKernel", 6, 10, 1).kernel("k", 12, 22, 1);
  t.slice("gpu_user_annotation", "range", "0", "7", 12, 30, "\"device\":0");
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "gaps", "devices"), "device", "cuda:0", {"busy_ns", "wall_ns"}), "10000 50000");
  const Table ops = answer_of(*model, "ops");
  for (size_t row = 0; row < ops.rows(); ++row) {
    if (ops["name"].texts[row] == "range" && ops["device_type"].texts[row] == "CPU") { EXPECT_EQ(ops["device_ns"].integers[row], 10'000); }
  }
  EXPECT_EQ(cells(answer_of(*model, "annotations"), "name", "range", {"device_ns", "recorded_ns"}), "10000 30000");
  EXPECT_EQ(answer_of(*model, "kernels").rows(), 1u);
}

// pytorch/pytorch#193392, #193924, #196282: overhead rows and calls without an operator multiplied device time (16415 %).
TEST(ReportedNumbers, OperatorsHaveNoMoreDeviceTimeThanTheDevice) {
  TraceText t;
  t.op("aten::mm", 0, 50, "\"External id\":1").slice("overhead", "Activity Buffer Request", "1", "1", 5, 20);
  t.call("cudaLaunchKernel", 30, 35, 1).call("cudaGetDevice", 60, 61, 2).call("cudaLaunchKernel", 62, 64, 3);
  t.kernel("k", 40, 60, 1).kernel("loose", 70, 75, 3);
  const auto model = open_model(t);
  const Table ops = answer_of(*model, "ops"), kernels = answer_of(*model, "kernels");
  int64_t of_ops = 0, of_device = 0;
  for (size_t row = 0; row < ops.rows(); ++row) {
    if (ops["device_type"].texts[row] == "CPU") of_ops += ops["self_device_ns"].integers[row];
  }
  for (size_t row = 0; row < kernels.rows(); ++row) of_device += kernels["sum_ns"].integers[row];
  EXPECT_EQ(of_ops, 20'000);
  EXPECT_EQ(of_device, 25'000);
  EXPECT_EQ(cells(ops, "name", "Activity Buffer Request", {"self_cpu_ns", "device_ns"}), "20000 0");
}

// pytorch/pytorch#186433, #166205: rows of the driver were taken for device work.
TEST(ReportedNumbers, DriverCallsAreOfTheHost) {
  TraceText t;
  t.slice("cuda_driver", "cuLaunchKernelEx", "1", "1", 0, 10, "\"correlation\":4").kernel("k", 20, 25, 4);
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "ops"), "name", "cuLaunchKernelEx", {"device_type", "self_cpu_ns", "device_ns"}), "CPU 10000 0");
  EXPECT_EQ(cells(answer_of(*model, "gaps", "devices"), "device", "cuda:0", {"busy_ns"}), "5000");
}

// AMD-AGI/TraceLens#669: durations that run over the next slice made sums of more than the file is long.
TEST(ReportedNumbers, ADurationOverItsNeighboursHasASumAUnionAndAClippedSum) {
  TraceText t;
  t.kernel("fmha", 0, 2000, -1).kernel("other", 10, 20, -1).kernel("fmha", 30, 50, -1);
  const auto model = open_model(t);
  const Table kernels = answer_of(*model, "kernels");
  EXPECT_EQ(cells(kernels, "name", "fmha", {"calls", "sum_ns", "union_ns", "clipped_ns", "max_ns"}), "2 2020000 2000000 30000 2000000");
  EXPECT_EQ(cells(kernels, "name", "other", {"sum_ns", "union_ns", "clipped_ns"}), "10000 10000 10000");
  EXPECT_EQ(cells(answer_of(*model, "gaps", "devices"), "device", "cuda:0", {"busy_ns"}), "2000000");
  EXPECT_EQ(cells(answer_of(*model, "health"), "check", "overlap_on_lane", {"state", "count"}), "note 2");
}

// google/perfetto#4280, janestreet/perfetto#35: the second of two kernels that overlap on one stream vanished.
TEST(ReportedNumbers, AKernelThatStartsInsideAnotherCountsInBothSums) {
  TraceText t;
  t.call("cudaLaunchKernel", 0, 1, 1).call("cudaLaunchKernel", 2, 3, 2).kernel("primary", 5, 15, 1).kernel("secondary", 13, 23, 2);
  const auto model = open_model(t);
  const Table kernels = answer_of(*model, "kernels");
  EXPECT_EQ(cells(kernels, "name", "primary", {"sum_ns", "clipped_ns"}), "10000 8000");
  EXPECT_EQ(cells(kernels, "name", "secondary", {"sum_ns", "clipped_ns"}), "10000 10000");
  EXPECT_EQ(cells(answer_of(*model, "gaps", "devices"), "device", "cuda:0", {"busy_ns"}), "18000");
}

// parcagpu#23, kineto#646, pytorch/pytorch#150131: ends before starts. No length, named by health, and no column below zero.
TEST(ReportedNumbers, AnEndBeforeItsStartHasNoLength) {
  TraceText t;
  t.op("unfinished", 0, -900'000).op("parent", 0, 100).op("child", 10, -1'000);
  t.kernel("k", 20, 30, -1).kernel("k", 40, 10, -1);
  const auto model = open_model(t);
  const Table ops = answer_of(*model, "ops");
  for (size_t row = 0; row < ops.rows(); ++row) {
    for (const char* column : {"self_cpu_ns", "cpu_ns", "self_device_ns", "device_ns"}) EXPECT_GE(ops[column].integers[row], 0) << ops["name"].texts[row];
  }
  EXPECT_EQ(cells(ops, "name", "parent", {"self_cpu_ns", "cpu_ns"}), "100000 100000");
  EXPECT_EQ(cells(answer_of(*model, "tree"), "name", "parent", {"self_ns", "total_ns"}), "100000 100000");
  EXPECT_EQ(cells(answer_of(*model, "kernels"), "name", "k", {"calls", "sum_ns", "min_ns"}), "2 10000 0");
  EXPECT_EQ(cells(answer_of(*model, "health"), "check", "negative_durations", {"state", "count"}), "problem 3");
}

// kineto#109, parcagpu#23: records of start 0 and length 0 in a file of epoch stamps stretch the picture to 1970.
TEST(ReportedNumbers, RecordsThatWereNeverFilledInStretchNothing) {
  TraceText t;
  for (int i = 0; i < 10; ++i) {
    t.event(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":17000000000000)" + std::to_string(10 + i) + R"(,"dur":1,"args":{"device":0}})");
    t.event(R"({"ph":"X","cat":"kernel","name":"empty","pid":0,"tid":7,"ts":0,"dur":0,"args":{"device":0}})");
  }
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "gaps", "devices"), "device", "cuda:0", {"wall_ns", "busy_ns"}), "10000 10000");
  EXPECT_EQ(cells(answer_of(*model, "summary", "trust"), "check", "stray_times", {"count"}), "10");
  EXPECT_EQ(answer_of(*model, "kernels").rows(), 1u);
}

// google/perfetto#6421: one stamp far from the rest, everything else drawn at one instant.
TEST(ReportedNumbers, OneStampFarFromTheRestIsLeftOutAndCounted) {
  TraceText t;
  for (int i = 0; i < 40; ++i) t.op("op", 10 * i, 10 * i + 10);
  t.event(R"({"ph":"X","cat":"cpu_op","name":"far","pid":1,"tid":1,"ts":90000000000000,"dur":5})");
  auto model = open_model(t);
  EXPECT_EQ(model->end_ns() - model->begin_ns(), 400'000);
  EXPECT_EQ(cells(answer_of(*model, "ops"), "name", "op", {"calls"}), "40");
  EXPECT_EQ(cells(answer_of(*model, "ops"), "name", "far", {"calls"}), "");
  EXPECT_EQ(cells(answer_of(*model, "summary", "trust"), "check", "stray_times", {"count"}), "1");
  // A profile with a break of hours is no damage.
  TraceText two;
  for (int i = 0; i < 10; ++i) two.op("early", 10 * i, 10 * i + 10);
  for (int i = 0; i < 5; ++i) two.event(R"({"ph":"X","cat":"cpu_op","name":"late","pid":1,"tid":1,"ts":900000000000)" + std::to_string(i) + R"(,"dur":1})");
  model = open_model(two);
  EXPECT_EQ(cells(answer_of(*model, "ops"), "name", "late", {"calls"}), "5");
  EXPECT_EQ(cells(answer_of(*model, "summary", "trust"), "check", "stray_times", {"count"}), "0");
}

// kineto#136: a kernel of no length at the start of its neighbour.
TEST(ReportedNumbers, AKernelOfNoLengthIsACallWithoutTime) {
  TraceText t;
  t.kernel("zero", 5, 5, -1).kernel("k", 5, 8, -1);
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "kernels"), "name", "zero", {"calls", "sum_ns"}), "1 0");
  EXPECT_EQ(cells(answer_of(*model, "health"), "check", "overlap_on_lane", {"count"}), "0");
}

// pytorch/pytorch#101861, #129554, HTA#317, #342, TraceLens#603, #682: a child that ends after its parent.
TEST(ReportedNumbers, AChildOneTickLongerIsAChildAndOneLongerThanThatCrosses) {
  TraceText t;
  t.op("parent", 0, 10).call("cudaLaunchKernel", 4, 11, 1).kernel("k", 20, 25, 1);
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "kernels"), "name", "k", {"op"}), "parent");
  EXPECT_EQ(cells(answer_of(*model, "health"), "check", "crossing_slices", {"count"}), "0");
  t.op("parent 2", 100, 110).call("cudaLaunchKernel", 104, 150, 2).kernel("k2", 200, 205, 2);
  const auto crossed = open_model(t);
  EXPECT_EQ(cells(answer_of(*crossed, "health"), "check", "crossing_slices", {"state", "count"}), "note 1");
  EXPECT_EQ(cells(answer_of(*crossed, "kernels"), "name", "k2", {"sum_ns", "linked"}), "5000 0");
}

// HTA#113, chakra#134, #189, kineto#890, #914, #992: equal starts and slices without length made cycles.
TEST(ReportedNumbers, EqualStartsMakeATree) {
  TraceText t;
  t.op("a", 1, 1).op("b", 1, 1).op("long", 1, 5).op("longer", 1, 9).op("same", 1, 9);
  const auto model = open_model(t);
  const Table tree = answer_of(*model, "tree");
  EXPECT_EQ(cells(tree, "name", "longer", {"depth"}), "1");
  EXPECT_EQ(cells(tree, "name", "same", {"depth"}), "2");
  EXPECT_EQ(cells(tree, "name", "long", {"depth"}), "3");
  EXPECT_EQ(cells(tree, "name", "longer", {"self_ns"}), "0");
}

// pytorch/pytorch#188520: a thread that waits through the whole window was half of the operators' time.
TEST(ReportedNumbers, APythonThreadThatWaitsIsNoOperator) {
  TraceText t;
  t.op("aten::mm", 0, 10).slice("python_function", "threading.py(589): wait", "1", "2", 0, 1000);
  const auto model = open_model(t);
  const Table ops = answer_of(*model, "ops");
  EXPECT_EQ(ops.rows(), 1u);
  EXPECT_EQ(cells(ops, "name", "aten::mm", {"self_cpu_ns"}), "10000");
  EXPECT_EQ(cells(answer_of(*model, "tree"), "name", "threading.py(589): wait", {"self_ns"}), "1000000");
}

// pytorch/pytorch#189794, #190950, #193440, #174555: frames that were never closed end with the profile and cross what is around them.
TEST(ReportedNumbers, AFrameThatNeverClosedCrossesAndTakesNothingAway) {
  TraceText t;
  t.slice("user_annotation", "ProfilerStep#1", "1", "1", 0, 100).slice("python_function", "f.py(1): f", "1", "1", 10, 500).op("aten::mm", 20, 30);
  const auto model = open_model(t);
  const Table ops = answer_of(*model, "ops");
  EXPECT_EQ(cells(ops, "name", "ProfilerStep*", {"self_cpu_ns", "cpu_ns"}), "100000 100000");
  EXPECT_EQ(cells(ops, "name", "aten::mm", {"self_cpu_ns"}), "10000");
  EXPECT_EQ(cells(answer_of(*model, "health"), "check", "crossing_slices", {"count"}), "1");
  EXPECT_EQ(cells(answer_of(*model, "steps"), "step", "1", {"dur_ns", "cpu_ns"}), "100000 10000");
}

// Two slices that cross are in their parent at the same time once: no self time below zero.
TEST(ReportedNumbers, ChildrenThatCrossTakeTheirTimeOnce) {
  TraceText t;
  t.op("outer", 0, 100).op("a", 10, 60).op("b", 40, 95);
  const Table tree = answer_of(*open_model(t), "tree");
  EXPECT_EQ(cells(tree, "name", "outer", {"total_ns", "self_ns"}), "100000 15000");
}

// torchtune#2323: a step that crosses aten::_local_scalar_dense left the tab empty.
TEST(ReportedNumbers, AStepThatCrossesAnOperatorKeepsItsTime) {
  TraceText t;
  t.slice("user_annotation", "ProfilerStep#1", "1", "1", 0, 10).slice("user_annotation", "ProfilerStep#2", "1", "1", 10, 10);
  t.op("aten::_local_scalar_dense", 9, 13);
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "steps"), "step", "1", {"dur_ns", "cpu_ns"}), "10000 1000");
  EXPECT_EQ(cells(answer_of(*model, "steps"), "step", "2", {"dur_ns", "cpu_ns"}), "10000 3000");
  EXPECT_EQ(cells(answer_of(*model, "ops"), "name", "aten::_local_scalar_dense", {"self_cpu_ns"}), "4000");
}

// pytorch/pytorch#73828, #125510, nvFuser#2295: of several profiles in one file, cycles were lost or added up.
TEST(ReportedNumbers, StepsThatCountFromTheStartAgainStayApart) {
  TraceText t;
  for (int cycle = 0; cycle < 2; ++cycle) {
    const int at = 1000 * cycle;
    t.slice("user_annotation", "ProfilerStep#3", "1", "1", at, 100).op("aten::mm", at + 5, at + 20).call("cudaLaunchKernel", at + 6, at + 8, 10 + cycle);
    t.kernel("k", at + 30, at + 40 + 10 * cycle, 10 + cycle);
  }
  const auto model = open_model(t);
  const Table steps = answer_of(*model, "steps");
  ASSERT_EQ(steps.rows(), 2u);
  EXPECT_EQ(steps["asked_ns"].integers[0], 10'000);
  EXPECT_EQ(steps["asked_ns"].integers[1], 20'000);
  EXPECT_EQ(steps["kernel_ns"].integers[1], 20'000);
}

// pytorch/pytorch#162481, #168920, kineto#702, Ascend/pytorch#167: kernels of the warm-up leaked into the first step.
TEST(ReportedNumbers, AStepOwnsTheWorkThatItAskedFor) {
  TraceText t;
  t.op("warmup", 0, 10).call("cudaLaunchKernel", 2, 4, 1).kernel("late", 110, 120, 1);
  t.slice("user_annotation", "ProfilerStep#5", "1", "1", 100, 50).op("aten::mm", 130, 140).call("cudaLaunchKernel", 132, 134, 2).kernel("own", 160, 190, 2);
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "steps"), "step", "5", {"asked_ns", "kernel_ns"}), "30000 10000");
  QuestionOptions step;
  step.selection.steps = {5};
  const Table kernels = answer_of(*model, "kernels", "", step);
  EXPECT_EQ(kernels.rows(), 1u);
  EXPECT_EQ(cells(kernels, "name", "own", {"calls", "sum_ns"}), "1 30000");
}

// torch's profile_analysis: equal kernels became one, kernels without a name in their args were skipped.
TEST(ReportedNumbers, EqualKernelsAreThree) {
  TraceText t;
  t.op("aten::mul", 0, 10, "\"External id\":4").op("aten::mul", 10, 20, "\"External id\":4");
  for (int i = 0; i < 3; ++i) t.slice("kernel", "k", "0", "7", 30, 2, R"("device":0,"External id":4)");
  t.event(R"({"ph":"X","cat":"kernel","name":"bare","pid":0,"tid":7,"ts":40,"dur":1})");
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "kernels"), "name", "k", {"calls", "sum_ns", "linked"}), "3 6000 3");
  EXPECT_EQ(cells(answer_of(*model, "kernels"), "name", "bare", {"calls", "device"}), "1 cuda:0");
  EXPECT_EQ(cells(answer_of(*model, "ops"), "name", "aten::mul", {"calls", "self_device_ns"}), "2 6000");
}

// HTA#109, #241: communication was 0 % because the names of its kernels were not known.
TEST(ReportedNumbers, CollectivesGoByManyNames) {
  const char* const names[] = {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "ncclDevKernel_AllGather_RING_LL", "rccl_main_kernel",
                               "oneccl_allreduce_kernel", "mscclpp::allreduce", "void vllm::cross_device_reduce_1stage<float, 2>", "hcom_allReduce__"};
  TraceText t;
  int at = 0;
  for (const char* name : names) t.kernel(name, at, at + 10, -1), at += 20;
  t.kernel("gemm_nt", at, at + 5, -1);
  EXPECT_EQ(cells(answer_of(*open_model(t), "overlap", "devices"), "device", "cuda:0", {"communication_ns", "compute_ns"}), "70000 5000");
}

// chakra#181: device times were overwritten by the times of their calls, so that collectives seemed to overlap.
TEST(ReportedNumbers, LinkedEventsKeepTheirOwnTimes) {
  TraceText t;
  t.call("cudaLaunchKernel", 0, 10, 1).call("cudaLaunchKernel", 1, 11, 2);
  t.kernel("ncclDevKernel_AllReduce", 20, 30, 1, 9).kernel("gemm", 30, 50, 2);
  const auto model = open_model(t);
  EXPECT_EQ(cells(answer_of(*model, "overlap", "devices"), "device", "cuda:0", {"communication_ns", "hidden_ns", "exposed_ns"}), "10000 0 10000");
}

// pytorch/pytorch#190787: lanes drawn for graphs are no streams.
TEST(ReportedNumbers, KernelsOfOneStreamQueueThoughTheirLanesDiffer) {
  TraceText t;
  t.call("cudaLaunchKernel", 0, 1, 1).call("cudaLaunchKernel", 2, 3, 2);
  t.slice("kernel", "a", "0", "1001", 5, 20, R"("device":0,"stream":1001,"original_stream":13,"correlation":1)");
  t.slice("kernel", "b", "0", "13", 25, 5, R"("device":0,"stream":13,"correlation":2)");
  const auto model = open_model(t);
  // b was launched at 2, could start at 25 only: a held its stream.
  const Table launches = answer_of(*model, "launches");
  EXPECT_EQ(cells(launches, "name", "cudaLaunchKernel", {"calls", "latency_max_ns"}), "2 23000");
  t.slice("kernel", "c", "0", "1002", 28, 5, R"("device":0,"stream":1002,"original_stream":13)");
  EXPECT_EQ(cells(answer_of(*open_model(t), "health"), "check", "overlap_on_lane", {"count"}), "1");
}

// openxla/xprof#1569: whatever module was chosen, the first one was shown.
TEST(ReportedNumbers, EveryModuleHasItsOwnRow) {
  TraceText t;
  t.slice("python_function", "nn.Module: Linear_0", "1", "1", 0, 50).op("aten::mm", 10, 20);
  t.slice("python_function", "nn.Module: Linear_1", "1", "1", 100, 50).op("aten::mm", 110, 140);
  QuestionOptions options;
  options.by = {"module"};
  const Table ops = answer_of(*open_model(t), "ops", "", options);
  EXPECT_EQ(cells(ops, "module", "Linear_0", {"name", "cpu_ns"}), "aten::mm 10000");
  EXPECT_EQ(cells(ops, "module", "Linear_1", {"name", "cpu_ns"}), "aten::mm 30000");
}

// pytorch/pytorch#56623, #68809: time grew with the square of the events. A question that does so does not end here.
TEST(ReportedNumbers, EveryQuestionEndsOnALongTrace) {
  TraceText t;
  t.events.reserve(64 << 20);
  for (int i = 0; i < 60'000; ++i) {
    const int at = 20 * i;
    if (i % 600 == 0) t.slice("user_annotation", "ProfilerStep#" + std::to_string(i / 600), "1", "1", at, 12'000);
    t.op("aten::mm", at, at + 8, "\"Sequence number\":7").call("cudaLaunchKernel", at + 2, at + 4, i).kernel("k", at + 5, at + 15, i);
    t.kernel("loose", at + 6, at + 7, -1);
  }
  const auto model = open_model(t);
  for (const Question& question : questions()) {
    if (question.about_one_event()) continue;
    EXPECT_TRUE(question.answer(*model, {}).ok()) << question.name;
  }
  EXPECT_EQ(cells(answer_of(*model, "kernels"), "name", "k", {"calls"}), "60000");
}

}  // namespace
}  // namespace lanewise::trace::analysis
