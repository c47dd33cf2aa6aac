// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The two questions one asks a simulated NeuronCore: what does this program compute, and how long does it take.
//
// Both are pure functions of their arguments: no global state, safe from any thread. Timing starts from one canonical
// state (PE at half clock with a limiter window that begins with the program, no activation table loaded, idle queues, own
// HBM share) and depends on program and machine only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "isa/program.h"
#include "machine/machine.h"

namespace lanewise::sim {

// Where buffer i of the program lives for this run (host pointer to its first byte).
struct Binding {
  std::byte* data = nullptr;
  int64_t bytes = 0;
};

// Value of run-time parameter i.
struct ParameterValue {
  double f = 0;
  int64_t i = 0;
};

struct RunOptions {
  bool check_hazards = false;   // vector-clock checker: names both instructions and the address range
};

// Executes the program on memory. All buffers (constants and scratch too) must be bound, at least `bytes` long.
// Errors: unbound buffer; an access out of a buffer; hazard; deadlock (the report lists each waiting engine with its
// instruction, semaphore, value and wanted value).
Status run_values(const isa::Program& program, const machine::Machine& machine, std::span<const Binding> buffers,
                  std::span<const ParameterValue> parameters, const RunOptions& options);

// The slow plain interpreter, one element at a time: the oracle that run_values is bit-compared with in tests.
Status run_values_reference(const isa::Program& program, const machine::Machine& machine,
                            std::span<const Binding> buffers, std::span<const ParameterValue> parameters);

// Static check of a program without running it: the hazard checker alone, deadlocks included.
Status check_hazards(const isa::Program& program, const machine::Machine& machine);

// One instruction of a timed run. Times count from the start of the program.
struct InstructionRecord {
  uint8_t engine = 0;            // isa::Engine
  uint32_t index = 0;            // position in that engine's stream
  uint32_t iteration = 0;        // how often this instruction ran before (hardware loops)
  Picos ready, begin, end;       // ready: at the head of its queue, and its unit has room; begin - ready = waiting for `wait`.
                                 // nc_matmul begins with its load where that is not hidden behind the columns before
  Picos table_load;              // part of begin..end that was an activation-table load
  bool throttled = false;        // PE at reduced clock
};

// One DMA of a timed run (all its descriptors together).
struct DmaRecord {
  uint8_t engine = 0;            // which engine triggered it
  uint8_t queue = 0;
  uint32_t index = 0;            // position of the trigger in that engine's stream
  uint32_t iteration = 0;
  Picos trigger, begin, end, visible;  // first descriptor starts; last byte written; semaphore visible
  int64_t bytes = 0;
  int64_t descriptors = 0;
};

struct Timing {
  Picos duration;                                   // first instruction ready to last engine idle and last DMA done
  std::array<Picos, isa::kEngineCount> busy{};      // union of begin..end per engine
  Picos dma_busy;                                   // union over all DMA engines
  int64_t dma_bytes = 0;
  int64_t instructions = 0;                         // executed, loops unrolled
  std::vector<InstructionRecord> records;           // only when asked for
  std::vector<DmaRecord> dma_records;
};

struct TimingOptions {
  bool records = false;
};

Result<Timing> time_program(const isa::Program& program, const machine::Machine& machine, const TimingOptions& options);

// Goes into every capture: results of two versions are not to be compared.
std::string_view simulator_version();

}  // namespace lanewise::sim
