// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// List scheduling of the linear list: an engine takes the oldest instruction whose operands are ready, instead of
// waiting for the next one in line. That fills the time in which an engine would wait for its own tile's result from
// another engine with another tile's work, as far as the rotating copies of tiles allow, also across stages.
//
// Any order that keeps conflicting instructions (same bytes, one writes) in their order computes the same, so the
// dependences come from the same access lists as the semaphores. Stands before those: they are then set for the order
// in which the streams really run.
#pragma once

#include <vector>

#include "compiler/emit/writer.h"
#include "compiler/stage/stage.h"
#include "machine/machine.h"

namespace lanewise::compiler::emit {

// The instructions' numbers in their new order.
std::vector<int32_t> reorder(const Linear& linear, const std::vector<stage::Buffer>& buffers, const machine::Machine& machine);

}  // namespace lanewise::compiler::emit
