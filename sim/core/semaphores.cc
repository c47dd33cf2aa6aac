// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/semaphores.h"

#include "isa/table.h"

namespace lanewise::sim::core {

Status deadlock(const Waiter* waiters, int count) {
  std::string text = "deadlock: ";
  for (int i = 0; i < count; ++i) {
    const Waiter& w = waiters[i];
    if (i > 0) text += "; ";
    text += std::string(isa::engine_name(w.engine)) + " waits at instruction " + std::to_string(w.index) + " (" +
            isa::print_text(*w.instruction) + ") for semaphore " + std::to_string(w.instruction->wait.semaphore) +
            " >= " + std::to_string(w.instruction->wait.at_least) + ", which is " + std::to_string(w.value);
  }
  return failed_precondition(std::move(text));
}

}  // namespace lanewise::sim::core
