// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A binary for real trn2 as a program of our instruction set, so that the same instructions with the same dependencies can
// be run for values (sim::run_values) and timed (sim::time_program).
//
//   LDWEIGHTS        load_stationary; the array takes columns last first, so the pattern is turned round
//   MATMUL           multiply_moving
//   ACT_TABLE_LOAD   load_table
//   PSEUDO_DMA_TRIGGER  one dma_copy a descriptor; the last one updates the semaphore by the number of hardware queues,
//                    each of which adds one
//   waits alone      semaphore_wait; updates alone semaphore_increment
//   of elements      lab/real_elements.h
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/program.h"
#include "machine/machine.h"
#include "trace/import/neff/real_neff.h"

namespace lanewise::lab {

struct RealProgram {
  isa::Program program;
  // program.streams[e][i] comes from instruction source[e][i] of that engine's binary.
  std::array<std::vector<uint32_t>, isa::kEngineCount> source;
  int64_t sbuf_partition_bytes = 0;   // that the binary addresses; see machine_for
  std::vector<std::string> notes;     // sentences: what is read by analogy and not proved on a file
};

// Core `core` of the NEFF. Errors: not_found (no such core); unimplemented with engine, instruction and its 64 bytes, or the
// descriptor, where something is not understood or has no counterpart.
Result<RealProgram> real_program(const trace::neff::RealNeff& neff, size_t core);

// `base` with as much SBUF as the binary addresses: compilers for the real chip use more of a partition than ours.
machine::Machine machine_for(const RealProgram& program, machine::Machine base);

}  // namespace lanewise::lab
