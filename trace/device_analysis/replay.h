// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How long the run would have taken with some work faster or slower: the dependencies of the profile, walked forward.
//
// With nothing changed every time comes out as observed. What is kept as observed: the order within engines and queues, which
// updates a wait counted, and holds that no record explains. What is not in it: bandwidth that a faster DMA leaves to the
// others. So a saving is an estimate, and exact where engines and DMAs do not share anything but semaphores.
#pragma once

#include <vector>

#include "trace/device_analysis/dependencies.h"

namespace lanewise::trace::device_analysis {

struct Scaling {
  std::vector<double> work;       // by node, time of the work itself (of a DMA: the transfer); empty: 1
  double semaphore = 1;           // hops between an update and who waits for it
  double dma_fixed = 1;           // trigger to first descriptor, drain, completion
};

// The end of the last node.
Picos replay(const Dependencies& dependencies, const Scaling& scaling);

// By node: how much later it could have been done without a later end of the whole. 0 on the critical path.
std::vector<Picos> slack(const Dependencies& dependencies);

}  // namespace lanewise::trace::device_analysis
