// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// steps: where the time of each ProfilerStep went. Every moment of a step on the host belongs to the first of these that holds at
// it, in any stream or thread of the file, so the parts of a step add up to its duration exactly:
//   kernel, communication (collectives that no kernel hides), copy (copies and fills), runtime (calls of the device's runtime),
//   dataloader (slices named "enumerate(DataLoader)..."), cpu (operators), other
// Device work may end after the step that asked for it; asked_ns is the device work that the step submitted, wherever it ran.
//
//   rows    step, part, rank, start, dur_ns, kernel_ns, communication_ns, copy_ns, runtime_ns, dataloader_ns, cpu_ns, other_ns,
//           asked_ns, outlier (further from the median than 3 times 1.4826 times the median deviation, and than 5 %)
//   spread  part, steps, min_ns, median_ns, mean_ns, max_ns, deviation_ns (median absolute deviation), outliers
#pragma once

#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

Result<std::vector<Table>> steps_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
