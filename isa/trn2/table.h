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
  pattern2, pattern3, pattern4,   // u32 address, then i16 steps and u16 counts of 2, 3 or 4 dimensions
  counted_pattern,          // pattern4 or one dimension, whichever has `elements` elements
  elements,                 // u32: of the pattern above, a partition
  dtype,                    // of the pattern with the field's role
  dtype_pair,               // low nibble: of the field's role, high nibble: of its `other` role
  alu, alu1, reverse, reduced_dims, negate, pool, scale, function, table_set, accumulator, fill, ramp, partition_step,
  immediate, immediate_source, immediate_source_n,   // of the field's `index`; _n: with the codes of pointer and value swapped
  partitions, rows, columns, pass, transpose, accumulate, target_dtype,
  row_groups, column_groups,   // of 32 each, bit by bit; 0xf: all
  queue, descriptor,
};

struct Field {
  uint8_t offset, bytes;
  What what;
  Role role = Role::dst;    // patterns, dtype, dtype_pair
  Evidence evidence = Evidence::observed;
  Role other = Role::src1;  // dtype_pair
  uint8_t index = 0;        // immediates
};

struct OpcodeRow {
  uint8_t code;
  std::string_view name;
  EngineSet engines;        // where it was seen, or is documented
  std::span<const Field> fields;   // beyond those of every instruction
  Evidence evidence;
  bool setup;               // moves and computes nothing: start-up, or a wait alone
  bool layout;              // false: known by its name only; what its bytes mean is not in this table
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
  std::string_view name;
  AluOp op;                 // none: has no counterpart among ours
  Evidence evidence;
};
const AluRow* alu_row(uint8_t code);         // null when not known

struct FunctionRow {
  uint8_t code;
  std::string_view name;
  ActFn fn;                 // none: has no counterpart among ours
};
// Of ACTIVATE; null when not known. All are published, none observed.
const FunctionRow* function_row(uint8_t code);
const FunctionRow* function_row(std::string_view name);

}  // namespace lanewise::isa::trn2
