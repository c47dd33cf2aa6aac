// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "trace/schema/event_id.h"
#include "trace/schema/event_table_builder.h"
#include "trace/schema/ledger.h"
#include "trace/schema/producers.h"

namespace lanewise::trace::schema {
namespace {

TEST(EventId, TextFormRoundTrips) {
  EXPECT_EQ((EventId{0, 17}).to_string(), "17");
  EXPECT_EQ((EventId{3, 17}).to_string(), "3:17");
  EXPECT_EQ(EventId::parse("3:17"), (EventId{3, 17}));
  EXPECT_EQ(EventId::parse("4294967295"), (EventId{0, 4294967295u}));
  for (const char* bad : {"", ":", "1:", ":1", "-1", "1:2:3", "4294967296", "x"}) {
    EXPECT_FALSE(EventId::parse(bad).has_value()) << bad;
  }
  EXPECT_EQ(EventId::unpack((EventId{3, 17}).packed()), (EventId{3, 17}));
}

TEST(Producers, BuiltInTableKnowsTheCategoriesOfEveryProducer) {
  const Producers& table = Producers::builtin();
  // The sets that the acceptance figures of real files use.
  for (const char* name : {"cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver", "mtia_runtime", "xpu_runtime",
                           "xpu_driver", "privateuse1_runtime", "privateuse1_driver", "Runtime"}) {
    EXPECT_EQ(table.role(name), Role::runtime) << name;
  }
  for (const char* name : {"kernel", "gpu_memcpy", "gpu_memset", "concurrent_kernel", "mtia_ccp_events", "Kernel",
                           "Memcpy", "Memset"}) {
    EXPECT_TRUE(is_device(table.role(name))) << name;
  }
  EXPECT_FALSE(is_device(table.role("gpu_user_annotation")));
  EXPECT_EQ(table.role("never heard of"), Role::other);
  EXPECT_EQ(table.producer("mtia_ccp_events"), "mtia");
  EXPECT_EQ(table.category("privateuse1_driver")->device_when.size(), 2u);
}

TEST(Producers, CallsAreKnownByName) {
  const Producers& table = Producers::builtin();
  for (const char* name : {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx", "hipExtModuleLaunchKernel",
                           "urEnqueueKernelLaunchWithArgsExp", "nrta_execute_schedule"}) {
    EXPECT_EQ(table.call(name), CallKind::launch) << name;
  }
  EXPECT_EQ(table.call("hipGraphLaunch"), CallKind::graph_launch);
  EXPECT_EQ(table.call("cudaMemcpyAsync"), CallKind::copy);
  EXPECT_EQ(table.call("cudaStreamSynchronize"), CallKind::sync);
  EXPECT_EQ(table.call("cudaStreamWaitEvent"), CallKind::wait);
  EXPECT_EQ(table.call("cudaGetDevice"), CallKind::other);
}

TEST(Producers, ANameMayDecideTheRole) {
  const CategoryRule* rule = Producers::builtin().category("neuron_hw");
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->role_of("nc_exec_running"), Role::kernel);
  EXPECT_EQ(rule->role_of("dma_h2d"), Role::memcpy);
  EXPECT_EQ(rule->role_of("dma_fill"), Role::memset);
  EXPECT_EQ(rule->role_of("sim_lag"), Role::wait);
}

TEST(Producers, CollectivesAreKnownByKernelName) {
  const Producers& table = Producers::builtin();
  for (const char* name : {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "ncclDevKernel_Generic(ncclDevComm*)",
                           "rcclGenericKernel", "void oneccl_allreduce<float>", "mscclpp::allreduce"}) {
    EXPECT_TRUE(table.is_collective(name)) << name;
  }
  EXPECT_FALSE(table.is_collective("void at::native::reduce_kernel<512>"));
}

TEST(Producers, AUserFileAddsAnAccelerator) {
  const auto table = Producers::with(
      "# my chip\nproducer mychip\n  category \"my kernels\" kernel\n  category my_rt runtime\n  call launch my*Go\n"
      "  lane tid\n  category kernel other\n",
      "mychip.txt");
  ASSERT_TRUE(table.ok()) << table.status().to_string();
  EXPECT_EQ(table->role("my kernels"), Role::kernel);
  EXPECT_EQ(table->producer("my_rt"), "mychip");
  EXPECT_EQ(table->call("my_device_Go"), CallKind::launch);
  EXPECT_EQ(table->lane("mychip"), LaneRule::tid);
  EXPECT_EQ(table->role("kernel"), Role::other);  // the user's word is last
  EXPECT_EQ(Producers::builtin().role("kernel"), Role::kernel);
}

TEST(Producers, AMistakeNamesItsLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"category a kernel", "line 1: the first line must be"},
      {"producer x\ncategory a boss", "line 2: no role is called boss"},
      {"producer x\n\ncall jump *", "line 3: call KIND PATTERN"},
      {"producer x\nlane left", "line 2: lane"},
      {"producer x\ndevice_when nowhere device", "line 2: declare the category"},
      {"producer x\nfoo", "line 2: unknown word foo"}};
  for (const auto& [text, want] : cases) {
    const auto table = Producers::with(text, "f.txt");
    ASSERT_FALSE(table.ok()) << text;
    EXPECT_NE(table.status().message().find(want), std::string::npos) << table.status().message();
    EXPECT_EQ(table.status().message().rfind("f.txt, ", 0), 0u);
  }
}

TEST(Ledger, MergeKeepsTheFirstOffsetsAndTheSums) {
  Ledger a, b;
  a.read = 3, a.kept = 2, a.dropped = 1, a.input_bytes = 10, a.event_bytes = 7, a.structure_bytes = 3;
  for (uint64_t i = 0; i < 7; ++i) a.add("bad_event", i, 2);
  for (uint64_t i = 100; i < 104; ++i) b.add("bad_event", i, 3);
  b.add("bad_escape", 101, 0);
  a.merge(b);
  ASSERT_EQ(a.reasons.size(), 2u);
  EXPECT_EQ(a.reasons[0].kind, "bad_escape");
  EXPECT_EQ(a.reasons[1].count, 11u);
  EXPECT_EQ(a.reasons[1].bytes, 26u);
  ASSERT_EQ(a.reasons[1].offsets.size(), LedgerReason::kMaxOffsets);
  EXPECT_EQ(a.reasons[1].offsets.back(), 100u);
  EXPECT_FALSE(a.reasons[1].text.empty());
  EXPECT_TRUE(a.balanced());
  a.skipped_bytes = 1;
  EXPECT_FALSE(a.balanced());
}

TEST(EventTableBuilder, RowsOptionalValuesAndTracks) {
  EventTableBuilder builder;
  const uint32_t first = builder.track({1, 2});
  EXPECT_EQ(builder.track({1, 3}), first + 1);
  EXPECT_EQ(builder.track({1, 2}), first);
  for (int i = 0; i < 70'000; ++i) {
    const Row row = builder.append({.ts_ns = i, .dur_ns = 2, .name = 5, .track = first, .phase = 'X', .role = Role::kernel});
    if (row % 1000 == 0) builder.set(OptionalColumn::correlation, row, row * 2);
    if (row % 3 == 0) builder.arg(ArgKey::bytes, row, row);
  }
  const EventTable table = builder.publish();
  builder.set_duration(3, 99);
  EXPECT_EQ(table.rows(), 70'000u);
  EXPECT_EQ(table.dur_ns[3], 2);
  EXPECT_EQ(builder.publish().dur_ns[3], 99);
  EXPECT_EQ(table.correlation[69'000], 138'000);
  EXPECT_TRUE(table.correlation.is_null(69'001));
  EXPECT_TRUE(table.stream.segment_is_null(1));
  EXPECT_EQ(table.arg(ArgKey::bytes).find(69'999), 69'999);
  EXPECT_EQ(table.track_of(9), (Track{1, 2}));
  EXPECT_TRUE(table.is_slice(0));
}

TEST(ArgColumns, KnowTheirKeyAndKind) {
  EXPECT_EQ(arg_column(ArgKey::input_dims).key, "Input Dims");
  EXPECT_EQ(arg_column(ArgKey::input_dims).kind, ArgKind::text);
  EXPECT_EQ(arg_column(ArgKey::bytes).kind, ArgKind::number);
}

TEST(Producers, DevicesAreNamedByCallsOrByTheirProducer) {
  const Producers& table = Producers::builtin();
  EXPECT_EQ(table.device_of_call("cudaLaunchKernelExC"), "cuda");
  EXPECT_EQ(table.device_of_call("hipLaunchKernel"), "cuda") << "PyTorch calls ROCm devices cuda";
  EXPECT_EQ(table.device_of_call("nrta_execute_schedule"), "neuron");
  EXPECT_EQ(table.device_of_call("somethingElse"), "");
  EXPECT_EQ(table.device_of({"mtia", "pytorch"}), "mtia") << "the later section of the table counts";
  EXPECT_EQ(table.device_of({"nobody"}), "");
  EXPECT_EQ(table.device_type("neuron"), "PrivateUse1");
  EXPECT_EQ(table.device_type("cuda"), "CUDA");

  const auto more = Producers::with("producer mychip\n device tile PrivateUse1\n device_call tile tileRun*\n", "mine");
  ASSERT_TRUE(more.ok());
  EXPECT_EQ(more->device_of({"mychip", "pytorch"}), "tile");
  EXPECT_EQ(more->device_of_call("tileRunAsync"), "tile");
  EXPECT_FALSE(Producers::with("producer x\n device tile\n", "mine").ok());
  EXPECT_FALSE(Producers::with("producer x\n device_call tile\n", "mine").ok());
}

}  // namespace
}  // namespace lanewise::trace::schema
