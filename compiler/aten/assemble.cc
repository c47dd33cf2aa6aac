// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors put together from others: joined, padded, repeated, turned; and pieces written back into a whole.
#include <algorithm>

#include "compiler/aten/expression.h"
#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::AluOp;

Status lower_cat(Lowering& l) {
  std::vector<ValueId> parts;
  for (const ValueId part : l.tensors(0)) {
    // An empty tensor of one dimension fits to everything and adds nothing.
    if (l.build.rank(part) == 1 && l.build.size(part, 0) == 0) continue;
    parts.push_back(l.build.convert(part, l.meta().dtype));
  }
  if (parts.empty()) return l.result(l.build.constant(l.meta().dtype, 0, l.meta().sizes));
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), l.build.rank(parts[0])));
  return l.result(l.build.concat(parts, dim));
}

Status lower_stack(Lowering& l) {
  std::vector<ValueId> parts = l.tensors(0);
  if (parts.empty()) return l.wrong("needs at least one tensor");
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), l.build.rank(parts[0]) + 1));
  for (ValueId& part : parts) {
    Shape shape = l.build.shape(part);
    shape.insert(shape.begin() + std::min<int64_t>(dim, l.build.rank(part)), 1);
    part = l.build.reshape(l.build.convert(part, l.meta().dtype), std::move(shape));
  }
  return l.result(l.build.concat(parts, dim));
}

// `amounts` are pairs (before, after), last dimension first; a negative one cuts off.
Status lower_pad(Lowering& l) {
  ValueId x = l.tensor(0);
  const int64_t rank = l.build.rank(x);
  const std::vector<int64_t> amounts = l.integers(1);
  if (amounts.size() % 2 != 0 || static_cast<int64_t>(amounts.size()) > 2 * rank) return l.wrong("pad wants a pair for each of the last dimensions");
  std::vector<int64_t> starts(rank, 0);
  const std::vector<int64_t> steps(rank, 1);
  Shape shape = l.build.shape(x);
  for (size_t pair = 0; pair < amounts.size() / 2; ++pair) {
    const int64_t dim = rank - 1 - static_cast<int64_t>(pair), before = amounts[2 * pair], after = amounts[2 * pair + 1];
    const int64_t cut_before = std::max<int64_t>(-before, 0), cut_after = std::max<int64_t>(-after, 0);
    if (cut_before + cut_after > shape[dim]) return l.wrong("cuts off more than there is");
    x = l.build.slice_dim(x, dim, cut_before, shape[dim] - cut_before - cut_after);
    starts[dim] = std::max<int64_t>(before, 0);
    shape[dim] += before + after;
  }
  const ValueId fill = l.given(2) ? l.number(2, l.build.dtype(x)) : l.constant(l.build.dtype(x), 0);
  return l.result(shape == l.build.shape(x) ? x : l.build.pad(x, fill, starts, steps, shape));
}

Status lower_flip(Lowering& l) {
  const ValueId x = l.tensor(0);
  LW_ASSIGN_OR_RETURN(const auto dims, l.dims(l.integers(1), l.build.rank(x)));
  if (l.build.rank(x) == 0) return l.result(x);
  std::vector<int64_t> starts(l.build.rank(x), 0), steps(l.build.rank(x), 1);
  for (const int64_t d : dims) {
    starts[d] = std::max<int64_t>(l.build.size(x, d) - 1, 0);
    steps[d] = -1;
  }
  return l.result(l.build.slice(x, std::move(starts), l.build.shape(x), std::move(steps)));
}

// Rotates by `shift` along `dim`: the last `shift` elements come first.
ValueId rolled(Lowering& l, ValueId x, int64_t dim, int64_t shift) {
  const int64_t size = l.build.size(x, dim);
  if (size == 0) return x;
  const int64_t back = ((shift % size) + size) % size;
  if (back == 0) return x;
  const ValueId tail = l.build.slice_dim(x, dim, size - back, back), head = l.build.slice_dim(x, dim, 0, size - back);
  return l.build.concat({tail, head}, dim);
}

Status lower_roll(Lowering& l) {
  ValueId x = l.tensor(0);
  const std::vector<int64_t> shifts = l.integers(1);
  LW_ASSIGN_OR_RETURN(const auto dims, l.dims(l.integers(2), l.build.rank(x)));
  if (dims.empty() && shifts.size() == 1) {
    const ValueId flat = l.build.reshape(x, {l.build.op(x).elements()});
    return l.result(l.build.reshape(rolled(l, flat, 0, shifts[0]), l.build.shape(x)));
  }
  if (dims.size() != shifts.size()) return l.wrong("as many shifts as dimensions are needed");
  for (size_t i = 0; i < dims.size() && l.build.rank(x) > 0; ++i) x = rolled(l, x, dims[i], shifts[i]);
  return l.result(x);
}

// One dimension at a time, as [before, repeats, size, after]: never more than four dimensions.
Status lower_repeat(Lowering& l) {
  ValueId x = l.tensor(0);
  const std::vector<int64_t> repeats = l.integers(1);
  if (static_cast<int64_t>(repeats.size()) < l.build.rank(x)) return l.wrong("repeats must name every dimension");
  const Shape own = l.build.shape(x);
  Shape shape(repeats.size() - own.size(), 1);
  shape.insert(shape.end(), own.begin(), own.end());
  for (size_t d = 0; d < repeats.size(); ++d) {
    if (repeats[d] < 0) return l.wrong("repeats must not be negative");
    if (repeats[d] == 1) continue;
    int64_t before = 1, after = 1;
    for (size_t i = 0; i < shape.size(); ++i) (i < d ? before : after) *= i == d ? 1 : shape[i];
    x = l.build.reshape(x, {before, 1, shape[d], after});
    x = l.build.broadcast(x, {before, repeats[d], shape[d], after});
    shape[d] *= repeats[d];
  }
  return l.result(l.build.reshape(x, shape));
}

struct Strip {
  int64_t dim, start, count, step;
};

// Argument `x`'s place in a whole of these sizes: the range of slice.Tensor, its arguments from `first` on.
Result<Strip> strip_of(const Lowering& l, const Shape& whole, size_t first) {
  const int64_t rank = static_cast<int64_t>(whole.size());
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(first), rank));
  if (rank == 0) return l.wrong("a tensor without dimensions has no slice");
  const int64_t size = whole[dim], step = l.integer(first + 3, 1);
  if (step <= 0) return l.wrong("step must be positive");
  const auto cut = [size](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  const int64_t start = l.given(first + 1) ? cut(l.integer(first + 1)) : 0;
  const int64_t end = l.given(first + 2) ? cut(l.integer(first + 2)) : size;
  return Strip{dim, start, end <= start ? 0 : (end - start - 1) / step + 1, step};
}

Result<Strip> line_of(const Lowering& l, const Shape& whole, size_t first) {
  const int64_t rank = static_cast<int64_t>(whole.size());
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(first), rank));
  if (rank == 0) return l.wrong("a tensor without dimensions has no element to select");
  const int64_t index = l.integer(first + 1), counted = index < 0 ? index + whole[dim] : index;
  if (counted < 0 || counted >= whole[dim]) return l.wrong("index out of range");
  return Strip{dim, counted, 1, 1};
}

// Zeros of sizes `whole`, with `piece` in the strip.
Status in_zeros(Lowering& l, ValueId piece, const Shape& whole, const Strip& strip) {
  Shape shape = whole;
  shape[strip.dim] = strip.count;
  piece = l.build.reshape(piece, shape);
  std::vector<int64_t> starts(whole.size(), 0), steps(whole.size(), 1);
  starts[strip.dim] = strip.start;
  steps[strip.dim] = strip.step;
  return l.result(l.build.pad(piece, l.constant(l.build.dtype(piece), 0), starts, steps, whole));
}

Status lower_slice_backward(Lowering& l) {
  const Shape whole = l.integers(1);
  LW_ASSIGN_OR_RETURN(const Strip strip, strip_of(l, whole, 2));
  return in_zeros(l, l.tensor(0), whole, strip);
}

Status lower_select_backward(Lowering& l) {
  const Shape whole = l.integers(1);
  LW_ASSIGN_OR_RETURN(const Strip strip, line_of(l, whole, 2));
  return in_zeros(l, l.tensor(0), whole, strip);
}

// `self` with `piece` in the strip. A strip without gaps is what is before, the piece, and what is after; one with gaps
// is spread out and chosen where it has elements.
Status scattered(Lowering& l, ValueId piece, const Strip& strip) {
  const ValueId self = l.tensor(0);
  Shape shape = l.build.shape(self);
  const int64_t size = shape[strip.dim];
  shape[strip.dim] = strip.count;
  piece = l.build.broadcast(l.build.reshape(l.build.convert(piece, l.build.dtype(self)), shape), shape);
  if (strip.count == 0) return l.result(self);
  if (strip.step == 1) {
    std::vector<ValueId> parts;
    const int64_t end = strip.start + strip.count;
    if (strip.start > 0) parts.push_back(l.build.slice_dim(self, strip.dim, 0, strip.start));
    parts.push_back(piece);
    if (end < size) parts.push_back(l.build.slice_dim(self, strip.dim, end, size - end));
    return l.result(l.build.concat(parts, strip.dim));
  }
  std::vector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1);
  starts[strip.dim] = strip.start;
  steps[strip.dim] = strip.step;
  const ValueId spread = l.build.pad(piece, l.constant(l.build.dtype(self), 0), starts, steps, l.build.shape(self));
  Shape along(shape.size(), 1);
  along[strip.dim] = strip.count;
  const ValueId one = l.build.constant(DType::b8, 1, along);
  along[strip.dim] = size;
  const ValueId mask = l.build.pad(one, l.constant(DType::b8, 0), starts, steps, along);
  return l.result(l.build.select(mask, spread, self));
}

Status lower_slice_scatter(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Strip strip, strip_of(l, l.build.shape(l.tensor(0)), 2));
  return scattered(l, l.tensor(1), strip);
}

Status lower_select_scatter(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const Strip strip, line_of(l, l.build.shape(l.tensor(0)), 2));
  return scattered(l, l.tensor(1), strip);
}

constexpr Row kRows[] = {
    {"aten::cat", "tensors | int", lower_cat},
    {"aten::constant_pad_nd", "tensor ints | number", lower_pad},
    {"aten::flip", "tensor ints", lower_flip},
    {"aten::repeat", "tensor ints", lower_repeat},
    {"aten::roll", "tensor ints | ints", lower_roll},
    {"aten::select_backward", "tensor ints int int", lower_select_backward},
    {"aten::select_scatter", "tensor tensor int int", lower_select_scatter},
    {"aten::slice_backward", "tensor ints int int int int", lower_slice_backward},
    {"aten::slice_scatter", "tensor tensor | int int? int? int", lower_slice_scatter},
    {"aten::stack", "tensors | int", lower_stack},
};

}  // namespace

std::span<const Row> assemble_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
