// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The compiler's IR: a short list of tensor primitives in SSA form. ATen calls are lowered to it, passes rewrite it,
// scheduling cuts it into stages.
//
// Rules (the verifier holds them):
// - Every op yields one tensor: dtype and static shape. Operands come earlier in `ops`.
// - Floating point ops compute in f32; the result dtype says how the result is rounded. Lowering therefore writes a
//   bf16 op as convert-to-f32, op, convert-to-bf16, and a pass drops the inner round trips.
// - Integer ops are exact in 64 bits and wrap to the result dtype. Comparisons and logical ops yield b8.
// - Pointwise operands have the result's rank; a dimension is the result's or 1 (broadcast). Same dtype, except the
//   predicate of `select` (b8) and `convert`.
// - `reduce` keeps the reduced dimensions with size 1.
// - Rank is at most 8; sizes may be 0.
//
// Text form, one op a line, parse(print(m)) == m:
//
//   module "rms" params f64 {
//     %0 = input 0 : bf16[4,512]{512,1}                 // strides in elements of the bound memory
//     %1 = convert %0 : f32[4,512]
//     %2 = binary multiply %1, %1 : f32[4,512]
//     %3 = reduce add dims [1] %2 : f32[4,1]
//     %4 = constant 0.001953125 : f32[1,1]
//     ...
//     store %9 to output 0 {512,1}
//     store %9 to input 1                               // as that input is declared
//   }
//
// After an input's type, `offset 128` when it does not start at the bound address. After a store into an input, its
// strides when they are not those of the first `input` op of that number. After any op, `from "aten::mul.Tensor"` when
// its ATen op is known, and `node 3` when it is known which node of the graph that was. Before the '{': `inputs N`, `outputs N` when there are more than the text mentions, and
// `alias 1:0, 2:0` (input 1 may overlap input 0). Constants of integer dtypes are integers, of float dtypes have '.',
// 'e', inf or nan. Lists an op has: `reduce add dims [1] %2`, `permute dims [1,0] %2`, `concat dims [0] %1, %2`,
// `iota dims [1] start 0 step 1`, `convert rounds %2` (see Op::rounds), `slice starts [0,8] steps [1,1] %2`, `pad starts [1] steps [1] %2, %3`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/instruction.h"

namespace lanewise::compiler::ir {

enum class OpKind : uint8_t {
  input,      // graph input `index`; `strides` given
  constant,   // `fvalue` (float dtypes) or `ivalue`, every element the same, any shape
  parameter,  // run-time scalar `index`, any shape (all elements the same); dtype f32 or i64
  iota,       // integer or f32: element = ivalue + step * (index along dims[0])
  unary,      // `fn` of operand 0 (floating point; abs, sign, and -x as 0 - x also for integers)
  binary,     // operand 0 `alu` operand 1
  select,     // operand 0 (b8) ? operand 1 : operand 2
  convert,    // to dtype; float -> integer truncates toward zero, float -> b8 is != 0, b8 -> x is 0 or 1
  reduce,     // `alu` (add, multiply, maximum, minimum) over `dims`; f32 accumulation for floats, exact for integers
  matmul,     // [B..., M, K] x [B..., K, N] -> [B..., M, N]; batch dims equal or 1; f32 accumulation
  gather,     // operand 0: table [V, D], operand 1: indices i32/i64 [N] -> [N, D]; an index out of range is undefined
  // Views: the same elements seen through other indices. No arithmetic.
  reshape,    // row-major reinterpretation
  permute,    // result dim i = operand dim dims[i]
  broadcast,  // operand dims of size 1 to the result's size
  slice,      // result index i of dim d = operand index starts[d] + i * steps[d]; steps may be negative (flip)
  concat,     // operands along dims[0]
  pad,        // operand placed at starts[d] with steps[d] in a result filled with operand 1 (a rank-matched [1,...] value)
};
inline constexpr int kOpKindCount = 17;

struct Op {
  OpKind kind = OpKind::constant;
  isa::DType dtype = isa::DType::f32;
  std::vector<int64_t> shape;
  std::vector<int32_t> operands;
  isa::ActFn fn = isa::ActFn::none;
  isa::AluOp alu = isa::AluOp::none;
  std::vector<int64_t> dims;      // reduce, permute, iota, concat
  std::vector<int64_t> starts, steps;  // slice, pad
  std::vector<int64_t> strides;   // input
  bool rounds = false;            // convert: a rounding that the program asked for; passes may drop the others
  int64_t offset = 0;             // input: elements from the bound address to element [0, ...]; for folded views
  int32_t index = -1;             // input, parameter
  double fvalue = 0;
  int64_t ivalue = 0;
  int64_t step = 1;               // iota
  std::string aten;               // name of the ATen op it came from (debug map), not part of the meaning
  int32_t aten_node = -1;         // which node of the graph that was, by position; -1 = not known, not part of the meaning
  bool operator==(const Op&) const = default;

  int64_t elements() const {
    int64_t n = 1;
    for (int64_t s : shape) n *= s;
    return n;
  }
};

// Written when every op is done, as if at the end of the program: a store into an input never changes what an earlier
// op of the module reads, whatever the aliasing. (Scheduling must keep this promise; see `Module::input_alias`.)
struct Store {
  int32_t value = -1;
  bool to_input = false;
  int32_t index = -1;                // output number or input number
  std::vector<int64_t> strides;      // of the memory written
  bool operator==(const Store&) const = default;
};

struct Module {
  std::string name;
  std::vector<Op> ops;
  std::vector<Store> stores;
  int32_t inputs = 0, outputs = 0;
  std::vector<int32_t> input_alias;       // per input: earlier input whose memory it may overlap, or -1
  std::vector<isa::DType> parameters;     // f32 or i64
  bool operator==(const Module&) const = default;
};

std::string print_text(const Module& module);
Result<Module> parse_text(std::string_view text);
Status verify(const Module& module);

// Plain evaluation on the host, op by op, f32/int64: the oracle for lowering, passes and emit. Buffers are bound as
// for the program: inputs then outputs.
struct HostBuffer { std::byte* data; int64_t bytes; };
struct HostParameter { double f; int64_t i; };
Status evaluate(const Module& module, const std::vector<HostBuffer>& buffers, const std::vector<HostParameter>& parameters);

}  // namespace lanewise::compiler::ir
