// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Instruction selection: the nodes of a tile stage become instruction templates ("tile ops") on values. A template is
// made once a stage and instantiated once a tile.
//
// - Floating point arithmetic runs on Vector, functions on Scalar, integers on GpSimd (the only engine that is exact).
// - Conversions cost nothing where they can be folded: widening is reading, narrowing is the producer's dst dtype.
// - `x * s + b` in front of a function becomes its scale and bias; two steps with scalars become one tensor_scalar; the
//   sum of a function's result becomes activation_reduce.
// - `x - s` in front of a function is x + (-s), so that exp(x - max) is one instruction.
// - What does not depend on the free axis is one value a partition and feeds scalar operands.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/stage/stage.h"
#include "isa/instruction.h"

namespace lanewise::compiler::emit {

using stage::AtomMask;

// What is held in SBUF (or PSUM, for the matmul's result) per point of `atoms`.
struct Value {
  enum class Kind : uint8_t { load, computed, matmul };
  Kind kind = Kind::computed;
  isa::DType dtype = isa::DType::f32;
  AtomMask atoms = 0;
  int32_t node = -1;               // the node that is loaded
  int32_t op = -1;                 // IR op, for the debug map
  bool stored = false;             // a DMA reads it
  bool live = false;               // some op or store uses it
};

struct Operand {
  enum class Kind : uint8_t { none, number, integer, parameter, value };
  Kind kind = Kind::none;
  double number = 0;
  int64_t integer = 0;             // or the parameter's index
  int32_t value = -1;

  static Operand of(double v) { return {Kind::number, v, 0, -1}; }
  static Operand of_int(int64_t v) { return {Kind::integer, 0, v, -1}; }
  static Operand of_parameter(int64_t index) { return {Kind::parameter, 0, index, -1}; }
  static Operand of_value(int32_t v) { return {Kind::value, 0, 0, v}; }
  bool present() const { return kind != Kind::none; }
  bool is_value() const { return kind == Kind::value; }
};

// What an iota counts. A partition axis of several atoms whose steps do not follow from each other cannot be counted by
// one instruction: then the parts are made apart and added.
enum class IotaPart : uint8_t { all, without_partitions, lane };

struct TileOp {
  isa::Opcode op = isa::Opcode::tensor_copy;
  isa::Engine engine = isa::Engine::vector;
  isa::AluOp op0 = isa::AluOp::none, op1 = isa::AluOp::none;
  isa::ActFn fn = isa::ActFn::none;
  bool reverse0 = false, reverse1 = false;
  Operand src[3];                  // tensors: always values
  Operand scalar[2];
  int32_t dst = -1, dst2 = -1;     // values
  IotaPart iota = IotaPart::all;
  int32_t iota_node = -1;
  AtomMask reduced = 0;            // tensor_reduce, activation_reduce: atoms summed over
  int32_t ir_op = -1;
  // Part of the tiles, in 1/256, that run it on the other engine (see balance.h).
  isa::Engine other = isa::Engine::vector;
  int share = 0;
};

struct TileStore {
  int32_t value = -1;
  stage::Access access;
};

struct TileCode {
  std::vector<Value> values;
  std::vector<TileOp> ops;         // operands first; every value is written by one op (or loaded)
  std::vector<TileStore> stores;
};

TileCode select_tile_ops(const stage::Stage& stage);

}  // namespace lanewise::compiler::emit
