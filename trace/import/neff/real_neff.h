// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the archive of a NEFF made by neuronx-cc holds, as its own files say it (docs/formats/neff.md): one folder a core,
// and in it engine binaries, DMA descriptor lists, variables, constants and debug names. Nothing is interpreted here
// beyond its own file; program.h makes the tables of trace/device of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "isa/table.h"
#include "isa/trn2/instruction.h"
#include "trace/import/neff/debug_names.h"
#include "trace/import/neff/npy.h"
#include "trace/record/neff.h"

namespace lanewise::trace::neff {

struct Variable {
  std::string name;
  std::string type;          // "input", "output", "file", "virtual", "tmp-buf", "state-buffer", ...
  int64_t bytes = 0;
  std::string file;          // type "file": the member with its bytes
};

struct TensorInfo {
  std::string name, dtype, kind;   // kind: "input", "output" or empty
  std::vector<int64_t> shape;      // as the framework has it
  bool constant = false;
};

struct Queue {
  std::string name;          // "qSPIO0"
  std::string type;          // "in", "data", ...
  isa::Engine owner = isa::Engine::sync;   // whose instructions trigger it
  int64_t rings = 0;         // hardware queues it is spread over; each adds one to the semaphore of a transfer
  std::vector<int64_t> semaphores;
};

// One side of a descriptor: bytes everywhere, dimensions innermost first, as in the file.
struct DmaSide {
  std::string variable;      // "SB": on-chip address space, else a variable in device memory
  std::string dtype;
  int64_t offset = 0;
  std::vector<int64_t> sizes, steps;
  bool on_chip() const { return variable == "SB"; }
};
struct DmaElement {
  std::string operation;     // "copy", "cast", ...
  DmaSide from, to;
};
// What one PSEUDO_DMA_TRIGGER starts.
struct DmaBlock {
  std::string name;          // the compiler's: "I-5-0-block-1"
  std::string queue;
  int64_t id = 0;            // in the queue's list
  int64_t semaphore = -1;    // told when it is done
  std::vector<DmaElement> elements;
};

struct EngineCode {
  isa::Engine engine = isa::Engine::sync;
  std::string member;                        // "sg00/DVE.bin"
  std::vector<isa::trn2::Instruction> instructions;
  std::vector<InstructionName> names;        // of the compiler, by instruction; empty: none
  std::vector<DmaBlock> blocks;
  std::vector<std::string> table_sets;       // Activation: what ACT_TABLE_LOAD loads
  int64_t rest_bytes = 0;                    // at the end, less than one instruction
};

struct Core {
  std::string folder;                        // "sg00"
  std::array<EngineCode, isa::kEngineCount> engines;   // by isa::Engine
  std::vector<Queue> queues;
  std::vector<Variable> variables;
  std::vector<TensorInfo> tensors;
  std::map<std::string, Npy> constants;      // by variable
  // Position in an engine's `blocks` by engine, queue and id; the first of equal ones.
  std::map<std::tuple<isa::Engine, std::string, int64_t>, size_t> block_index;
  int64_t sbuf_partition_bytes = 0;          // end of what the runtime reserves; 0: not said

  const Queue* queue(std::string_view name) const;
  const Variable* variable(std::string_view name) const;
  const TensorInfo* tensor(std::string_view name) const;
  const DmaBlock* block(isa::Engine engine, std::string_view queue, int64_t id) const;
};

// Every member of the archive is one of these.
enum class MemberUse : uint8_t {
  read,      // decoded
  listed,    // its purpose is known, its content is not needed: tables of the engines, framework debug information
  unknown,
};
struct Member {
  std::string name;
  int64_t bytes = 0;
  MemberUse use = MemberUse::unknown;
};

struct RealNeff {
  record::NeffHeader header;
  std::string tool_version;   // "2.21.18209.0+043b1bf7"
  std::string target;         // "cayman"
  std::vector<Core> cores;
  std::vector<Member> members;
  std::vector<std::string> problems;   // sentences: what could not be read, and is missing above
};

// `neff` as record::read_neff gives it, damaged archives too. What one member cannot give is a sentence in `problems`.
// Errors: failed_precondition (made by Lanewise), unimplemented (a newer format), data_loss (no core can be read).
Result<RealNeff> read_real_neff(const record::Neff& neff);

}  // namespace lanewise::trace::neff
