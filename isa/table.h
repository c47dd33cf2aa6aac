// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The instruction table: what each opcode, ALU operation and activation function is called and may do.
// Defined in instruction.cc; text form, codecs, verifier, simulator and compiler ask here and keep no second list.
#pragma once

#include <optional>
#include <string_view>

#include "isa/field.h"
#include "isa/instruction.h"

namespace lanewise::isa {

using EngineSet = uint8_t;
constexpr EngineSet bit(Engine e) { return static_cast<EngineSet>(1u << static_cast<int>(e)); }
constexpr bool contains(EngineSet set, Engine e) { return (set & bit(e)) != 0; }

using DTypeSet = uint16_t;
constexpr DTypeSet bit(DType t) { return static_cast<DTypeSet>(1u << static_cast<int>(t)); }
constexpr bool contains(DTypeSet set, DType t) { return (set & bit(t)) != 0; }
inline constexpr DTypeSet kAnyDType = (1u << kDTypeCount) - 1;
inline constexpr DTypeSet kFloatDTypes =
    bit(DType::f32) | bit(DType::bf16) | bit(DType::f16) | bit(DType::f8e4m3) | bit(DType::f8e5m2);
inline constexpr DTypeSet kIntegerDTypes = kAnyDType & ~kFloatDTypes;
inline constexpr DTypeSet kUpTo32Bits = kAnyDType & ~bit(DType::i64);

struct OpcodeInfo {
  Opcode op;
  std::string_view name;
  EngineSet engines;
  FieldSet required;       // must be present
  FieldSet optional;       // may be present; everything else must keep its default
  DTypeSet dst_dtypes;     // dst
  DTypeSet src_dtypes;     // src0 and src1
  bool i64_anywhere;       // else 64-bit integers need GpSimd, the only engine that computes them
  std::string_view meaning;
};

struct AluOpInfo {
  AluOp op;
  std::string_view name;
  bool comparison;   // writes 1 or 0 from an ordering or an equality
  bool logical;      // writes 1 or 0 from truth values
  bool bitvec;       // integer operands and integer result, bit exact on every engine
  bool reduces;      // legal in tensor_reduce (associative and commutative)
};

// `table_set`: functions of one set follow each other without a table load. 0 = needs no table: such a function runs
// with whatever set is loaded and leaves it there. Which functions share a set on the real chip is not public; the
// grouping here (by the elementary function behind it) is our assumption.
struct ActFnInfo {
  ActFn fn;
  std::string_view name;
  int table_set;
};

const OpcodeInfo& info(Opcode op);
const AluOpInfo& info(AluOp op);
const ActFnInfo& info(ActFn fn);

std::string_view engine_name(Engine engine);   // "pe", "vector", "scalar", "gpsimd", "sync"
inline std::string_view opcode_name(Opcode op) { return info(op).name; }
inline std::string_view alu_op_name(AluOp op) { return info(op).name; }
inline std::string_view act_fn_name(ActFn fn) { return info(fn).name; }

std::optional<Engine> parse_engine(std::string_view name);
std::optional<Opcode> parse_opcode(std::string_view name);
std::optional<AluOp> parse_alu_op(std::string_view name);
std::optional<ActFn> parse_act_fn(std::string_view name);

}  // namespace lanewise::isa
