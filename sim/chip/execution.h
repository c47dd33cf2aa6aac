// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Running a program in one legal order: what run_values, the reference interpreter and the hazard checker share.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "sim/chip/chip.h"
#include "sim/core/memory.h"
#include "sim/core/stream.h"

namespace lanewise::sim {

// Sees every executed instruction in an order that queues and semaphores allow.
class Executor {
 public:
  virtual ~Executor() = default;
  // `instruction` has passed its wait. Its update is applied when this returns (a DMA has then run).
  virtual Status execute(isa::Engine engine, const core::StreamCursor& at) = 0;
};

// Lets each engine run until it waits or has executed `turn` instructions, then the next one, until all are done.
// A DMA runs when it is triggered, which is one of the orders its queue allows.
// Errors: those of the executor, with engine and instruction in front; failed_precondition for a deadlock;
// invalid_argument for loops that do not close and semaphores that do not exist.
Status execute_program(const isa::Program& program, Executor& executor, int64_t turn);

// Buffers and parameters of a launch against the program's tables.
struct Launch {
  std::vector<core::HostBuffer> buffers;
  std::vector<core::ParameterInput> parameters;
};
// Errors: invalid_argument for a buffer that is unbound or shorter than declared, or a parameter that is missing.
Result<Launch> bind_launch(const isa::Program& program, std::span<const Binding> buffers,
                           std::span<const ParameterValue> parameters);

}  // namespace lanewise::sim
