// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Sequential list -> engine streams with semaphores: the same results, with everything that may overlap overlapping.
//
// Two instructions conflict when they touch the same bytes and one writes. The later one must not start before the
// earlier one has ended. In-order timelines give some of that for nothing: an engine runs its instructions one after
// the other, a DMA queue its DMAs. All the rest is semaphores:
//
//   timeline    one an engine, one a DMA queue; its semaphore counts the events that somebody waits for
//   clock       of a timeline: up to which event it is known to come after every other timeline. A wait raises it, and
//               what the other side knew at that event comes along, so most conflicts need no wait of their own
//
// An instruction waits for one semaphore; more waits become semaphore_wait instructions in front of it. A DMA is two
// events: the trigger (on the issuing engine, which does the waiting) and the completion (on the queue).
#pragma once

#include "compiler/emit/writer.h"
#include "compiler/stage/stage.h"
#include "isa/program.h"

namespace lanewise::compiler::emit {

// Fills program.streams and semaphores_used with the instructions in the given order. `linear` is used up.
void insert_semaphores(Linear linear, const std::vector<int32_t>& order, const std::vector<stage::Buffer>& buffers, isa::Program& program);

}  // namespace lanewise::compiler::emit
