// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a record of a real capture says. One place knows the numbers; docs/formats/ntff.md has the evidence.
#pragma once

#include <cstdint>
#include <string>

#include "isa/instruction.h"
#include "trace/import/ntff/capture.h"

namespace lanewise::trace::ntff {

enum class Kind : uint8_t {
  unknown,
  instruction_begin, instruction_end,
  semaphore_add, semaphore_subtract, semaphore_set, semaphore_other,   // other: an operation that was never seen
  event_set, event_clear, event_other,
  descriptor_start,      // the DMA engine begins to read
  descriptor_read,       // it has read the last byte
  descriptor_complete,   // it has written the last byte
  pe_limit,
};
inline constexpr size_t kKinds = static_cast<size_t>(Kind::pe_limit) + 1;
std::string_view kind_name(Kind kind);

struct Meaning {
  Kind kind = Kind::unknown;
  bool lost_before = false;      // records before this one did not reach the buffer
  bool by_dma = false;           // semaphores and events: updated by a DMA engine or the host
  isa::Engine engine = isa::Engine::sync;   // of instructions; of semaphores unless by_dma
  uint32_t pc = 0;               // of instructions: low 21 bits of the address in units of 64 bytes
  bool branch = false;           // of instructions: it jumped
  uint32_t waited = 0;           // of a begin: cycles it waited for its semaphore, 16 bits
  uint32_t number = 0;           // of the semaphore, event or queue
  uint32_t value = 0;            // of a semaphore after the update; of descriptor_read: bytes
  double limit = 1;              // of pe_limit; `value` is then the activity it rests on
  uint32_t dma_engine = 0;       // of the chip
};

inline constexpr uint32_t kPcMask = 0x1fffff;

// `physical_core`: of the core whose section this is.
Meaning meaning(const Record& record, const Section& section, uint32_t physical_core);

// "0x9a" for a kind that is not known.
std::string ledger_name(const Meaning& meaning, const Record& record);

}  // namespace lanewise::trace::ntff
