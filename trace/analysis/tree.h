// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// tree: slices of host threads that lie in each other the same way, added up.
//
// Top-down: a node is a path of names from a thread (depth 0, named by its tid) inwards. Bottom-up: depth 0 is a name with its self
// times, below it who called it. One row a node, parents before children, children by total time.
//
// Columns: node, parent (null at depth 0), depth, name, calls, total_ns, self_ns, device_ns (device work asked for by the slice
// and what is in it), self_device_ns. Bottom-up: total_ns is the self time of the leaf on this path, device_ns its own device work.
#pragma once

#include <string>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

struct TreeOptions {
  Selection selection;     // name: only paths through a slice of that name, from it on
  std::string thread;      // tid; "": all
  bool bottom_up = false;
  int max_depth = 64;      // deeper slices count for the node at that depth (top-down), callers end there (bottom-up)
};

Result<Table> tree_table(const Model& model, const TreeOptions& options = {});

}  // namespace lanewise::trace::analysis
