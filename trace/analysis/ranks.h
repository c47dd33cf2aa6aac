// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// ranks: the files of a session side by side: who is late, and who waits in collectives for whom.
//
// The k-th collective of a name and process group on one rank is the k-th of it on the others that called it; one that ranks called
// another number of times, or one rank alone, is left out and counted in `unmatched`. Clocks are corrected by the measured skew (SessionFile::skew_ns) first. A rank waits in a
// collective from its own start to the start of the last rank, at most as long as its own event lasts.
//
//   ranks        rank, part, file, steps, step_ns (mean; the file's whole window when it has no steps), busy_ns (device), compute_ns,
//                communication_ns, wait_ns (in collectives for later ranks), waited_for_ns (what others waited for this one: for each
//                collective in which it came last, the sum of their waits), last (collectives in which it came last), late_ns (mean
//                lateness against the first rank), skew_ns, straggler (1: came last in more than kStragglerShare of the collectives)
//   collectives  name, k, ranks, start (first start, from the start of the window), spread_ns (last minus first start), wait_ns (sum
//                over ranks), first_rank, last_rank, event (of the rank that came last), work_ns (shortest duration: what it takes when
//                nobody is waited for); by wait_ns
//   unmatched    name, counts (rank:calls, ...)
// One file: the table ranks has one row, the others none.
#pragma once

#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

inline constexpr double kStragglerShare = 0.5;

Result<std::vector<Table>> ranks_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
