// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A graph of ATen calls: the only thing the compiler is given, with one node from eager, whole functions from
// torch.compile. Names and arguments, no shape inference: PyTorch's own meta kernels already said what every call
// returns.
//
// Text form (what Python sends, and what tests are written in):
//
//   %x = input bf16[4,512]{512,1}
//   %b = input f32[]{} alias 0            # shares memory with input 0 (by position): may overlap it
//   %y = aten::mul.Tensor(%x, %x) -> bf16[4,512]{512,1}
//   (%o, %r) = aten::_fused_rms_norm(%x, [512], none, 1e-06) -> bf16[4,512]{512,1}, f32[4,1]{1,1}
//   %z = aten::add.Tensor(%o, $0, 1) -> bf16[4,512]{512,1}     # $0: run-time parameter number 0
//   return %z, %x := %y                   # a new output, and a store of %y into input %x (in-place, out=)
//   params f64, i64                       # kinds of the run-time parameters, only if there are any
//
// Arguments are positional in schema order, keyword-only ones included (device, layout, pin_memory, memory_format and
// generator too, as `none`; trailing arguments that are at their default may be left out). Forms: %value, integer,
// float (always with '.', 'e', inf or nan), true, false, none, [list], dtype name, "string", $k.
// A result that nobody uses or that the call does not return is `_`, its type `none`: (%dx, _) = ... -> f32[4]{1}, none.
// The overload `.default` may be left out of an op's name or not.
// `{...}` are strides in elements. The address bound at launch includes the storage offset.
// dtypes are those of isa/dtype.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "isa/dtype.h"

namespace lanewise::compiler::aten {

struct TensorMeta {
  isa::DType dtype = isa::DType::f32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;   // elements
  bool operator==(const TensorMeta&) const = default;
};

struct ValueRef {                 // a tensor of this graph
  int32_t index = -1;
  bool operator==(const ValueRef&) const = default;
};
struct ParameterRef {             // a run-time scalar
  int32_t index = -1;
  bool operator==(const ParameterRef&) const = default;
};
struct None {
  bool operator==(const None&) const = default;
};

struct Argument;
using ArgumentList = std::vector<Argument>;
struct Argument {
  std::variant<None, bool, int64_t, double, std::string, isa::DType, ValueRef, ParameterRef, ArgumentList> value;
  bool operator==(const Argument&) const = default;
};

struct Node {
  std::string op;                   // "aten::mul.Tensor"
  std::vector<Argument> arguments;
  std::vector<int32_t> results;     // value indices, one per returned tensor; -1 = not used by anybody
  bool operator==(const Node&) const = default;
};

struct Value {
  std::string name;
  TensorMeta meta;
  bool operator==(const Value&) const = default;
};

struct Input {
  int32_t value = -1;
  int32_t alias = -1;               // position of an earlier input whose memory it may overlap, or -1
  bool operator==(const Input&) const = default;
};

struct Output {
  int32_t value = -1;               // what is written
  int32_t into_input = -1;          // position of the input that receives it, or -1: a new tensor with `value`'s meta
  bool operator==(const Output&) const = default;
};

struct Graph {
  std::vector<Value> values;
  std::vector<Input> inputs;
  std::vector<Node> nodes;
  std::vector<Output> outputs;
  std::vector<isa::DType> parameters;   // f32 stands for a Python float (bound as double), i64 for an int
  bool operator==(const Graph&) const = default;
};

std::string print_text(const Graph& graph);
Result<Graph> parse_text(std::string_view text);

// Whether the lowering table has this op ("aten::mul.Tensor"). The launcher and the partitioner ask this.
bool is_supported(std::string_view op);
// Every op of the table, sorted; for registration with the dispatcher and for the docs.
std::vector<std::string_view> supported_ops();

}  // namespace lanewise::compiler::aten
