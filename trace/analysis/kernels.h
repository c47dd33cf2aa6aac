// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// kernels: what ran on the devices, by device and name: kernels, copies and fills.
//
// Columns: name, device, part, kind (kernel, memcpy, memset), calls, sum_ns, union_ns (moments in which at least one of them ran),
// clipped_ns (each counted until the next event of its lane starts: what is left of durations that run over their neighbours), min_ns,
// mean_ns, max_ns, share (of the device's sum, percent), linked (calls with a known operator), op (the operator most of them come from).
// Sorted by sum_ns.
#pragma once

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

Result<Table> kernels_table(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
