// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of a GraphHandle: the graph, its program, and the executable of each device that ran it.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <string>

#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/launch.h"

namespace lanewise::torch_backend {

class GraphProgram {
 public:
  // Compiles; throws as compile_graph does.
  GraphProgram(compiler::aten::Graph graph, std::string_view name, const GraphSources& sources);

  const compiler::aten::Graph& graph() const { return graph_; }
  const isa::Program& program() const { return program_; }
  const GraphProgramInfo& info() const { return info_; }
  const std::vector<const compiler::aten::TensorMeta*>& new_outputs() const { return new_outputs_; }

  // Submits on the current stream of the device. Buffers: inputs, then new outputs. Nothing is checked here.
  void submit(int device, std::vector<runtime::DeviceAddress> buffers, c10::ArrayRef<runtime::ParameterValue> parameters,
              uint32_t origin_name);

 private:
  struct Resident {
    std::atomic<bool> ready{false};
    std::shared_ptr<runtime::Executable> executable;
  };
  const std::shared_ptr<runtime::Executable>& on(DeviceState& device);

  compiler::aten::Graph graph_;
  isa::Program program_;
  std::string graph_ir_;
  GraphProgramInfo info_;
  uint32_t interned_name_ = 0;
  uint32_t site_ = 0;   // trace::record::Event::site of its launches
  std::vector<const compiler::aten::TensorMeta*> new_outputs_;
  std::mutex mutex_;   // guards loading
  std::array<Resident, kMaxDevices> resident_;
};

}  // namespace lanewise::torch_backend
