// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/asked.h"

#include "trace/analysis/analysis_fixture.h"

namespace lanewise::trace::analysis {
namespace {

TEST(Asked, AFrameIsReadFromItsName) {
  const auto frame = parse_frame("folder (copy)/model.py(21): separate");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->file, "folder (copy)/model.py");
  EXPECT_EQ(frame->line, 21);
  EXPECT_EQ(frame->function, "separate");
  for (const char* name : {"<built-in function len>", "nn.Module: Linear_0", "aten::add", "x(): y", "x(1a): y", "(3): y", ""}) {
    EXPECT_FALSE(parse_frame(name)) << name;
  }
}

TEST(Asked, TheOutermostAtenOperatorAndTheUsersLine) {
  TraceText t;
  t.slice("python_function", "train.py(7): step", "1", "1", 0, 100).slice("python_function", "torch/nn/functional.py(9): f", "1", "1", 5, 80);
  t.op("Torch-Compiled Region: 0/0", 10, 80).op("aten::add", 20, 70).op("aten::copy_", 30, 60).call("cudaMemcpyAsync", 40, 50, 1);
  t.slice("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", "0", "7", 45, 5, "\"device\":0,\"stream\":7,\"correlation\":1");
  const auto model = open_model(t);
  AskerFinder finder(*model);
  const Asker asker = finder.of_event(0, model->file(0).links.device_events.at(0));
  EXPECT_EQ(model->name(0, asker.op), "aten::add");
  EXPECT_EQ(model->name(0, asker.outermost), "Torch-Compiled Region: 0/0");
  EXPECT_EQ(asker.line.file, "train.py");
  EXPECT_EQ(asker.line.line, 7);
}

TEST(Asked, ABackwardOperatorHasTheLineOfItsForwardOne) {
  TraceText t;
  t.slice("python_function", "train.py(7): step", "1", "1", 0, 50).op("aten::mul", 10, 20, "\"Sequence number\":5");
  t.slice("cpu_op", "MulBackward0", "1", "2", 60, 20, "\"Sequence number\":5,\"Fwd thread id\":1");
  const auto model = open_model(t);
  AskerFinder finder(*model);
  EXPECT_EQ(finder.line_of(0, row_named(*model, "MulBackward0")).line, 7);
}

}  // namespace
}  // namespace lanewise::trace::analysis
