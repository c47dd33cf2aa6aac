// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/compile.h"

#include "compiler/aten/lower.h"
#include "compiler/pass/pipeline.h"
#include "compiler/schedule_module.h"

namespace lanewise::compiler {

Result<isa::Program> compile(const aten::Graph& graph, const machine::Machine& machine, const CompileOptions& options) {
  LW_ASSIGN_OR_RETURN(ir::Module module, aten::lower(graph, options.name));
  if (options.dump) options.dump("lower", ir::print_text(module));
  LW_RETURN_IF_ERROR(pass::run_pipeline(module, options.dump));
  return schedule_module(module, machine, options);
}

// Raised whenever the same graph may compile to another program.
std::string_view compiler_version() { return "1"; }

}  // namespace lanewise::compiler
