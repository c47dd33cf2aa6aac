// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A captured program on the units of the simulator: the same instructions of the same engines, held back by the same
// semaphores, our times. All cores of the capture run together and share their HBM stack.
//
// What a replay takes from the capture, because it is no property of the program: when each engine begins with the
// program (the runtime's prologue before it), when a window of the tensor engine's limiter begins, and into which
// descriptors the runtime cut each transfer. Everything else is the machine file and the units.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "machine/machine.h"
#include "trace/device/profile.h"

namespace lanewise::lab {

// Times count from the earliest engine start of the replay.
struct ReplayedInstruction {
  bool ran = false;
  bool waited = false;         // its semaphore, not its queue, decided when it began
  Picos begin, end;
  Picos reached;               // its semaphore reached the value; only when it waited
  bool by_dma = false;         // ... through a DMA
  Picos source_end;            // end of the instruction that made it reach; only when not by_dma
};
struct ReplayedDescriptor {
  Picos triggered, start, read, complete, visible{-1};
};

struct Replay {
  std::vector<ReplayedInstruction> instructions;   // by index in Program::instructions; of loops the first run
  std::vector<ReplayedDescriptor> descriptors;     // by index in DeviceProfile::dmas; of set-up ones all zero
  Picos first, last;                               // first to last real instruction or descriptor
  int64_t lost = 0;                                // DMA updates of semaphores whose descriptors are not in the capture; given
                                                   // when the rest of their transfer is done
};

// Errors: unimplemented for an opcode that no unit has, with the instruction's bytes as the disassembler prints them;
// failed_precondition for a program that waits for ever (each waiting engine with its semaphore).
Result<Replay> replay(const trace::device::DeviceProfile& captured, const machine::Machine& machine);

}  // namespace lanewise::lab
