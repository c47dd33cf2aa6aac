// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// overlap: how much of the communication between devices is hidden behind computation.
//
// Communication: kernels that the producers table calls collectives. Computation: all other kernels. Copies and fills are
// neither; copy_ns says how long they ran. All times are unions over the streams of a device, so computation + exposed
// communication is the time in which at least one of the two ran.
//
//   devices  device, part, rank, compute_ns, communication_ns, hidden_ns (both), exposed_ns (communication alone), hidden_share (percent
//            of communication; null without any), copy_ns
//   rows     name (of the collective), device, part, calls, sum_ns, hidden_ns (of its union), exposed_ns, longest_exposed_ns, op, file,
//            line, event (the one most exposed); by exposed_ns. Two collectives at the same time each have their own exposed time
//   steps    step, device, part, compute_ns, communication_ns, hidden_ns, exposed_ns: within the step, whoever asked for it
#pragma once

#include <vector>

#include "trace/analysis/intervals.h"
#include "trace/analysis/selection.h"
#include "trace/analysis/table.h"

namespace lanewise::trace::analysis {

struct DeviceOverlap {
  uint32_t device = 0;
  Intervals compute, communication, copies;   // session time
  std::vector<const DeviceEvent*> collectives;  // by row
  int64_t hidden_ns() const { return length_of(intersect(compute, communication)); }
};

std::vector<DeviceOverlap> find_overlap(const Model& model, const Filter& filter);

Result<std::vector<Table>> overlap_tables(const Model& model, const Selection& selection = {});

}  // namespace lanewise::trace::analysis
