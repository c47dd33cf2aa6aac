// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/links.h"

#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/chain.h"
#include "trace/analysis/links_table.h"

namespace lanewise::trace::analysis {
namespace {

// "call by method, op by method" of a device event.
std::string tie(const Model& model, std::string_view device_event) {
  const DeviceEvent* event = model.file(0).links.device_event(row_named(model, device_event));
  if (event == nullptr) return "no device event";
  const auto text = [&](const Link& link) {
    return link ? std::string(model.name(0, link.row)) + " by " + std::string(link_method_name(link.method)) : std::string("none");
  };
  return text(event->call) + ", " + text(event->op);
}

TEST(Links, CorrelationAndExternalIdAreTwoSpacesOfIds) {
  TraceText t;
  t.op("aten::add", 0, 10, "\"External id\":5").op("aten::mul", 10, 20, "\"External id\":6");
  t.slice("cuda_runtime", "cudaLaunchKernel", "1", "1", 2, 1, "\"correlation\":6,\"External id\":5");
  t.slice("kernel", "add", "0", "7", 5, 5, "\"device\":0,\"correlation\":6,\"External id\":5");
  t.slice("cuda_runtime", "cudaLaunchKernel", "1", "1", 12, 1, "\"correlation\":5,\"External id\":6");
  t.slice("kernel", "mul", "0", "7", 15, 5, "\"device\":0,\"correlation\":5,\"External id\":0");
  const auto model = open_model(t);
  EXPECT_EQ(tie(*model, "add"), "cudaLaunchKernel by correlation, aten::add by external_id");
  EXPECT_EQ(tie(*model, "mul"), "cudaLaunchKernel by correlation, aten::mul by external_id") << "0 is no id; the call has one";
  EXPECT_EQ(model->devices()[0].name, "cuda:0");
}

TEST(Links, WithoutIdsTheOperatorAroundTheCallIsTheOne) {
  TraceText t;
  t.op("aten::linear", 0, 10).op("aten::addmm", 1, 9).call("cudaLaunchKernel", 2, 3, 1).kernel("gemm", 5, 8, 1);
  EXPECT_EQ(tie(*open_model(t), "gemm"), "cudaLaunchKernel by correlation, aten::addmm by containment");
}

TEST(Links, AnIdUsedTwiceMeansTheLastLaunchBeforeTheEvent) {
  TraceText t;
  t.op("a", 0, 10).call("cudaEventRecord", 1, 2, 4).call("cudaLaunchKernel", 3, 4, 4).op("b", 20, 30).call("cudaLaunchKernel", 21, 22, 4);
  t.kernel("k1", 6, 7, 4).kernel("k2", 25, 26, 4);
  const auto model = open_model(t);
  EXPECT_EQ(tie(*model, "k1"), "cudaLaunchKernel by correlation, a by containment");
  EXPECT_EQ(tie(*model, "k2"), "cudaLaunchKernel by correlation, b by containment");
}

TEST(Links, ArrowsLinkOnlyCallsWithDeviceEvents) {
  TraceText t;
  t.op("a", 0, 10).slice("cuda_runtime", "cudaLaunchKernel", "1", "1", 2, 2);
  t.kernel("k", 5, 8, -1).kernel("next node", 9, 12, -1);
  t.event(R"({"ph":"s","cat":"ac2g","name":"ac2g","id":1,"pid":1,"tid":1,"ts":2})");
  t.event(R"({"ph":"f","cat":"ac2g","name":"ac2g","id":1,"pid":0,"tid":7,"ts":5,"bp":"e"})");
  // Between two nodes of a graph: both ends on the device.
  t.event(R"({"ph":"s","cat":"ac2g","name":"ac2g","id":1099511627776,"pid":0,"tid":7,"ts":5})");
  t.event(R"({"ph":"f","cat":"ac2g","name":"ac2g","id":1099511627776,"pid":0,"tid":7,"ts":9,"bp":"e"})");
  const auto model = open_model(t);
  EXPECT_EQ(tie(*model, "k"), "cudaLaunchKernel by flow, a by containment");
  EXPECT_EQ(tie(*model, "next node"), "none, none");
}

TEST(Links, AnEventInsideALinkedOneOfItsLaneBelongsToTheSame) {
  TraceText t;
  t.op("a", 0, 10).call("cudaLaunchKernel", 1, 2, 1).kernel("whole", 5, 20, 1).kernel("part", 6, 8, -1).kernel("after", 21, 22, -1);
  const auto model = open_model(t);
  EXPECT_EQ(tie(*model, "part"), "cudaLaunchKernel by containment, a by containment");
  EXPECT_EQ(tie(*model, "after"), "none, none");
}

TEST(Links, BackwardOperatorsByArrowElseBySequenceNumberOfTheirForwardThread) {
  TraceText t;
  const auto op = [&](const char* name, const char* tid, int ts, const char* args) { t.slice("cpu_op", name, "1", tid, ts, 4, args); };
  op("aten::exp", "1", 0, R"("Sequence number":10,"Fwd thread id":0)");
  op("aten::mul", "1", 5, R"("Sequence number":11,"Fwd thread id":0)");
  op("aten::sin", "3", 6, R"("Sequence number":11,"Fwd thread id":0)");  // another thread counts for itself
  op("aten::add", "1", 10, R"("Sequence number":12,"Fwd thread id":0)");
  op("AddBackward0", "2", 20, R"("Sequence number":12,"Fwd thread id":1)");
  op("MulBackward0", "2", 25, R"("Sequence number":11,"Fwd thread id":1)");
  op("ExpBackward0", "2", 30, R"("Sequence number":10,"Fwd thread id":1)");
  t.event(R"({"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":1,"pid":1,"tid":1,"ts":10})");
  t.event(R"({"ph":"f","cat":"fwdbwd","name":"fwdbwd","id":1,"pid":1,"tid":2,"ts":20,"bp":"e"})");
  const auto model = open_model(t);
  const auto forward = [&](const char* name) {
    const Link link = model->file(0).links.forward_of(row_named(*model, name));
    return link ? std::string(model->name(0, link.row)) + " by " + std::string(link_method_name(link.method)) : "none";
  };
  EXPECT_EQ(forward("AddBackward0"), "aten::add by flow");
  EXPECT_EQ(forward("MulBackward0"), "aten::mul by sequence");
  EXPECT_EQ(forward("ExpBackward0"), "aten::exp by sequence");
  EXPECT_EQ(forward("aten::add"), "none");
}

TEST(Links, AChainLeadsFromPythonOverTheForwardOperatorToTheDevice) {
  TraceText t;
  t.slice("python_function", "net.py(12): forward", "1", "1", 0, 20).op("aten::exp", 2, 8, R"("Sequence number":1,"Fwd thread id":0)");
  t.slice("cpu_op", "ExpBackward0", "1", "2", 30, 10, R"("Sequence number":1,"Fwd thread id":1,"External id":9)");
  t.slice("cuda_runtime", "cudaLaunchKernel", "1", "2", 32, 2, R"("correlation":4,"External id":9)");
  t.kernel("exp_grad", 40, 45, 4);
  const auto model = open_model(t);
  for (const char* start : {"exp_grad", "cudaLaunchKernel", "ExpBackward0"}) {
    const auto chain = chain_table(*model, {0, row_named(*model, start)});
    ASSERT_TRUE(chain.ok());
    std::string roles;
    for (const std::string_view role : (*chain)["role"].texts) roles += std::string(role) + " ";
    EXPECT_EQ(roles, "python forward_op op call device ") << start;
    EXPECT_EQ((*chain)["name"].texts[0], "net.py(12): forward");
    EXPECT_EQ((*chain)["since_ns"].integers[4], 8000);
    EXPECT_TRUE(chain->is_null(*chain->find("since_ns"), 0));
  }
  EXPECT_EQ(*find_event(*model, "exp_grad", 1), (schema::EventId{0, row_named(*model, "exp_grad")}));
  EXPECT_EQ(*find_event(*model, "*_grad", 1), *find_event(*model, "exp_grad", 1));
  EXPECT_EQ(*find_event(*model, "Exp*0", 1), *find_event(*model, "ExpBackward0", 1));
  EXPECT_FALSE(find_event(*model, "grad*", 1).ok());
  EXPECT_FALSE(find_event(*model, "exp_grad", 2).ok());
  EXPECT_FALSE(find_event(*model, "nothing", 1).ok());
  EXPECT_FALSE(chain_table(*model, {0, 999}).ok());
}

TEST(Links, EveryDeviceEventHasOneRowAndMethodsAddUp) {
  TraceText t;
  t.op("a", 0, 10).call("cudaLaunchKernel", 1, 2, 1).kernel("k", 5, 6, 1).kernel("lost", 7, 8, -1);
  const auto tables = links_tables(*open_model(t));
  ASSERT_TRUE(tables.ok());
  EXPECT_EQ((*tables)[1].rows(), 2u);
  EXPECT_EQ((*tables)[1]["latency_ns"].integers[0], 4000);
  EXPECT_EQ((*tables)[1]["call_method"].texts[1], "none");
  int64_t events = 0;
  for (const int64_t n : (*tables)[0]["events"].integers) events += n;
  EXPECT_EQ(events, 2 * 2);
}

}  // namespace
}  // namespace lanewise::trace::analysis
