// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/graph_program.h"

#include <c10/util/Exception.h>

#include "compiler/compile.h"
#include "runtime/hal/runtime_event.h"
#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/correlation.h"
#include "torch_backend/csrc/dtypes.h"
#include "torch_backend/csrc/status.h"
#include "torch_backend/csrc/storage.h"
#include "torch_backend/csrc/streams.h"
#include "trace/record/capture.h"
#include "trace/record/source_sites.h"

namespace lanewise::torch_backend {

namespace {

uint32_t site_of(const isa::Program& program, uint64_t hash, const std::vector<int32_t>& debug_nodes, const GraphSources& sources) {
  if (sources.table == 0) return 0;
  std::vector<uint32_t> rows;
  for (const int32_t node : debug_nodes) {
    const bool known = node >= 0 && static_cast<size_t>(node) < sources.nodes.size();
    rows.push_back(known ? sources.nodes[static_cast<size_t>(node)] : trace::record::kNoNode);
  }
  return trace::record::add_source_site(trace::record::make_site(sources.table, program, hash, rows));
}

}  // namespace

GraphProgram::GraphProgram(compiler::aten::Graph graph, std::string_view name, const GraphSources& sources) : graph_(std::move(graph)) {
  runtime::CallEvent event(trace::record::EventKind::compile, current_device());
  const int64_t started = trace::record::now_ns();
  compiler::CompileOptions options;
  options.name = name;
  options.graph_ir = &graph_ir_;
  std::vector<int32_t> debug_nodes;
  options.debug_nodes = &debug_nodes;
  auto program = compiler::compile(graph_, current_machine(), options);
  if (!program.ok()) {
    event.drop();
    throw_status(program.status().with_context(name));
  }
  program_ = std::move(program).value();
  info_.compile_ns = trace::record::now_ns() - started;
  info_.hash = isa::program_hash(program_);
  info_.name = program_.name;
  info_.instructions = program_.instruction_count();
  interned_name_ = trace::record::intern(program_.name);
  site_ = site_of(program_, info_.hash, debug_nodes, sources);
  event.event.name = interned_name_;
  event.event.program_hash = info_.hash;
  event.event.external_id = current_external_id();
  for (const auto& output : graph_.outputs)
    if (output.into_input < 0) new_outputs_.push_back(&graph_.values[output.value].meta);
}

const std::shared_ptr<runtime::Executable>& GraphProgram::on(DeviceState& device) {
  Resident& slot = resident_[device.index];
  if (slot.ready.load(std::memory_order_acquire)) [[likely]] return slot.executable;
  std::lock_guard lock(mutex_);
  if (!slot.ready.load(std::memory_order_relaxed)) {
    slot.executable = take(device.device->load(program_, graph_ir_));
    slot.ready.store(true, std::memory_order_release);
  }
  return slot.executable;
}

void GraphProgram::submit(int device, std::vector<runtime::DeviceAddress> buffers,
                          c10::ArrayRef<runtime::ParameterValue> parameters, uint32_t origin_name) {
  DeviceState& state = device_state(device);
  runtime::Queue& queue = current_queue(device);
  runtime::ExecuteRequest request;
  request.executable = on(state);
  request.buffers = std::move(buffers);
  request.parameters.assign(parameters.begin(), parameters.end());
  request.origin = {current_external_id(), origin_name != 0 ? origin_name : interned_name_, site_};
  auto fence = queue.execute(std::move(request));
  if (!fence.ok()) [[unlikely]] throw_status(fence.status().with_context(trace::record::interned(origin_name != 0 ? origin_name : interned_name_)));
  if (launch_blocking()) [[unlikely]] check(queue.synchronize());
}

GraphHandle compile_graph(const compiler::aten::Graph& graph, std::string_view name) {
  return std::make_shared<GraphProgram>(graph, name, GraphSources{});
}

GraphHandle compile_graph(std::string_view text, std::string_view name, const GraphSources& sources) {
  return std::make_shared<GraphProgram>(take(compiler::aten::parse_text(text)), name, sources);
}

GraphProgramInfo info(const GraphHandle& program) { return program->info(); }
const isa::Program& program_of(const GraphHandle& program) { return program->program(); }

namespace {

void check_input(const GraphProgram& program, size_t position, const at::Tensor& tensor, int device) {
  const auto& graph = program.graph();
  const compiler::aten::TensorMeta& meta = graph.values[graph.inputs[position].value].meta;
  TORCH_CHECK_VALUE(tensor.is_privateuseone() && tensor.device().index() == device, program.info().name, ": input ", position,
                    " is on ", tensor.device(), ", expected neuron:", device);
  TORCH_CHECK_VALUE(to_dtype(tensor.scalar_type()) == meta.dtype, program.info().name, ": input ", position, " is ",
                    tensor.scalar_type(), ", the program was compiled for ", isa::dtype_name(meta.dtype));
  TORCH_CHECK_VALUE(tensor.sizes() == c10::IntArrayRef(meta.sizes) && tensor.strides() == c10::IntArrayRef(meta.strides),
                    program.info().name, ": input ", position, " has sizes ", tensor.sizes(), " and strides ", tensor.strides(),
                    ", the program was compiled for ", c10::IntArrayRef(meta.sizes), " and ", c10::IntArrayRef(meta.strides));
}

}  // namespace

std::vector<at::Tensor> run_program(const GraphHandle& program, at::TensorList inputs,
                                    c10::ArrayRef<runtime::ParameterValue> parameters, uint32_t origin_name, int device) {
  const auto& graph = program->graph();
  TORCH_CHECK_VALUE(inputs.size() == graph.inputs.size(), program->info().name, ": takes ", graph.inputs.size(), " tensors, got ", inputs.size());
  TORCH_CHECK_VALUE(parameters.size() == graph.parameters.size(), program->info().name, ": takes ", graph.parameters.size(),
                    " numbers, got ", parameters.size());
  if (!inputs.empty()) device = inputs[0].is_privateuseone() ? inputs[0].device().index() : current_device();
  if (device < 0) device = current_device();
  std::vector<bool> stored(inputs.size(), false);
  for (const auto& output : graph.outputs)
    if (output.into_input >= 0) stored[output.into_input] = true;
  std::vector<runtime::DeviceAddress> buffers;
  buffers.reserve(inputs.size() + program->new_outputs().size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_input(*program, i, inputs[i], device);
    buffers.push_back(stored[i] ? writable_address_of(inputs[i]) : address_of(inputs[i]));
  }
  std::vector<at::Tensor> outputs;
  outputs.reserve(program->new_outputs().size());
  for (const compiler::aten::TensorMeta* meta : program->new_outputs()) {
    outputs.push_back(make_tensor(device, meta->sizes, meta->strides, to_scalar_type(meta->dtype)));
    buffers.push_back(address_of(outputs.back()));
  }
  program->submit(device, std::move(buffers), parameters, origin_name);
  return outputs;
}

}  // namespace lanewise::torch_backend
