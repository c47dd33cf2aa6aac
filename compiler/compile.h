// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Graph in, program out. Pure: no global state, safe from any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/aten/graph.h"
#include "isa/program.h"
#include "machine/machine.h"

namespace lanewise::compiler {

struct CompileOptions {
  std::string name = "program";   // becomes Program::name
  // Called with (pass name, IR text) after each pass, when set.
  std::function<void(std::string_view, const std::string&)> dump;
  // Receives the text of the IR that was scheduled, whose ops the debug map of the program names, when set.
  std::string* graph_ir = nullptr;
  // Receives, by entry of the program's debug map, the node of the graph (by position) that it came from, -1 = none, when set. Loads
  // of what several nodes read belong to the first of them. Not part of the program: programs are shared by graphs whose nodes differ.
  std::vector<int32_t>* debug_nodes = nullptr;
};

// Buffer order of the program: graph inputs by position, then graph outputs that are new tensors, in output order,
// then constants and scratch. An output stored into an input has no buffer of its own: it is written to the input's,
// whose kind is then still `input`. A new output's buffer is as many bytes as its sizes and strides span.
// Errors: unimplemented (op, dtype or argument that the table does not serve; names it), invalid_argument.
Result<isa::Program> compile(const aten::Graph& graph, const machine::Machine& machine, const CompileOptions& options);

// Goes into cache keys and captures.
std::string_view compiler_version();

}  // namespace lanewise::compiler
