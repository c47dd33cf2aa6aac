// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The program container: what the compiler emits, the driver loads and the chip runs.
//
// A program is one in-order instruction stream per engine, a table of device-memory buffers bound at launch, constants,
// and the debug map. Its hash covers code, buffers and constants, not the debug map.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/instruction.h"

namespace lanewise::isa {

struct Buffer {
  enum class Kind : uint8_t { input, output, constant, scratch };
  Kind kind = Kind::input;         // an input may be written too: in-place and out= forms store into it
  std::string name;
  int64_t bytes = 0;               // what the program may touch from the bound address on
  std::vector<std::byte> data;     // constants only
  bool operator==(const Buffer&) const = default;
};

// A scalar the launch passes by value; the sequencer patches it into instructions as Scalar::Kind::parameter.
struct Parameter {
  std::string name;
  DType dtype = DType::f32;        // f32 or i64
  bool operator==(const Parameter&) const = default;
};

// Which IR op and ATen node an instruction came from.
struct DebugEntry {
  std::string ir_op;
  std::string aten_node;
  bool operator==(const DebugEntry&) const = default;
};

struct Program {
  std::string name;                // printable ASCII, for rows and files
  std::string machine;             // preset it was compiled for
  std::vector<Buffer> buffers;     // launch binds inputs and outputs in this order; the driver makes the rest
  std::vector<Parameter> parameters;
  std::array<std::vector<Instruction>, kEngineCount> streams;   // by Engine
  std::vector<DebugEntry> debug{DebugEntry{}};                   // entry 0 = unknown
  int64_t semaphores_used = 0;

  int64_t instruction_count() const {
    int64_t n = 0;
    for (const auto& s : streams) n += static_cast<int64_t>(s.size());
    return n;
  }
  bool operator==(const Program&) const = default;
};

// 63-bit content hash (positive in every signed 64-bit type), stable across runs and machines.
uint64_t program_hash(const Program& program);

// Structural rules: operands as the instruction table wants them, quadrant rule, sizes within SBUF and PSUM of
// `partition_bytes`, buffer patterns inside buffers, element counts equal, loops closed, semaphores in range.
// The error names engine, instruction number and rule.
struct VerifyLimits { int64_t sbuf_partition_bytes = 0; int64_t psum_partition_bytes = 16384; };
Status verify(const Program& program, const VerifyLimits& limits);

// Text form: one instruction a line; parse_text(print_text(p)) == p, debug map included.
std::string print_text(const Program& program);
std::string print_text(const Instruction& instruction);
Result<Program> parse_text(std::string_view text);

// Our own binary codec (`program.bin` inside a .neff). decode(encode(p)) == p.
std::vector<std::byte> encode(const Program& program);
Result<Program> decode(const std::byte* data, size_t size);

}  // namespace lanewise::isa
