// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the codes of real trn2 binaries mean: opcodes with their layouts, dtypes, ALU operations. The one list; decoder,
// printer and documentation read it. Names are those of public profiles where there is one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/table.h"
#include "isa/trn2/instruction.h"

namespace lanewise::isa::trn2 {

enum class What : uint8_t {
  opcode, words, wait_kind, wait_semaphore, update_kind, update_semaphore, wait_value,   // every instruction
  pattern3, pattern4,       // u32 address, then i16 steps and u16 counts of 3 or 4 dimensions
  dtype,                    // of the pattern with the field's role
  dtype_pair,               // low nibble src0, high nibble src1
  alu, partitions, rows, columns, pass, transpose, accumulate,
  row_groups, column_groups,   // of 32 each, bit by bit; 0xf: all
  queue, descriptor,
};

struct Field {
  uint8_t offset, bytes;
  What what;
  Role role = Role::dst;    // pattern3, pattern4, dtype
  Evidence evidence = Evidence::observed;
};

struct OpcodeRow {
  uint8_t code;
  std::string_view name;
  EngineSet engines;        // where it was seen
  std::span<const Field> fields;   // beyond those of every instruction
  Evidence evidence;
  bool setup;               // moves and computes nothing: start-up, or a wait alone
  std::string_view meaning;
};

std::span<const Field> header_fields();
std::span<const OpcodeRow> opcode_rows();
const OpcodeRow* opcode_row(uint8_t code);   // null when not known

struct DTypeRow {
  uint8_t code;
  std::string_view name;    // as NEFF files write it: "float16"
  int bytes;
  bool ours;                // has `dtype`
  DType dtype;
  Evidence evidence;
};
const DTypeRow* dtype_row(uint8_t code);     // null when not known
const DTypeRow* dtype_row(std::string_view name);

struct AluRow {
  uint8_t code;
  AluOp op;
  Evidence evidence;
};
const AluRow* alu_row(uint8_t code);         // null when not known

}  // namespace lanewise::isa::trn2
