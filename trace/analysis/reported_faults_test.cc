// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Faults that users have reported of other readers of traces, each as a small file of our own with the exact ledger and
// result. Damage inside an event: trace/import/kineto_json/damage_test.cc. Dialects: import_test.cc there. Numbers and links of the
// analyses: reported_number_faults_test.cc, reported_link_faults_test.cc.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "trace/analysis/info.h"

namespace lanewise::trace::analysis {
namespace {

namespace fs = std::filesystem;
using schema::Row;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("lw_faults_" + std::to_string(::getpid()) + "_" + std::to_string(next_++))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  static inline int next_ = 0;
  fs::path path_;
};

struct Read {
  std::shared_ptr<const session::Session> session;
  FileInfo info;
  const schema::EventTable& events() const { return session->events(0); }
  const schema::Ledger& ledger() const { return session->files()[0].file.ledger; }
  std::string name(Row row) const { return std::string(session->text(events().name[row])); }
  // The ledger in one line: counts, then each reason with its count.
  std::string told() const {
    const schema::Ledger& l = ledger();
    std::string out = std::to_string(l.read) + " read, " + std::to_string(l.kept) + " kept, " + std::to_string(l.repaired) +
                      " repaired, " + std::to_string(l.dropped) + " dropped";
    for (const auto& reason : l.reasons) out += "; " + reason.kind + " " + std::to_string(reason.count);
    return out;
  }
};

std::string good(size_t events) { return std::to_string(events) + " read, " + std::to_string(events) + " kept, 0 repaired, 0 dropped"; }

Read read(const std::string& text) {
  Folder folder;
  Read out;
  auto session = session::Session::open(folder.write("t.json", text));
  EXPECT_TRUE(session.ok()) << session.status().to_string();
  if (!session.ok()) std::abort();
  out.session = *session;
  out.info = file_info(**session, 0);
  EXPECT_TRUE(out.ledger().balanced());
  EXPECT_EQ(out.ledger().input_bytes, text.size());
  return out;
}

std::string event(const std::string& fields) { return "{\"ph\":\"X\",\"pid\":0,\"tid\":7," + fields + "}"; }
std::string kernel(const std::string& name, const std::string& ts, const std::string& dur, const std::string& args = "\"device\":0") {
  return event("\"cat\":\"kernel\",\"name\":\"" + name + "\",\"ts\":" + ts + ",\"dur\":" + dur + ",\"args\":{" + args + "}");
}
std::string file(const std::vector<std::string>& events, const std::string& head = "\"schemaVersion\":1") {
  std::string text = "{" + head + ",\"traceEvents\":[";
  for (size_t i = 0; i < events.size(); ++i) text += (i > 0 ? ",\n" : "\n") + events[i];
  return text + "\n]}";
}

// --- the file itself

// pytorch/pytorch#130622, google/perfetto#598.
TEST(ReportedFaults, OneControlCharacterNearTheEndOfALargeFileCostsOneRepair) {
  std::vector<std::string> events;
  for (int i = 0; i < 60'000; ++i) events.push_back(kernel("k" + std::to_string(i % 7), std::to_string(i), "1"));
  events[59'990] = kernel("k\x01", "59990", "1");
  const std::string text = file(events);
  const Read in = read(text);
  EXPECT_EQ(in.told(), "60000 read, 60000 kept, 1 repaired, 0 dropped; control_character 1");
  EXPECT_EQ(in.ledger().reasons[0].offsets, (std::vector<uint64_t>{text.find('\x01')}));
  EXPECT_EQ(in.name(59'990), "k\x01");
  EXPECT_EQ(in.info.devices.at("0").busy_ns, 60'000'000);
}

// Ascend/pytorch#133, #156.
TEST(ReportedFaults, TimesAsTextAndFlowIdsAboveADouble) {
  const Read in = read(file({R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":"1715600000123456.789","dur":"10.5"})",
                             R"({"ph":"s","cat":"ac2g","name":"ac2g","id":9007199254740993,"pid":1,"tid":1,"ts":"1715600000123457.001"})",
                             R"({"ph":"s","cat":"ac2g","name":"ac2g","id":9007199254740995,"pid":1,"tid":1,"ts":"1715600000123457.002"})",
                             R"({"ph":"f","bp":"e","cat":"ac2g","name":"ac2g","id":9007199254740993,"pid":0,"tid":7,"ts":"1715600000123458"})"}));
  EXPECT_EQ(in.told(), good(4));
  EXPECT_EQ(in.events().ts_ns[0], 1'715'600'000'123'456'789);
  EXPECT_EQ(in.events().dur_ns[0], 10'500);
  EXPECT_EQ(in.info.flows.ids, 2u);
  EXPECT_EQ(in.info.flows.paired, 1u);
  EXPECT_EQ(in.info.flows.start_only, 1u);
}

// HTA#324.
TEST(ReportedFaults, AnIdBeyond64BitsIsNoOtherId) {
  const Read in = read(file({event(R"("cat":"cuda_runtime","name":"cudaLaunchKernel","ts":0,"dur":1,"args":{"correlation":10159970886766084423})"),
                             kernel("k", "2", "1", R"("device":0,"correlation":10159970886766084423)"),
                             kernel("other", "4", "1", R"("device":0,"correlation":10159970886766084424)")}));
  EXPECT_EQ(in.told(), good(3));
  EXPECT_EQ(in.info.correlation.runtime, 1u);
  EXPECT_EQ(in.info.correlation.device, 2u);
  EXPECT_EQ(in.info.correlation.both, 1u);
  EXPECT_EQ(in.info.unattributed, 1u);
  EXPECT_EQ(in.session->id_text(in.events().correlation[1]), "10159970886766084423");
}

// viztracer#106, google/perfetto#119.
TEST(ReportedFaults, NoBlanksExponentsAndEscapedKeys) {
  const Read in = read(R"({"traceEvents":[{"\u0070h":"X","n\u0061me":"a","ts":1e3,"dur":2.5E-1,"pid":1,"tid":1}]})");
  EXPECT_EQ(in.told(), good(1));
  EXPECT_EQ(in.name(0), "a");
  EXPECT_EQ(in.events().phase[0], 'X');
  EXPECT_EQ(in.events().ts_ns[0], 1'000'000);
  EXPECT_EQ(in.events().dur_ns[0], 250);
}

// ROCm/rocm-systems#1655.
TEST(ReportedFaults, ACommandLineWithQuotesInTheHeader) {
  const Read in = read(file({kernel("k", "0", "1")}, R"("command":"it's -- \"x\"; DROP TABLE events; --","schemaVersion":1)"));
  EXPECT_EQ(in.told(), good(1));
  EXPECT_EQ(in.session->files()[0].file.metadata_json("command"), R"("it's -- \"x\"; DROP TABLE events; --")");
}

// TensorRT-LLM#13536.
TEST(ReportedFaults, TwoRanksInOneFileLoseOnlyTheEventAtTheSeam) {
  // Rank b starts in the middle of the second event of rank a, whose tail follows.
  const std::string first = kernel("a1", "1", "1"), last = kernel("a3", "3", "1"), other = kernel("b1", "1", "1");
  const std::string text = "{\"traceEvents\":[" + first + ",{\"ph\":\"X\",\"name\":\"a2\",{\"traceEvents\":[" + other + "]}\"ts\":2,\"dur\":1}," +
                           last + "]}";
  const Read in = read(text);
  ASSERT_EQ(in.events().rows(), 3u);
  EXPECT_EQ(in.name(0) + in.name(1) + in.name(2), "a1b1a3");
  EXPECT_EQ(in.ledger().read, 4u);
  EXPECT_EQ(in.ledger().dropped, 1u);
  EXPECT_EQ(in.ledger().event_bytes, first.size() + other.size() + last.size());
}

// chakra#198.
TEST(ReportedFaults, AnUnknownVersionOfTheFormatIsRead) {
  const Read in = read(file({kernel("k", "0", "1")}, "\"schemaVersion\":99,\"newThing\":{\"a\":[1]}"));
  EXPECT_EQ(in.told(), good(1));
  EXPECT_EQ(in.session->files()[0].file.metadata_json("schemaVersion"), "99");
  EXPECT_EQ(in.session->files()[0].file.metadata_json("newThing"), "{\"a\":[1]}");
}

// --- size

// jax#21295, openxla/xla#44702, xprof#265: viewers that stop at a number of events.
TEST(ReportedFaults, AMillionEventsAndOne) {
  std::string text = "[";
  for (int i = 0; i < 1'000'000; ++i) text += "{\"ph\":\"X\",\"name\":\"n\",\"ts\":" + std::to_string(i) + ",\"dur\":1},\n";
  text += "{\"ph\":\"X\",\"name\":\"last\",\"ts\":1000000,\"dur\":1}]";
  const Read in = read(text);
  EXPECT_EQ(in.told(), good(1'000'001));
  EXPECT_EQ(in.name(1'000'000), "last");
  EXPECT_EQ(in.info.span_ns, 1'000'001'000);
}

// tracy#705.
TEST(ReportedFaults, AHundredThousandDistinctNames) {
  std::vector<std::string> events;
  for (int i = 0; i < 100'000; ++i) events.push_back("{\"ph\":\"X\",\"name\":\"name " + std::to_string(i) + "\",\"ts\":1,\"dur\":1}");
  const Read in = read(file(events));
  EXPECT_EQ(in.told(), good(100'000));
  EXPECT_EQ(in.name(99'999), "name 99999");
  EXPECT_EQ(in.session->strings().size(), 100'000u);
}

// viztracer#610, #157; vllm#20178, verl-omni#342.
TEST(ReportedFaults, ReversedTimes) {
  std::vector<std::string> events;
  for (int i = 1000; i > 0; --i) events.push_back(kernel("k", std::to_string(i), "1"));
  const Read in = read(file(events));
  EXPECT_EQ(in.told(), good(1000));
  EXPECT_EQ(in.events().ts_ns[0], 1'000'000);
  EXPECT_EQ(in.info.span_ns, 1'000'000);
  EXPECT_EQ(in.info.devices.at("0").busy_ns, 1'000'000);
  EXPECT_EQ(in.info.overlapping, 0u);
}

// google/perfetto#456.
TEST(ReportedFaults, ManySlicesThatStayOpen) {
  std::vector<std::string> events;
  for (int i = 0; i < 40'000; ++i) events.push_back("{\"ph\":\"B\",\"name\":\"b\",\"tid\":1,\"ts\":" + std::to_string(i) + "}");
  for (int i = 0; i < 20'000; ++i) events.push_back("{\"ph\":\"E\",\"tid\":1,\"ts\":" + std::to_string(40'000 + i) + "}");
  const Read in = read(file(events));
  EXPECT_EQ(in.told(), good(60'000) + "; unpaired_begin 20000");
  EXPECT_EQ(in.ledger().unpaired, 20'000u);
  EXPECT_EQ(in.events().dur_ns[39'999], 1'000);             // begun last, ended first
  EXPECT_EQ(in.events().dur_ns[20'000], 39'999'000);        // 59 999 us - 20 000 us
  EXPECT_TRUE(in.events().has(19'999, schema::kUnpaired));
}

// --- numbers

// google/perfetto#4280, janestreet/perfetto#35.
TEST(ReportedFaults, KernelsThatOverlapOnOneStreamAreAllKept) {
  const Read in = read(file({kernel("primary", "0", "10"), kernel("secondary", "8", "10")}));
  EXPECT_EQ(in.told(), good(2));
  EXPECT_EQ(in.info.overlapping, 1u);
  EXPECT_EQ(in.info.overlapping_device, 1u);
  EXPECT_EQ(in.info.devices.at("0").sum_ns, 20'000);
  EXPECT_EQ(in.info.devices.at("0").busy_ns, 18'000);
}

// google/perfetto#6277.
TEST(ReportedFaults, OverlapsOfOneNanosecond) {
  std::vector<std::string> events;
  for (int i = 0; i < 100; ++i) events.push_back(event("\"name\":\"op\",\"ts\":" + std::to_string(i) + ",\"dur\":1.001"));
  const Read in = read(file(events));
  EXPECT_EQ(in.told(), good(100));
  EXPECT_EQ(in.info.overlapping, 99u);
}

// kineto#136.
TEST(ReportedFaults, AKernelOfNoLengthBesideItsNeighbour) {
  const Read in = read(file({kernel("zero", "5", "0"), kernel("k", "5", "3")}));
  EXPECT_EQ(in.told(), good(2));
  EXPECT_EQ(in.info.overlapping, 0u);
  EXPECT_EQ(in.info.devices.at("0").events, 2u);
  EXPECT_EQ(in.info.devices.at("0").busy_ns, 3'000);
}

// kineto#1074.
TEST(ReportedFaults, NeighboursLessThanAMicrosecondApart) {
  const Read in = read(file({kernel("a", "0", "0.5"), kernel("b", "0.6", "0.2"), kernel("c", "0.9", "0.001")}, "\"displayTimeUnit\":\"ms\""));
  EXPECT_EQ(in.told(), good(3));
  EXPECT_EQ(in.info.overlapping, 0u);
  EXPECT_EQ(in.events().ts_ns[1] - in.events().ts_ns[0] - in.events().dur_ns[0], 100);
  EXPECT_EQ(in.events().dur_ns[2], 1);
  EXPECT_EQ(in.info.devices.at("0").busy_ns, 701);
}

// google/perfetto#6421.
TEST(ReportedFaults, OneEventFarFromTheRest) {
  const Read in = read(file({kernel("a", "10", "1"), kernel("b", "12", "1"), kernel("far", "1000000000000000", "1")}));
  EXPECT_EQ(in.told(), good(3));
  EXPECT_EQ(in.info.span_ns, 1'000'000'000'000'001'000 - 10'000);
  EXPECT_EQ(in.info.devices.at("0").busy_ns, 3'000);
}

// google/perfetto#6421, pytorch/pytorch#150131.
TEST(ReportedFaults, ATimeThatDoesNotFitIsClippedAndTheSumsHold) {
  const Read in = read(file({kernel("a", "0", "1"), kernel("never", "1e300", "5"), kernel("ever", "-1e300", "9e18")}));
  EXPECT_EQ(in.told(), good(3) + "; clipped_time 2");
  EXPECT_EQ(in.ledger().clipped, 2u);
  EXPECT_EQ(in.info.devices.at("0").events, 3u);
}

// parcagpu#23.
TEST(ReportedFaults, EndsBeforeStartsAndAllZeros) {
  const Read in = read(file({kernel("backwards", "10", "-5"), kernel("nothing", "0", "0"), kernel("k", "20", "2")}));
  EXPECT_EQ(in.told(), good(3));
  EXPECT_EQ(in.events().dur_ns[0], -5'000);
  // info counts as the file says, negative lengths too; what they cover is for the analyses to judge.
  EXPECT_EQ(in.info.devices.at("0").events, 3u);
  EXPECT_EQ(in.info.devices.at("0").sum_ns, -3'000);
}

// TraceLens#669.
TEST(ReportedFaults, ADurationThatRunsOverItsNeighbours) {
  const Read in = read(file({kernel("long", "0", "2000000"), kernel("k", "10", "5"), kernel("after", "2000001", "4")}));
  EXPECT_EQ(in.told(), good(3));
  EXPECT_EQ(in.info.devices.at("0").sum_ns, 2'000'009'000);
  EXPECT_EQ(in.info.devices.at("0").busy_ns, 2'000'004'000);
}

// TraceLens#603, #682, #687.
TEST(ReportedFaults, AChildThatEndsAfterItsParent) {
  const Read in = read(file({event("\"name\":\"parent\",\"ts\":0,\"dur\":10"), event("\"name\":\"child\",\"ts\":4,\"dur\":6.5")}));
  EXPECT_EQ(in.told(), good(2));
  EXPECT_EQ(in.info.overlapping, 1u);
  EXPECT_EQ(in.info.overlapping_device, 0u);
}

// HTA#113, chakra#134, #189.
TEST(ReportedFaults, EqualStartsAndNoLengthMakeNoOverlap) {
  const Read in = read(file({event("\"name\":\"a\",\"ts\":1,\"dur\":0"), event("\"name\":\"b\",\"ts\":1,\"dur\":0"), event("\"name\":\"c\",\"ts\":1,\"dur\":4"),
                             event("\"name\":\"d\",\"ts\":1,\"dur\":4")}));
  EXPECT_EQ(in.told(), good(4));
  EXPECT_EQ(in.info.overlapping, 0u);
}

// TraceLens#577.
TEST(ReportedFaults, RanksThatShareIdsAndPids) {
  Folder folder;
  const std::string launch = event(R"("cat":"cuda_runtime","name":"cudaLaunchKernel","ts":0,"dur":1,"args":{"correlation":5})");
  folder.write("rank0.json", file({launch, kernel("k", "2", "3", R"("device":0,"correlation":5)")}, R"("distributedInfo":{"rank":0,"world_size":2})"));
  folder.write("rank1.json", file({kernel("k", "2", "7", R"("device":0,"correlation":5)")}, R"("distributedInfo":{"rank":1,"world_size":2})"));
  const auto session = session::Session::open(folder.path());
  ASSERT_TRUE(session.ok());
  ASSERT_EQ((*session)->files().size(), 2u);
  const FileInfo zero = file_info(**session, 0), one = file_info(**session, 1);
  EXPECT_EQ(zero.correlation.both, 1u);
  EXPECT_EQ(zero.unattributed, 0u);
  EXPECT_EQ(zero.devices.at("0").busy_ns, 3'000);
  // The launch of the other rank is not its launch.
  EXPECT_EQ(one.correlation.both, 0u);
  EXPECT_EQ(one.unattributed, 1u);
  EXPECT_EQ(one.devices.at("0").busy_ns, 7'000);
}

// google/perfetto#978, triton#10956.
TEST(ReportedFaults, OneFlowIdUsedTwiceIsTold) {
  const auto flow = [](const char* ph, int pid) {
    return "{\"ph\":\"" + std::string(ph) + "\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":1,\"pid\":" + std::to_string(pid) + ",\"tid\":1,\"ts\":1}";
  };
  const Read in = read(file({flow("s", 1), flow("f", 1), flow("s", 2), flow("f", 2),
                             R"({"ph":"b","cat":"a","name":"n","id2":{"local":"0x5"},"pid":1,"ts":1})"}));
  EXPECT_EQ(in.told(), good(5));
  EXPECT_EQ(in.info.flows.ids, 1u);
  EXPECT_EQ(in.info.flows.reused, 1u);
  EXPECT_EQ(in.session->id_text(in.events().id[4]), "{\"local\":\"0x5\"}");
}

// TraceLens#649, #456, #501.
TEST(ReportedFaults, DevicesWithUnusualPidsAndEventsWithoutIds) {
  const Read in = read(file({R"({"ph":"X","cat":"kernel","name":"fusion","pid":1001,"tid":1,"ts":0,"dur":2,"args":{"id":2147483648}})",
                             R"({"ph":"X","cat":"kernel","name":"fusion","pid":1008,"tid":1,"ts":0,"dur":3})"}));
  EXPECT_EQ(in.told(), good(2));
  EXPECT_EQ(in.info.devices.at("1001").busy_ns, 2'000);
  EXPECT_EQ(in.info.devices.at("1008").busy_ns, 3'000);
  EXPECT_EQ(in.info.unattributed, 2u);
}

// HTA#61.
TEST(ReportedFaults, EveryKindOfLaunchCallIsARuntimeCall) {
  const char* const calls[][2] = {{"cuda_runtime", "cudaLaunchKernelExC"}, {"cuda_driver", "cuLaunchKernelEx"},
                                  {"cuda_runtime", "hipExtModuleLaunchKernel"}, {"xpu_runtime", "urEnqueueKernelLaunchWithArgsExp"}};
  std::vector<std::string> events;
  for (int i = 0; i < 4; ++i) {
    const std::string id = "\"correlation\":" + std::to_string(i);
    events.push_back(event("\"cat\":\"" + std::string(calls[i][0]) + "\",\"name\":\"" + calls[i][1] + "\",\"ts\":0,\"dur\":1,\"args\":{" + id + "}"));
    events.push_back(kernel("k", "5", "1", id));
  }
  const Read in = read(file(events));
  EXPECT_EQ(in.told(), good(8));
  EXPECT_EQ(in.info.correlation.both, 4u);
  EXPECT_EQ(in.info.unattributed, 0u);
}

// intel/torch-xpu-ops#3985.
TEST(ReportedFaults, ARuntimeWithoutDeviceRecords) {
  const Read in = read(file({event(R"("cat":"xpu_runtime","name":"urEnqueueKernelLaunch","ts":0,"dur":1,"args":{"correlation":1})")}));
  EXPECT_EQ(in.told(), good(1));
  EXPECT_EQ(in.info.correlation.runtime, 1u);
  EXPECT_EQ(in.info.correlation.device, 0u);
  EXPECT_TRUE(in.info.devices.empty());
}

// kineto#446, Hyperloom#946.
TEST(ReportedFaults, DeviceRecordsWithoutARuntime) {
  const Read in = read(file({kernel("k", "0", "1", R"("device":3,"correlation":1)"), kernel("k", "2", "1", R"("device":3,"correlation":2)")}));
  EXPECT_EQ(in.told(), good(2));
  EXPECT_EQ(in.info.unattributed, 2u);
  EXPECT_EQ(in.info.devices.at("3").sum_ns, 2'000);
}

// pytorch/pytorch#190787, #184273.
TEST(ReportedFaults, FlowsBetweenDevicesAndLanesThatAreNoStreams) {
  const Read in = read(file({kernel("node", "0", "1", R"("device":0,"stream":7,"original_stream":13,"graph node id":5)"),
                             R"({"ph":"s","cat":"ac2g","name":"ac2g","id":1099511627776,"pid":0,"tid":7,"ts":9})",
                             R"({"ph":"f","bp":"e","cat":"ac2g","name":"ac2g","id":1099511627776,"pid":0,"tid":8,"ts":3})"}));
  EXPECT_EQ(in.told(), good(3));
  EXPECT_EQ(in.events().stream[0], 7);
  EXPECT_EQ(in.events().arg(schema::ArgKey::original_stream).find(0), 13);
  EXPECT_EQ(in.events().arg(schema::ArgKey::graph_node_id).find(0), 5);
  EXPECT_EQ(in.info.flows.paired, 1u);
}

// tracy#133, rocprofiler-compute#791.
TEST(ReportedFaults, CountersThatAreNoNumbers) {
  const Read in = read(file({R"({"ph":"C","pid":"GPU 0 Counters","name":"util","ts":1,"args":{"value":NaN}})",
                             R"({"ph":"C","pid":"GPU 0 Counters","name":"util","ts":2,"args":{"value":-Infinity}})",
                             R"({"ph":"C","pid":"GPU 0 Counters","name":"util","ts":3,"args":{"value":1}})"}));
  EXPECT_EQ(in.told(), "3 read, 3 kept, 2 repaired, 0 dropped; non_finite_number 2");
}

// torch's profile_analysis.
TEST(ReportedFaults, EqualKernelsAndSharedExternalIdsStayApart) {
  const std::string op = event(R"("cat":"cpu_op","name":"aten::mul","ts":0,"dur":1,"args":{"External id":4})");
  const std::string k = kernel("k", "2", "1", R"("device":0,"External id":4)");
  const Read in = read(file({op, op, k, k, k}));
  EXPECT_EQ(in.told(), good(5));
  EXPECT_EQ(in.info.by_category.at("kernel"), 3u);
  EXPECT_EQ(in.info.devices.at("0").sum_ns, 3'000);
  EXPECT_EQ(in.info.devices.at("0").busy_ns, 1'000);
}

// --- nothing shown

// HTA#16, #107, #238, chakra#162.
TEST(ReportedFaults, NoRankNoStepsNoMemset) {
  const Read in = read(file({event("\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"ts\":0,\"dur\":1")}, "\"deviceProperties\":[]"));
  EXPECT_EQ(in.told(), good(1));
  EXPECT_FALSE(in.session->files()[0].file.rank.has_value());
  EXPECT_TRUE(in.info.devices.empty());
}

// dynolog#430, kineto#1060.
TEST(ReportedFaults, RanksWithoutEventsAreFilesLikeOthers) {
  Folder folder;
  for (const char* name : {"launcher0.json", "launcher1.json", "launcher2.json"}) folder.write(name, file({}));
  folder.write("rank0.json", file({kernel("k", "0", "1")}, "\"distributedInfo\":{\"rank\":0}"));
  folder.write("rank1.json", file({kernel("k", "0", "2")}, "\"distributedInfo\":{\"rank\":1}"));
  const auto session = session::Session::open(folder.path());
  ASSERT_TRUE(session.ok()) << session.status().to_string();
  int64_t busy = 0;
  size_t empty = 0;
  for (const auto& entry : (*session)->files()) {
    const FileInfo info = file_info(**session, entry.part);
    empty += info.total == 0;
    for (const auto& [name, device] : info.devices) busy += device.busy_ns;
  }
  EXPECT_EQ((*session)->files().size(), 5u);
  EXPECT_EQ(empty, 3u);
  EXPECT_EQ(busy, 3'000);
}

// torchtune#2323.
TEST(ReportedFaults, StepsThatCrossOpsAndNamesOfFiveThousandLetters) {
  const std::string name(5160, 'k');
  const Read in = read(file({event("\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"ts\":0,\"dur\":10"),
                             event("\"cat\":\"cpu_op\",\"name\":\"aten::_local_scalar_dense\",\"ts\":9,\"dur\":4"), kernel(name, "20", "1")}));
  EXPECT_EQ(in.told(), good(3));
  EXPECT_EQ(in.info.overlapping, 1u);
  EXPECT_EQ(in.name(2), name);
}

}  // namespace
}  // namespace lanewise::trace::analysis
