// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The one lowering table: ATen op -> IR. Eager gives it graphs of one node, torch.compile gives it whole graphs.
#pragma once

#include "base/status.h"
#include "compiler/aten/graph.h"
#include "compiler/ir/module.h"

namespace lanewise::compiler::aten {

// Errors: unimplemented names the op and what of it is not served (dtype, argument).
Result<ir::Module> lower(const Graph& graph, std::string_view name);

}  // namespace lanewise::compiler::aten
