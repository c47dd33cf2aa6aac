// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One execution below the system trace: what the program of a NEFF says (instructions, DMA descriptors, tensors) and what
// the records of an NTFF measured (when each ran). Ours and real captures fill the same tables; every question of the
// device level is asked of this, and of nothing else.
//
// Times are ps from the first record of the capture. Runs refer to rows of the program by index, so that millions of runs
// stay small. Vectors of runs are sorted by begin, then by the order of the file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "isa/instruction.h"

namespace lanewise::trace::device {

inline constexpr uint32_t kNone = UINT32_MAX;

enum class Space : uint8_t { none, sbuf, psum, hbm, immediate, register_ };

// One side of an instruction or DMA descriptor. Sizes and steps count elements, outermost first; partitions come apart.
struct Operand {
  std::string role;               // "dst", "src0", ...
  Space space = Space::none;
  std::string tensor;             // of HBM: the name of the tensor, when known
  std::string dtype;              // "float32", ...; empty when not known
  int64_t address = 0;            // bytes: in a partition (SBUF, PSUM) or in the tensor (HBM)
  int32_t partition = 0, partitions = 0;
  std::vector<int64_t> sizes, steps;
};

struct Semaphore {
  int32_t number = -1;
  std::string relation;           // of a wait ">=", "=="; of an update "+", "-", "="
  uint32_t value = 0;
};

struct Instruction {
  uint16_t core = 0;
  isa::Engine engine = isa::Engine::sync;
  uint32_t index = 0;             // position in that engine's stream
  std::string opcode;             // as the file's own maker names it: "tensor_tensor", "TENSOR_TENSOR"
  std::string text;               // the whole instruction in one line, as `disasm` prints it
  std::string name;               // the compiler's name for it ("I-8-0"), or empty
  std::string ir_op, aten_node;   // of the debug map, or empty
  std::string function;           // of an activation: "exp"; else empty
  std::vector<Operand> operands;
  std::vector<Semaphore> waits, updates;
  int64_t elements = 0;           // written, over all partitions
  int64_t flops = 0;              // PE: 2 x rows x columns x moving elements; others: operations an element x elements
  int64_t bytes_read = 0, bytes_written = 0;
  uint32_t queue = kNone;         // DMA triggers: index in Program::queues
  bool transpose = false;         // PE: moves data, multiplies nothing
  bool setup = false;             // start-up, barrier, wind-down: no part of total_exec_time
};

struct DmaQueue {
  uint16_t core = 0;
  std::string name;               // "qSPIO0"
  isa::Engine engine = isa::Engine::sync;   // that triggers it
};

struct DmaDescriptor {
  uint16_t core = 0;
  uint32_t queue = kNone;         // index in Program::queues
  uint32_t trigger = kNone;       // index in Program::instructions, when known
  std::string name;
  Operand from, to;
  int64_t bytes = 0;
};

struct Tensor {
  std::string name;
  std::string kind;               // "input", "output", "constant", "scratch"
  std::string dtype;
  std::vector<int64_t> shape;     // empty when not known
  int64_t bytes = 0;
};

struct Program {
  std::string name, compiler;     // "lanewise 1", "neuronx-cc 2.21.18209"
  std::string target;             // machine preset it was made for ("trn2")
  std::string hash;               // as the names of its files have it (decimal), or empty
  uint16_t cores = 1;
  std::vector<Instruction> instructions;    // by core, engine, index
  std::vector<DmaQueue> queues;
  std::vector<DmaDescriptor> descriptors;
  std::vector<Tensor> tensors;
};

struct InstructionRun {
  uint32_t instruction = kNone;   // index in Program::instructions; kNone: in no binary (the runtime's own work)
  bool setup = false;             // the runtime's prologue or epilogue, or a start-up instruction: no part of total_exec_time
  uint16_t core = 0;
  isa::Engine engine = isa::Engine::sync;
  bool throttled = false;         // PE at reduced clock
  uint32_t iteration = 0;         // how often it ran before (hardware loops)
  Picos ready{-1}, begin, end;    // ready: reached the head of its queue; -1 when the capture does not say
  Picos table_load;               // part of begin..end
};

struct DmaRun {
  uint16_t core = 0;
  bool setup = false;             // of no queue of the program: tables and instructions that the runtime fetches
  uint16_t dma_engine = UINT16_MAX;   // UINT16_MAX: the run is a whole transfer over several engines
  uint32_t queue = kNone;         // index in Program::queues
  uint32_t trigger = kNone;       // index in Program::instructions
  uint32_t descriptor = kNone;    // index in Program::descriptors, when one run is one descriptor
  uint32_t iteration = 0;
  Picos triggered{-1}, begin, read{-1}, end, visible{-1};   // read: last byte read. -1 when the capture does not say
  int64_t bytes = 0;
  int64_t descriptors = 1;
  bool semaphore = false;         // writes its transfer's semaphore when it is done
};

struct SemaphoreRun {
  Picos at;
  uint16_t core = 0;
  int32_t semaphore = 0;
  uint32_t value = 0;             // after the update
  bool by_dma = false;
  isa::Engine engine = isa::Engine::sync;   // that updated it, unless by_dma
  uint32_t run = kNone;           // which one updated it: index in DeviceProfile::dmas if by_dma, else in ::instructions
};

// The limiter of the tensor engine changed its mind (real captures; ours mark the throttled runs instead).
struct PeLimitChange {
  Picos at;
  uint16_t core = 0;
  double limit = 1;               // from now on: the fraction of its clock at which the array runs
  uint16_t activity = 0;          // of the window that ended, in the chip's own count (204 was the most ever seen)
};

// Nothing of either file disappears: every byte and record is in one of these.
struct Ledger {
  int64_t bytes = 0, header = 0, metadata = 0, record_bytes = 0, padding = 0, skipped = 0;   // the first = the rest added
  int64_t records = 0, unknown = 0;         // unknown: of a kind that docs/formats/ntff.md does not name
  std::map<std::string, int64_t> kinds;     // by name; unknown ones as "0x9a"
  std::vector<std::string> sentences;       // what was wrong, with byte offsets
};

struct DeviceProfile {
  Program program;
  std::vector<InstructionRun> instructions;
  std::vector<DmaRun> dmas;
  std::vector<SemaphoreRun> semaphores;
  std::vector<PeLimitChange> pe_limits;
  std::string producer;           // "lanewise" or "neuron"
  uint16_t first_core = 0;        // physical core that core 0 of the program ran on
  std::string machine;            // spec text for machine::load: "trn2", "trn2,exec_overhead_ns=0"
  std::string simulator_version;  // empty for a real capture
  bool simulated = false;
  int64_t exec_overhead_ns = 0, device_capture_overhead_ns = 0;   // of the execution around it (ours), else 0
  Picos duration;                 // of the whole capture
  Picos first, last;              // first to last instruction or descriptor of the program, triggers included (exec_span.h leaves them out)
  Ledger ledger;
};

}  // namespace lanewise::trace::device
