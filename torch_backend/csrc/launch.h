// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Running programs on tensors without the dispatcher: what the boxed eager kernel and the torch.compile backend share.
//
// A GraphProgram is one compiled graph. It is immutable, made once, and resident per device from the first launch there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include "compiler/aten/graph.h"
#include "runtime/hal/device.h"

namespace lanewise::torch_backend {

class GraphProgram;
using GraphHandle = std::shared_ptr<GraphProgram>;

// Where the nodes of a graph come from: the number of a table (trace/record/source_sites.h), 0 = not known, and for each node of the
// graph its row there.
struct GraphSources {
  uint32_t table = 0;
  std::vector<uint32_t> nodes;
};

// Parses the text form of compiler/aten/graph.h and compiles it for the machine of this process. `name` becomes the
// program's name in rows and files. Emits a `compile` event. Throws (status.h): NotImplementedError for an op, dtype or
// argument that the lowering table does not serve, ValueError for a bad text.
GraphHandle compile_graph(std::string_view text, std::string_view name, const GraphSources& sources = {});
GraphHandle compile_graph(const compiler::aten::Graph& graph, std::string_view name);

// Launches on the current stream of the tensors' device and returns the new outputs at once, in graph output order
// (outputs stored into an input are not returned). `origin_name` is an interned text for events and errors; 0 = the
// program's name. `device` matters only for a graph without tensor inputs (-1 = current device).
//
// Checks, with a ValueError that names the position: count, device, dtype, sizes and strides as compiled.
// Never touches Python: callers release the GIL around it. Call it directly, not through an op: the device time then
// lands on whatever profiler row is open (Torch-Compiled Region).
std::vector<at::Tensor> run_program(const GraphHandle& program, at::TensorList inputs,
                                    c10::ArrayRef<runtime::ParameterValue> parameters, uint32_t origin_name = 0,
                                    int device = -1);

// For reports and counters of the compile backend.
struct GraphProgramInfo {
  std::string name;
  uint64_t hash = 0;
  int64_t instructions = 0;
  int64_t compile_ns = 0;      // host time of lowering and emit
};
GraphProgramInfo info(const GraphHandle& program);

// The compiled program itself, for dumps and tests.
const isa::Program& program_of(const GraphHandle& program);

}  // namespace lanewise::torch_backend
