// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Patterns of SBUF that cost more than an element a cycle.
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/pipeline.h"

namespace lanewise::sim::sbuf {

core::Patterns access(const isa::Instruction& in, const machine::Machine& machine);

// Innermost stride of a tile with more than one element, in bytes; 0 for one element.
int64_t inner_stride_bytes(const isa::Tile& tile);

}  // namespace lanewise::sim::sbuf
