// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// annotations: ranges that the user marked on the host (record_function, ProfilerStep#N), with the device work that was asked for in
// them, whenever the device did it.
//
// A device event belongs to every range that holds its operator, else its call, on that thread. The work of a backward operator
// belongs to the ranges around its forward operator as well, and is counted apart as backward: autograd runs it on another
// thread and after the range. Work inside a range that was asked for there and is a backward of an operator there counts once.
//
//   rows    name, part, calls, host_ns, kernels (device events), device_ns (sum), busy_ns (union), backward_kernels, backward_ns (sum),
//           recorded_ns (what the profiler itself wrote for that name on devices; null: nothing), event (the longest); by device_ns
//   ranges  event, name, part, start (from the start of the window), dur_ns, kernels, device_start, device_end (null: no work), device_ns,
//           busy_ns, backward_kernels, backward_ns; by start
#pragma once

#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

Result<std::vector<Table>> annotations_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
