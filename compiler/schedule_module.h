// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The back half of compile(): IR in, program out. For callers that have a module and no graph (tests, dumps).
#pragma once

#include "compiler/compile.h"
#include "compiler/ir/module.h"

namespace lanewise::compiler {

// The module as the passes left it. Errors: unimplemented (an op and dtype that no engine serves); internal (the
// program breaks a rule of the machine: a bug of ours).
Result<isa::Program> schedule_module(const ir::Module& module, const machine::Machine& machine, const CompileOptions& options);

}  // namespace lanewise::compiler
