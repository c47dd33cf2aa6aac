// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// compare: A against B (C, ...): which operators are the same, which kernels replaced which, and where the difference of a step comes
// from. A is the side to which the others are compared.
//
// The k-th step of a side is compared with the k-th of A; without steps on both sides, the whole files. A step's sequence: the
// outermost operators that start in it, by start. Two operators are the same when name and module path are (the path counts only when both
// sides have modules). The sequences are aligned (align.h); what stands between the same two neighbours on both sides replaced each other.
// All times and counts are per step: sums over the compared steps divided by their number, so fractions of a ns are lost.
//
//   sides    side, path, steps, compared (steps), step_ns (median of all; the window without steps)
//   metrics  metric, side, a, b, delta, ratio (b / a; null when a is 0). step (ns), device_busy (ns, without overhead), device_work (sum of durations without overhead,
//            so work that overlaps counts as often as it ran), device_events,
//            launches, copies, operators (outermost), host (ns of them), and the idle causes of gaps.h (ns)
//   rows     side, status (same, replaced, only_a, only_b), module, a_ops, b_ops, a_calls, b_calls, a_kernels, b_kernels, a_device_ns,
//            b_device_ns (durations of the device events they asked for, overhead included), a_overhead_ns, b_overhead_ns, delta_ns
//            (device), a_host_ns, b_host_ns, a_event, b_event (first operators; ids are of the side's own file). Largest change first
//   explain  side, part, a_ns, b_ns, delta_ns. Every moment of a step on the device that did most belongs to one part: operators (work of
//            operators of this step ran), without_operator (only work of it that nothing ties to one), other_steps (only work that other steps
//            asked for), the idle causes of gaps.h. So no part is below 0, streams that run side by side count once, and the parts add up to
//            the step; unexplained is what is left of it by rounding. Sides without a device: operators (moments in which one ran on the host)
//            and unexplained (the rest)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

struct CompareSide {
  std::shared_ptr<const Model> model;
  std::string path;
};

// At least two sides; failed_precondition otherwise.
Result<std::vector<Table>> compare_tables(const std::vector<CompareSide>& sides, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
