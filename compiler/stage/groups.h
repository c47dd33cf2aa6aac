// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which ops are computed together, and which values live in device memory.
//
// Ops are visited from the last to the first. An op that one group alone uses joins that group; an op that several
// groups use, or a matmul or gather, or a store, gets a home in device memory. Views and widening conversions are
// transparent: whoever uses them uses what is behind them. So a group is the cone of its root, and what its members
// store on the side is read by nobody: groups can always be ordered.
//
//   x --- mean --- rsqrt --- mul --> stored        one group, root = the last mul
//
// The builder may find that a group cannot share one iteration space (two reductions over different dimensions). It
// then names the op to isolate, and the grouping is made again.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/status.h"
#include "compiler/ir/module.h"
#include "compiler/stage/stage.h"

namespace lanewise::compiler::stage {

// Where a value is written: element index . strides + offset of `buffer`.
struct Destination {
  int32_t buffer = -1;
  int64_t offset = 0;                // elements
  std::vector<int64_t> strides;      // of the value's dimensions
  bool read = false;                 // other groups read this memory
  bool part = false;                 // the memory is a concat's or pad's: other groups write it too
};

struct Group {
  int32_t root = -1;                 // the op whose shape is the iteration space
  std::vector<int32_t> values;       // ops of the group with destinations; the root first
  bool fill = false;                 // writes the background of a pad: before its other writers
};

// Ops that must have a home of their own (found by the builder).
struct Decisions {
  std::set<int32_t> isolated;
  std::set<int32_t> no_epilogue;     // matmuls that share their stage with nobody
};

struct Grouping {
  Decisions decisions;                                   // that it was made with
  std::vector<Group> groups;
  std::vector<int32_t> group_of;                         // by op; -1 = transparent, leaf or dead
  std::vector<std::vector<Destination>> destinations;    // by op
  std::vector<int32_t> home;                             // by op: which of its destinations others read, or -1
};

// Appends scratch buffers to `buffers`. Buffers of inputs and outputs must be there.
Grouping make_groups(const ir::Module& module, const Decisions& decisions, std::vector<Buffer>& buffers);

// Whether the op is only another way to look at its operand, inside a stage.
bool is_transparent(const ir::Module& module, int32_t op);
bool is_view(ir::OpKind kind);
bool is_generator(ir::OpKind kind);   // constant, parameter, iota

}  // namespace lanewise::compiler::stage
