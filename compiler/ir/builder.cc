// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/builder.h"

#include <algorithm>
#include <numeric>

#include "compiler/ir/number.h"
#include "isa/table.h"

namespace lanewise::compiler::ir {

using isa::AluOp;
using isa::DType;

Shape broadcast_shape(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const size_t lead = longer.size() - shorter.size();
  for (size_t d = 0; d < shorter.size(); ++d) {
    if (result[lead + d] == 1) result[lead + d] = shorter[d];
  }
  return result;
}

int64_t Builder::size(ValueId value, int64_t dim) const {
  return dim >= 0 && dim < rank(value) ? op(value).shape[dim] : 1;
}

ValueId Builder::add(Op op) {
  op.aten = origin_;
  op.aten_node = origin_node_;
  module_.ops.push_back(std::move(op));
  return static_cast<ValueId>(module_.ops.size()) - 1;
}

namespace {

Op make(OpKind kind, DType dtype, Shape shape, std::vector<int32_t> operands = {}) {
  Op op;
  op.kind = kind;
  op.dtype = dtype;
  op.shape = std::move(shape);
  op.operands = std::move(operands);
  return op;
}

}  // namespace

ValueId Builder::input(int32_t index, DType dtype, Shape shape, std::vector<int64_t> strides) {
  Op op = make(OpKind::input, dtype, std::move(shape));
  op.index = index;
  op.strides = std::move(strides);
  return add(std::move(op));
}

ValueId Builder::constant(DType dtype, double value, Shape shape) {
  if (!isa::is_float(dtype)) return constant_integer(dtype, truncate_to(dtype, value), std::move(shape));
  Op op = make(OpKind::constant, dtype, std::move(shape));
  op.fvalue = round_to(dtype, value);
  return add(std::move(op));
}

ValueId Builder::constant_integer(DType dtype, int64_t value, Shape shape) {
  Op op = make(OpKind::constant, dtype, std::move(shape));
  if (isa::is_float(dtype)) {
    op.fvalue = round_to(dtype, static_cast<float>(value));
  } else {
    op.ivalue = wrap_to(dtype, value);
  }
  return add(std::move(op));
}

ValueId Builder::parameter(int32_t index, Shape shape) {
  Op op = make(OpKind::parameter, module_.parameters[index], std::move(shape));
  op.index = index;
  return add(std::move(op));
}

ValueId Builder::iota(DType dtype, Shape shape, int64_t dim, int64_t start, int64_t step) {
  Op op = make(OpKind::iota, dtype, std::move(shape));
  op.dims = {dim};
  op.ivalue = start;
  op.step = step;
  return add(std::move(op));
}

ValueId Builder::unary(isa::ActFn fn, ValueId x) {
  Op op = make(OpKind::unary, dtype(x), shape(x), {x});
  op.fn = fn;
  return add(std::move(op));
}

ValueId Builder::expand_rank(ValueId x, size_t rank) {
  if (shape(x).size() >= rank) return x;
  Shape expanded(rank - shape(x).size(), 1);
  expanded.insert(expanded.end(), op(x).shape.begin(), op(x).shape.end());
  return reshape(x, std::move(expanded));
}

ValueId Builder::binary(AluOp alu, ValueId a, ValueId b) {
  const size_t rank = std::max(shape(a).size(), shape(b).size());
  a = expand_rank(a, rank);
  b = expand_rank(b, rank);
  const bool truth = isa::info(alu).comparison || isa::info(alu).logical;
  Op op = make(OpKind::binary, truth ? DType::b8 : dtype(a), broadcast_shape(shape(a), shape(b)), {a, b});
  op.alu = alu;
  return add(std::move(op));
}

ValueId Builder::select(ValueId predicate, ValueId yes, ValueId no) {
  const size_t rank = std::max({shape(predicate).size(), shape(yes).size(), shape(no).size()});
  predicate = expand_rank(predicate, rank);
  yes = expand_rank(yes, rank);
  no = expand_rank(no, rank);
  Shape result = broadcast_shape(broadcast_shape(shape(predicate), shape(yes)), shape(no));
  return add(make(OpKind::select, dtype(yes), std::move(result), {predicate, yes, no}));
}

ValueId Builder::convert(ValueId x, DType dtype, bool rounds) {
  if (this->dtype(x) == dtype) return x;
  Op op = make(OpKind::convert, dtype, shape(x), {x});
  op.rounds = rounds;
  return add(std::move(op));
}

ValueId Builder::logical_not(ValueId x) {
  const Shape one(shape(x).size(), 1);
  return binary(AluOp::equal, x, constant_integer(dtype(x), 0, one));
}

ValueId Builder::reduce(AluOp alu, ValueId x, const std::vector<int64_t>& dims) {
  if (dims.empty()) return x;
  Op op = make(OpKind::reduce, dtype(x), shape(x), {x});
  for (const int64_t d : dims) {
    if (d >= 0 && d < rank(x)) op.shape[d] = 1;
  }
  op.alu = alu;
  op.dims = dims;
  return add(std::move(op));
}

ValueId Builder::matmul(ValueId a, ValueId b, DType dtype) {
  Shape result = broadcast_shape(shape(a), shape(b));
  if (rank(a) >= 2 && rank(a) == rank(b)) {
    result[rank(a) - 2] = size(a, rank(a) - 2);
    result[rank(a) - 1] = size(b, rank(a) - 1);
  }
  return add(make(OpKind::matmul, dtype, std::move(result), {a, b}));
}

ValueId Builder::gather(ValueId table, ValueId indices) {
  return add(make(OpKind::gather, dtype(table), {size(indices, 0), size(table, 1)}, {table, indices}));
}

ValueId Builder::reshape(ValueId x, Shape shape) {
  if (this->shape(x) == shape) return x;
  return add(make(OpKind::reshape, dtype(x), std::move(shape), {x}));
}

ValueId Builder::permute(ValueId x, std::vector<int64_t> dims) {
  bool same = static_cast<int64_t>(dims.size()) == rank(x);
  Shape result;
  for (size_t i = 0; i < dims.size(); ++i) {
    same = same && dims[i] == static_cast<int64_t>(i);
    result.push_back(size(x, dims[i]));
  }
  if (same) return x;
  Op op = make(OpKind::permute, dtype(x), std::move(result), {x});
  op.dims = std::move(dims);
  return add(std::move(op));
}

ValueId Builder::transpose(ValueId x) {
  std::vector<int64_t> dims(shape(x).size());
  std::iota(dims.begin(), dims.end(), 0);
  if (dims.size() >= 2) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return permute(x, std::move(dims));
}

ValueId Builder::broadcast(ValueId x, Shape shape) {
  x = expand_rank(x, shape.size());
  if (this->shape(x) == shape) return x;
  return add(make(OpKind::broadcast, dtype(x), std::move(shape), {x}));
}

ValueId Builder::slice(ValueId x, std::vector<int64_t> starts, Shape shape, std::vector<int64_t> steps) {
  const bool whole = this->shape(x) == shape && std::all_of(starts.begin(), starts.end(), [](int64_t s) { return s == 0; }) &&
                     std::all_of(steps.begin(), steps.end(), [](int64_t s) { return s == 1; });
  if (whole) return x;
  Op op = make(OpKind::slice, dtype(x), std::move(shape), {x});
  op.starts = std::move(starts);
  op.steps = std::move(steps);
  return add(std::move(op));
}

ValueId Builder::slice_dim(ValueId x, int64_t dim, int64_t start, int64_t size, int64_t step) {
  std::vector<int64_t> starts(shape(x).size(), 0), steps(shape(x).size(), 1);
  Shape result = shape(x);
  if (dim >= 0 && dim < rank(x)) {
    starts[dim] = start;
    steps[dim] = step;
    result[dim] = size;
  }
  return slice(x, std::move(starts), std::move(result), std::move(steps));
}

ValueId Builder::concat(const std::vector<ValueId>& parts, int64_t dim) {
  if (parts.size() == 1) return parts[0];
  Op op = make(OpKind::concat, dtype(parts[0]), shape(parts[0]), parts);
  for (size_t i = 1; i < parts.size(); ++i) {
    if (dim >= 0 && dim < rank(parts[0])) op.shape[dim] += size(parts[i], dim);
  }
  op.dims = {dim};
  return add(std::move(op));
}

ValueId Builder::pad(ValueId x, ValueId fill, std::vector<int64_t> starts, std::vector<int64_t> steps, Shape shape) {
  Op op = make(OpKind::pad, dtype(x), std::move(shape), {x, fill});
  op.starts = std::move(starts);
  op.steps = std::move(steps);
  return add(std::move(op));
}

}  // namespace lanewise::compiler::ir
