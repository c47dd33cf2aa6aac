// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "torch_backend/csrc/bindings.h"
#include "torch_backend/csrc/eager_launch.h"
#include "torch_backend/csrc/fallback.h"
#include "torch_backend/csrc/launch.h"
#include "torch_backend/csrc/program_cache.h"
#include "torch_backend/csrc/tensor_python.h"
#include "trace/record/source_sites.h"

namespace nb = nanobind;

namespace lanewise::torch_backend {
namespace {

// Opaque to Python: a compiled graph.
struct Program {
  GraphHandle handle;
};

runtime::ParameterValue to_parameter(nb::handle value) {
  if (nb::isinstance<nb::float_>(value)) {
    const double number = nb::cast<double>(value);
    return {number, static_cast<int64_t>(number)};
  }
  if (!nb::isinstance<nb::int_>(value)) throw nb::type_error("a run-time parameter is an int, a bool or a float");
  const auto number = nb::cast<int64_t>(value);
  return {static_cast<double>(number), number};
}

nb::list run(const Program& program, nb::sequence tensors, nb::sequence parameters, int device) {
  std::vector<at::Tensor> inputs;
  for (nb::handle tensor : tensors) inputs.push_back(unpack_tensor(tensor.ptr()));
  std::vector<runtime::ParameterValue> numbers;
  for (nb::handle number : parameters) numbers.push_back(to_parameter(number));
  std::vector<at::Tensor> outputs;
  {
    nb::gil_scoped_release release;
    outputs = run_program(program.handle, inputs, numbers, 0, device);
    inputs.clear();
  }
  nb::list result;
  for (at::Tensor& tensor : outputs) result.append(nb::steal(wrap_tensor(std::move(tensor))));
  return result;
}

using Frame = std::tuple<std::string, int32_t, std::string>;
using Node = std::tuple<std::string, std::string, std::string, std::string, bool, std::optional<uint32_t>, std::vector<uint32_t>>;

uint32_t add_sources(std::string graph, std::vector<Frame> frames, std::vector<Node> nodes) {
  namespace record = trace::record;
  record::SourceTable table;
  table.graph = std::move(graph);
  for (auto& [file, line, function] : frames) table.frames.push_back({std::move(file), std::move(function), line});
  for (auto& [name, op, path, kind, backward, own, stack] : nodes) {
    for (const uint32_t frame : stack)
      if (frame >= table.frames.size()) throw nb::value_error("a node names a frame that is not there");
    table.nodes.push_back({std::move(name), std::move(op), std::move(path), std::move(kind), backward, own.value_or(record::kNoNode), std::move(stack)});
  }
  return record::add_source_table(std::move(table));
}

std::vector<std::string> supported_ops() {
  std::vector<std::string> names;
  for (std::string_view name : compiler::aten::supported_ops()) names.emplace_back(name);
  return names;
}

}  // namespace

void bind_launch(nb::module_& module) {
  nb::class_<Program>(module, "Program", "A compiled graph.")
      .def_prop_ro("name", [](const Program& p) { return info(p.handle).name; })
      .def_prop_ro("hash", [](const Program& p) { return info(p.handle).hash; })
      .def_prop_ro("instructions", [](const Program& p) { return info(p.handle).instructions; })
      .def_prop_ro("compile_ns", [](const Program& p) { return info(p.handle).compile_ns; })
      .def("text", [](const Program& p) { return isa::print_text(program_of(p.handle)); }, "Its instructions.");

  module.def("compile_graph",
             [](std::string_view text, std::string_view name, uint32_t sources, std::vector<uint32_t> nodes) {
               return Program{compile_graph(text, name, {sources, std::move(nodes)})};
             },
             nb::arg("text"), nb::arg("name"), nb::arg("sources") = 0, nb::arg("nodes") = std::vector<uint32_t>(),
             nb::call_guard<nb::gil_scoped_release>(),
             "Compiles the text form of an ATen graph. sources: a number that add_sources gave; nodes: the row there of each node of the graph. "
             "NotImplementedError: an op that is not served.");
  module.def("add_sources", &add_sources, nb::arg("graph"), nb::arg("frames"), nb::arg("nodes"),
             "Where the nodes of a graph come from; gives the number for compile_graph. frames: (file, line, function); nodes: (name, op, module, class, "
             "backward, own, frames): frames are numbers of frames, innermost first, own the place in them of the user's own line or None.");
  module.def("run_program", &run, nb::arg("program"), nb::arg("tensors"), nb::arg("parameters") = nb::tuple(), nb::arg("device") = -1,
             "Launches on the current stream; returns the new tensors at once.");
  module.def("supported_ops", &supported_ops, "Names of the lowering table: aten::mul.Tensor ...");
  module.def("registered_ops", &registered_ops, "Overloads of the dispatcher that launch programs.");

  module.def("program_cache_stats", [] {
    const auto stats = ProgramCache::instance().stats();
    nb::dict out;
    out["hits"] = stats.hits;
    out["misses"] = stats.misses;
    out["evictions"] = stats.evictions;
    out["entries"] = stats.entries;
    out["capacity"] = stats.capacity;
    return out;
  });
  module.def("clear_program_cache", [] { ProgramCache::instance().clear(); });
  module.def("fallback_ops", &fallback_ops);
  module.def("executed_ops", &executed_ops);
  module.def("clear_op_tracking", [] {
    clear_fallback_ops();
    clear_executed_ops();
  });
}

}  // namespace lanewise::torch_backend
