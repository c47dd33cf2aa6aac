// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// summary: the first screen about a trace. What the devices did and what they waited for (gaps.h), the operators that cost most
// (ops.h), what host time went into behind the scenes, and how far the file can be trusted (trust.h).
//
//   files    part, path, format, rank, events, bytes (of text), producers, span_ns
//   devices  as gaps.h
//   top_ops  the ten rows of ops.h with the largest self device time, or self CPU time when no device worked
//   hidden   kind (sync, copy, fill, allocate, release, launch, graph_launch, wait, record), calls, host_ns (sum of durations), longest_ns,
//            event (the longest)
//   trust    as trust.h
#pragma once

#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

Result<std::vector<Table>> summary_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
