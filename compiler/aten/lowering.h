// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a lowering function sees: one node, its arguments already checked against the signature of the op's table row,
// and a builder for the IR.
//
// Arithmetic follows PyTorch: operands meet in their promoted dtype, floating point is computed in f32 ("math dtype")
// and rounded once to the dtype of the result; integers are exact.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/aten/graph.h"
#include "compiler/ir/builder.h"

namespace lanewise::compiler::aten {

using ir::Shape;
using ir::ValueId;
using isa::DType;

// f32 for every floating point dtype, itself for the others.
constexpr DType math_dtype(DType dtype) { return isa::is_float(dtype) ? DType::f32 : dtype; }

inline constexpr size_t kResultRank = SIZE_MAX;

class Lowering {
 public:
  Lowering(const Graph& graph, const Node& node, ir::Builder& builder, std::vector<ValueId>& values)
      : graph_(graph), node_(node), build(builder), values_(values) {}

  const Node& node() const { return node_; }
  // Lowers another call in this one's place; its results are values of the same graph.
  Status lower_instead(const Node& other);

  // --- arguments, by position
  bool given(size_t i) const;                  // there and not none
  bool is_tensor(size_t i) const;
  ValueId tensor(size_t i) const;              // in its own dtype
  std::vector<ValueId> tensors(size_t i) const;
  // The tensors of a list that has none in other places, and where they stand.
  struct Position {
    int64_t index;
    ValueId value;
  };
  std::vector<Position> positions(size_t i) const;
  int64_t integer(size_t i, int64_t otherwise = 0) const;
  bool boolean(size_t i, bool otherwise = false) const;
  std::vector<int64_t> integers(size_t i) const;   // empty when not given; a single integer is a list of one
  std::vector<bool> booleans(size_t i) const;
  std::string text(size_t i) const;            // "" when not given
  std::optional<DType> dtype(size_t i) const;
  std::optional<double> literal(size_t i) const;   // the value of a number that is not a run-time parameter
  // A number (literal or run-time parameter), or `otherwise` when not given, as [1] * rank in `as`; kResultRank is the
  // rank of the first wanted result.
  ValueId number(size_t i, DType as, size_t rank = kResultRank) const;
  ValueId number_or(size_t i, double otherwise, DType as, size_t rank = kResultRank) const;
  ValueId constant(DType dtype, double value, size_t rank = kResultRank) const;
  // A number as every element of `shape`.
  ValueId filled(size_t i, DType as, const Shape& shape) const;

  // --- promotion
  // PyTorch's result_type of these arguments: tensors with dimensions, then 0-dim tensors, then numbers.
  DType promoted(const std::vector<size_t>& arguments) const;
  // Argument `i`, tensor or number, in the math dtype of `promoted`, rounded to `promoted` on the way. With
  // `exact_scalars`, numbers and 0-dim tensors are not rounded on the way, as in PyTorch's arithmetic on half types.
  ValueId operand(size_t i, DType promoted, bool exact_scalars = false) const;
  // A tensor argument in its math dtype.
  ValueId math(size_t i) const { return build.convert(tensor(i), math_dtype(build.dtype(tensor(i)))); }

  // --- results
  size_t results() const { return node_.results.size(); }
  bool wanted(size_t k) const { return k < node_.results.size() && node_.results[k] >= 0; }
  const TensorMeta& meta(size_t k = 0) const;  // of a wanted result
  // Converts to the result's dtype. No effect when nobody wants the result. Shapes must be equal.
  Status result(size_t k, ValueId value);
  Status result(ValueId value) { return result(0, value); }

  // --- failures
  Status unsupported(std::string_view what) const;   // unimplemented: op, what is not served
  Status wrong(std::string_view what) const;         // invalid_argument

  // --- dimensions
  // Counts a negative dimension from the end; a failure names the op.
  Result<int64_t> dim(int64_t dim, int64_t rank) const;
  Result<std::vector<int64_t>> dims(const std::vector<int64_t>& dims, int64_t rank) const;

 private:
  const Argument* argument(size_t i) const { return i < node_.arguments.size() ? &node_.arguments[i] : nullptr; }
  Shape ones(size_t rank) const;

  const Graph& graph_;
  const Node& node_;

 public:
  ir::Builder& build;

 private:
  std::vector<ValueId>& values_;   // by graph value
};

}  // namespace lanewise::compiler::aten
