// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Placed stages -> program: instructions stage by stage in one list, then semaphores.
#pragma once

#include "base/status.h"
#include "compiler/ir/module.h"
#include "compiler/stage/stage.h"
#include "isa/program.h"
#include "machine/machine.h"

namespace lanewise::compiler::emit {

// Streams, buffers, parameters, debug map and semaphores of the program; not its name. `debug_ops` gets, by entry of the debug map, the
// IR op that it names; -1 of entry 0.
Result<isa::Program> emit_program(const ir::Module& module, const stage::Schedule& schedule, const machine::Machine& machine,
                                  std::vector<int32_t>* debug_ops);

}  // namespace lanewise::compiler::emit
