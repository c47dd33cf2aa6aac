// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Appends ops to a module. It computes shapes and leaves rules to verify_op: wrong operands make a wrong op, never a
// crash, so that a caller may build from unchecked input and verify afterwards. Things that change nothing (a convert
// to the same dtype, a reshape to the same shape) return their operand.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/ir/module.h"

namespace lanewise::compiler::ir {

using ValueId = int32_t;
using Shape = std::vector<int64_t>;

class Builder {
 public:
  explicit Builder(Module& module) : module_(module) {}

  // Written into Op::aten and Op::aten_node of what follows.
  void set_origin(std::string aten, int32_t node) {
    origin_ = std::move(aten);
    origin_node_ = node;
  }

  // The reference holds until the next op is appended; `shape` is a copy because it is usually needed longer.
  const Op& op(ValueId value) const { return module_.ops[value]; }
  Shape shape(ValueId value) const { return op(value).shape; }
  isa::DType dtype(ValueId value) const { return op(value).dtype; }
  int64_t rank(ValueId value) const { return static_cast<int64_t>(op(value).shape.size()); }
  int64_t size(ValueId value, int64_t dim) const;   // 1 outside of the rank

  ValueId add(Op op);
  ValueId input(int32_t index, isa::DType dtype, Shape shape, std::vector<int64_t> strides);
  // A number in any dtype: integers truncate, bool is != 0.
  ValueId constant(isa::DType dtype, double value, Shape shape);
  ValueId constant_integer(isa::DType dtype, int64_t value, Shape shape);
  ValueId parameter(int32_t index, Shape shape);   // in the parameter's own dtype
  ValueId iota(isa::DType dtype, Shape shape, int64_t dim, int64_t start = 0, int64_t step = 1);

  ValueId unary(isa::ActFn fn, ValueId x);
  // Operands of smaller rank get leading dimensions of 1.
  ValueId binary(isa::AluOp alu, ValueId a, ValueId b);
  ValueId select(ValueId predicate, ValueId yes, ValueId no);
  ValueId convert(ValueId x, isa::DType dtype, bool rounds = false);
  ValueId logical_not(ValueId x);   // of any dtype
  ValueId reduce(isa::AluOp alu, ValueId x, const std::vector<int64_t>& dims);
  ValueId matmul(ValueId a, ValueId b, isa::DType dtype);
  ValueId gather(ValueId table, ValueId indices);

  ValueId reshape(ValueId x, Shape shape);
  ValueId permute(ValueId x, std::vector<int64_t> dims);
  ValueId transpose(ValueId x);   // of the last two dimensions
  ValueId broadcast(ValueId x, Shape shape);
  ValueId slice(ValueId x, std::vector<int64_t> starts, Shape shape, std::vector<int64_t> steps);
  ValueId slice_dim(ValueId x, int64_t dim, int64_t start, int64_t size, int64_t step = 1);
  ValueId concat(const std::vector<ValueId>& parts, int64_t dim);
  ValueId pad(ValueId x, ValueId fill, std::vector<int64_t> starts, std::vector<int64_t> steps, Shape shape);

 private:
  ValueId expand_rank(ValueId x, size_t rank);

  Module& module_;
  std::string origin_;
  int32_t origin_node_ = -1;
};

// The shape two operands broadcast to; where they do not fit together, the first one's size.
Shape broadcast_shape(const Shape& a, const Shape& b);

}  // namespace lanewise::compiler::ir
