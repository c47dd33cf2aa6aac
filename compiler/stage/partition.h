// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Module -> stages: groups, one stage each, in an order in which everything is written before it is read.
//
// The promise of ir::Store (a store into an input happens after all reads) is kept here: a store that some stage could
// still see goes to scratch and is copied into place by a stage at the end. It goes straight into the input when no
// later stage reads that memory or memory that may overlap it, and its own stage reads it, if at all, at exactly the
// element it then writes, to compute that element.
#pragma once

#include "base/status.h"
#include "compiler/ir/module.h"
#include "compiler/stage/stage.h"

namespace lanewise::compiler::stage {

// Buffers 0.. are the module's inputs, then its outputs, then scratch.
Schedule partition(const ir::Module& module);

}  // namespace lanewise::compiler::stage
