// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every instruction of the machine. Names follow the public nki.isa module; the table in instruction.cc is the one
// place that says which engines, operands and dtypes an opcode takes, and printing, parsing, verifying and both
// codecs are driven by it.
#pragma once

#include <cstdint>

#include "isa/operand.h"

namespace lanewise::isa {

enum class Engine : uint8_t { pe, vector, scalar, gpsimd, sync };
inline constexpr int kEngineCount = 5;

enum class Opcode : uint8_t {
  // Data movement.
  dma_copy,     // trigger on the issuing engine's `queue`; the copy itself runs on the DMA engines; casts through f32
                // unless both sides have the same dtype (then bit exact) or both are integers (then exact)
  // Vector, Scalar or GpSimd. Floating point computes in f32; integer dtypes on GpSimd compute exactly in 64 bits.
  tensor_copy,          // dst = src0 (cast)
  tensor_tensor,        // dst = src0 op0 src1
  tensor_scalar,        // dst = (src0 op0 scalar0) op1 scalar1; reverse0/1 swap the operands of that step
  tensor_reduce,        // dst[P, ...] = reduce op0 over the trailing `reduce_dims` free dims of src0
  select,               // dst = src2 != 0 ? src0 : src1 (src2 is the predicate; a missing src1 is scalar0)
  tensor_copy_predicated,  // where src2 != 0: dst = src0
  reciprocal,           // dst = 1 / src0 (Vector, correctly rounded)
  memset,               // dst = scalar0
  iota,                 // dst[p, i] = scalar0 + p * iota_partition_step + sum(i_k * iota_step_k); GpSimd, exact integers
  // Scalar engine.
  activation,           // dst = fn(src0 * scalar0 + scalar1)
  activation_reduce,    // the same, and dst2 [P,1] (op0 = add) = sum over the free axis of what was written to dst, in f32
  // Tensor engine: dst in PSUM.
  nc_matmul,            // dst[M, N] (+)= src0[K, M]^T * src1[K, N]; src0 stationary, src1 moving; `accumulate` adds
  nc_transpose,         // dst[F, P] = src0[P, F]^T, bit exact
  // Sequencer.
  semaphore_wait,       // only its wait
  semaphore_increment,  // only its update
  loop_begin,           // for register `loop_register` = 0, loop_step, ... while < loop_end (one engine's stream)
  loop_end,
  // The steps that real binaries spell out and nc_matmul and activation contain.
  load_stationary,      // the array holds src0[K, M] (or the `upper_part` or `lower_part` of each f32) until the next load_stationary
  multiply_moving,      // dst[M, N] (+)= held^T * src0[K, N]; `accumulate` adds. `pass_through`: every column of src0 is
                        // one of an identity, and bits of what is held move unchanged; dst has its dtype
  load_table,           // the table set of `fn` becomes resident
};
inline constexpr int kOpcodeCount = 21;

// Two-operand arithmetic. Comparisons and logical ops write 1 or 0. `divide`, `fmod`, `remainder` (sign of divisor),
// `floor_divide` are exact per step in f32 and integer division on integers; div by integer zero gives 0.
enum class AluOp : uint8_t {
  none, bypass, add, subtract, multiply, divide, maximum, minimum, power, fmod, remainder, floor_divide,
  equal, not_equal, less, less_equal, greater, greater_equal,
  logical_and, logical_or, logical_xor, bitwise_and, bitwise_or, bitwise_xor, shift_left, shift_right,
};
inline constexpr int kAluOpCount = 26;

// maximum and minimum propagate NaN, as PyTorch does.

// Functions of the Scalar engine. Functions of one `table set` can follow each other without a table load.
// The tensor engine multiplies f32 in two passes, one with the upper bits of each weight and one with the rest; upper +
// lower = the weight, exactly. Significant bits (the hidden one counts) of the upper part; the other bits of the f32 are 0.
// Which split the chip makes is not public; sums over both passes agree to rounding for any.
inline constexpr int kUpperPartBits = 12;

enum class ActFn : uint8_t {
  none, copy, abs, square, sqrt, rsqrt, reciprocal, exp, expm1, log, log1p, log2, tanh, sigmoid, silu, gelu, gelu_tanh,
  erf, sin, cos, tan, atan, relu, sign, softplus, floor, ceil, trunc, round, mish, exp2, erfinv,
};
inline constexpr int kActFnCount = 32;

struct SemaphoreWait {
  int16_t semaphore = -1;   // -1: does not wait
  uint32_t at_least = 0;
  bool operator==(const SemaphoreWait&) const = default;
};
struct SemaphoreUpdate {
  int16_t semaphore = -1;   // -1: updates nothing
  uint32_t increment = 0;
  bool operator==(const SemaphoreUpdate&) const = default;
};

inline constexpr int kSemaphores = 256;
inline constexpr int kLoopRegisters = 64;   // per engine; every sequencer has 64 registers

struct Instruction {
  Opcode op = Opcode::semaphore_wait;
  Engine engine = Engine::sync;   // whose queue it sits in; for dma_copy, who triggers it
  AluOp op0 = AluOp::none;
  AluOp op1 = AluOp::none;
  ActFn fn = ActFn::none;
  bool reverse0 = false;
  bool reverse1 = false;
  bool accumulate = false;        // nc_matmul: add to PSUM instead of overwriting
  uint8_t reduce_dims = 1;        // tensor_reduce: number of trailing free dims
  uint8_t queue = 0;              // dma_copy: DMA queue of the issuing engine, 0..15
  int8_t loop_register = -1;      // loop_begin
  int32_t loop_end = 0, loop_step = 1;
  int64_t iota_partition_step = 0;
  std::array<int64_t, 4> iota_step{};
  bool upper_part = false, lower_part = false;   // load_stationary; neither: the whole weights
  bool pass_through = false;      // multiply_moving

  Tile dst, dst2, src0, src1, src2;
  Hbm hbm_dst, hbm_src;           // dma_copy: each side is a Tile (dst/src0) or an Hbm pattern
  Scalar scalar0, scalar1;

  SemaphoreWait wait;             // before it starts
  SemaphoreUpdate update;         // when it has finished; for dma_copy, when the last byte is written
  uint32_t debug = 0;             // index into Program::debug, 0 = none

  bool operator==(const Instruction&) const = default;
};

}  // namespace lanewise::isa
