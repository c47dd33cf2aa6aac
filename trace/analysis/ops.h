// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// ops: key averages, by the rules of torch.profiler's own table (2.15), computed from the rows of the trace.
//
//   CPU rows     operators, annotations, runtime calls and the profiler's overhead rows; Python functions nest with them but
//                have no row. Numbered steps are one row "ProfilerStep*".
//   cpu_ns       sum of durations; self_cpu_ns: without the durations of direct children. No tolerance: a slice that ends after
//                the one it starts in is no child.
//   device_ns    device work of the operator and of all slices inside it; self_device_ns: of the operator itself, which is what
//                links.h gives it. Ranges of annotations on the device are no work.
//   device rows  kernels, copies and fills, and (annotation = 1) annotation ranges on the device: cpu 0, device = durations.
// As in PyTorch's table: the names of kHiddenOps have no row and pass their children on; a slice that is the only child of one of
// the same name is one with it.
//
// What PyTorch counts twice, and we do as well, since the columns are its columns: cpu_ns and device_ns of an operator called
// inside one of the same name are in both calls; an operator and its runtime calls are rows of their own, so only the self
// columns add up. What PyTorch counts twice and we do not: annotation ranges on the device, which it adds to the device time of
// the annotation on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

enum class OpsGroup : uint8_t { shape, stack, module, step, rank };

struct OpsOptions {
  Selection selection;
  std::vector<OpsGroup> groups;  // beside name, device type and annotation flag
  int stack_frames = 5;          // for OpsGroup::stack: innermost first
};

// Columns: name, device_type, annotation, calls, self_cpu_ns, cpu_ns, self_device_ns, device_ns, then one a group (input_shapes,
// stack, module, step, rank). Sorted by self_device_ns, then self_cpu_ns, both descending, then name.
Result<Table> ops_table(const Model& model, const OpsOptions& options = {});

}  // namespace lanewise::trace::analysis
