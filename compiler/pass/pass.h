// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A pass rewrites a module into one that means the same. It fails only when the module breaks the rules of
// compiler/ir/module.h. Each stands in a file of its own name; compiler/pass/pipeline.cc is the order.
#pragma once

#include "base/status.h"
#include "compiler/ir/module.h"

namespace lanewise::compiler::pass {

Status fold_constants(ir::Module& module);
Status drop_round_trips(ir::Module& module);
Status merge_converts(ir::Module& module);
Status hoist_views(ir::Module& module);
Status merge_views(ir::Module& module);
Status read_views(ir::Module& module);
Status drop_broadcasts(ir::Module& module);
Status merge_equal_ops(ir::Module& module);
Status drop_dead_ops(ir::Module& module);

}  // namespace lanewise::compiler::pass
