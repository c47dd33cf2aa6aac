// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The fields of an instruction, listed once. The text form, the binary codec and the verifier walk this list, so a new
// field of Instruction is one enumerator, one name and one line of `visit_fields`.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/instruction.h"

namespace lanewise::isa {

enum class Field : uint8_t {
  op0, op1, fn, reverse0, reverse1, accumulate, reduce_dims, queue, loop_register, loop_end, loop_step,
  iota_partition_step, iota_step, dst, dst2, src0, src1, src2, hbm_dst, hbm_src, scalar0, scalar1, wait, update, debug,
  upper_part, lower_part, pass_through,
};
inline constexpr int kFieldCount = 28;

// In the text form a field is called as its member.
inline constexpr std::array<std::string_view, kFieldCount> kFieldNames = {
    "op0",     "op1",     "fn",        "reverse0",  "reverse1", "accumulate", "reduce_dims",
    "queue",   "loop_register", "loop_end", "loop_step", "iota_partition_step", "iota_step",
    "dst",     "dst2",    "src0",      "src1",      "src2",     "hbm_dst",    "hbm_src",
    "scalar0", "scalar1", "wait",      "update",    "debug",    "upper_part",
    "lower_part", "pass_through"};

using FieldSet = uint32_t;
constexpr FieldSet bit(Field f) { return FieldSet{1} << static_cast<int>(f); }
constexpr bool contains(FieldSet set, Field f) { return (set & bit(f)) != 0; }
constexpr std::string_view field_name(Field f) { return kFieldNames[static_cast<size_t>(f)]; }

// Calls visit(field, pointer to member) for every field but `op` and `engine`, in the order of the enumeration.
template <typename Visit>
constexpr void visit_fields(Visit&& visit) {
  visit(Field::op0, &Instruction::op0);
  visit(Field::op1, &Instruction::op1);
  visit(Field::fn, &Instruction::fn);
  visit(Field::reverse0, &Instruction::reverse0);
  visit(Field::reverse1, &Instruction::reverse1);
  visit(Field::accumulate, &Instruction::accumulate);
  visit(Field::reduce_dims, &Instruction::reduce_dims);
  visit(Field::queue, &Instruction::queue);
  visit(Field::loop_register, &Instruction::loop_register);
  visit(Field::loop_end, &Instruction::loop_end);
  visit(Field::loop_step, &Instruction::loop_step);
  visit(Field::iota_partition_step, &Instruction::iota_partition_step);
  visit(Field::iota_step, &Instruction::iota_step);
  visit(Field::dst, &Instruction::dst);
  visit(Field::dst2, &Instruction::dst2);
  visit(Field::src0, &Instruction::src0);
  visit(Field::src1, &Instruction::src1);
  visit(Field::src2, &Instruction::src2);
  visit(Field::hbm_dst, &Instruction::hbm_dst);
  visit(Field::hbm_src, &Instruction::hbm_src);
  visit(Field::scalar0, &Instruction::scalar0);
  visit(Field::scalar1, &Instruction::scalar1);
  visit(Field::wait, &Instruction::wait);
  visit(Field::update, &Instruction::update);
  visit(Field::debug, &Instruction::debug);
  visit(Field::upper_part, &Instruction::upper_part);
  visit(Field::lower_part, &Instruction::lower_part);
  visit(Field::pass_through, &Instruction::pass_through);
}

// The fields of `instruction` that differ from a default-constructed Instruction.
inline FieldSet fields_set(const Instruction& instruction) {
  static const Instruction blank;
  FieldSet set = 0;
  visit_fields([&](Field f, auto member) {
    if (!(instruction.*member == blank.*member)) set |= bit(f);
  });
  return set;
}

}  // namespace lanewise::isa
