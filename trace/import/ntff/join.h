// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which instruction of the program is which instruction of an image, and which transfer a trigger starts.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "base/status.h"
#include "trace/device/profile.h"
#include "trace/import/ntff/capture.h"

namespace lanewise::trace::ntff {

// One core of the capture against the same core of the program.
struct CoreJoin {
  uint16_t core = 0;                        // of the program
  struct Stream {
    const Image* image = nullptr;
    std::vector<uint32_t> program;          // by instruction of the body: index in Program::instructions
  };
  std::array<Stream, isa::kEngineCount> streams;

  // One queue of the program: its transfers by id, as the NEFF lists them.
  struct Queue {
    uint32_t index = device::kNone;         // in Program::queues
    std::map<uint32_t, uint32_t> id_of_trigger;       // by index of the trigger instruction
    std::map<uint32_t, uint32_t> descriptor_of_id;    // a transfer's first row in Program::descriptors
    std::map<uint32_t, int64_t> bytes_of_id;          // that the transfer writes, over all its rings
  };
  std::map<std::string, Queue, std::less<>> queues;   // by name
};

// Errors: invalid_argument when an engine's body has another number of instructions than the program or waits for other
// semaphores.
Result<CoreJoin> join_core(const Core& core, size_t position, const device::Program& program);

}  // namespace lanewise::trace::ntff
