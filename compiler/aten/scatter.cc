// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Values written to places that integer tensors name. There is no scattered write in the IR: every place of the result
// looks for the indices that name it, which is one comparison of all places with all indices:
//
//   hit [.., place, index]  =  indices[.., index] == place
//   added up:   sum over index of (hit ? source : 0)         written:  source[the last index that hits], or self
//
// The work grows with places * indices, so that large cases are refused rather than slow.
#include "compiler/aten/expression.h"
#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::AluOp;

constexpr int64_t kMostComparisons = int64_t{1} << 28;

std::vector<int64_t> dim_last(int64_t rank, int64_t dim) {
  std::vector<int64_t> order = all_dims(rank);
  order.erase(order.begin() + dim);
  order.push_back(dim);
  return order;
}

std::vector<int64_t> undo(const std::vector<int64_t>& order) {
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[order[i]] = static_cast<int64_t>(i);
  return back;
}

// hit [..., places, indices], to be met by sources [..., 1, indices].
struct Hits {
  Expr hit;
  int64_t last;   // the dimension of the indices
};

Hits hits(Lowering& l, ValueId index_lines, int64_t places) {
  const int64_t rank = l.build.rank(index_lines);
  const DType counter = index_dtype(places);
  Shape row = l.build.shape(index_lines);
  row.insert(row.end() - 1, 1);
  const Expr index(l.build, l.build.reshape(l.build.convert(index_lines, counter), row));
  Shape along(rank + 1, 1);
  along[rank - 1] = places;
  const Expr place(l.build, l.build.iota(counter, along, rank - 1));
  return {place == index, rank};
}

ValueId with_place_dim(Lowering& l, ValueId lines) {
  Shape shape = l.build.shape(lines);
  shape.insert(shape.end() - 1, 1);
  return l.build.reshape(lines, shape);
}

ValueId without_last(Lowering& l, ValueId x) {
  Shape shape = l.build.shape(x);
  shape.pop_back();
  return l.build.reshape(x, shape);
}

enum class Mode { write, add };

// scatter of `source` (a tensor of the index's sizes or larger, or a number) into self along dim.
Status scattered(Lowering& l, Mode mode) {
  const ValueId self = l.tensor(0), index = l.tensor(2);
  const int64_t rank = l.build.rank(self);
  const DType dtype = l.build.dtype(self);
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), rank));
  if (l.build.op(index).elements() == 0) return l.result(self);
  if (l.build.dtype(index) != DType::i64 && l.build.dtype(index) != DType::i32) return l.wrong("index must be i32 or i64");
  if (rank == 0 || l.build.rank(index) != rank) return l.unsupported("wants self and index with equally many dimensions");
  const Shape self_shape = l.build.shape(self), index_shape = l.build.shape(index);
  int64_t comparisons = self_shape[dim];
  for (const int64_t size : index_shape) comparisons *= size;
  if (comparisons > kMostComparisons) return l.unsupported("index and size are too large for the way it is served");
  // Lines that the index does not cover stay as they are.
  std::vector<int64_t> starts(rank, 0), steps(rank, 1);
  Shape covered = index_shape;
  covered[dim] = self_shape[dim];
  const auto order = dim_last(rank, dim);
  const auto lines = [&](ValueId x, const Shape& shape) {
    return l.build.permute(l.build.slice(x, starts, shape, steps), order);
  };
  const ValueId before = lines(self, covered);
  const Hits h = hits(l, lines(index, index_shape), self_shape[dim]);
  const Expr source(l.build, l.is_tensor(3) ? with_place_dim(l, lines(l.build.convert(l.tensor(3), dtype), index_shape))
                                            : l.number(3, dtype, static_cast<size_t>(rank) + 1));
  const DType math = dtype == DType::b8 ? DType::f32 : math_dtype(dtype);
  ValueId after;
  if (mode == Mode::add) {
    const Expr value = source.as(math);
    const Expr sum = select(h.hit, value, value.same(0)).reduced(AluOp::add, {h.last});
    after = l.build.convert(l.build.binary(AluOp::add, l.build.convert(before, math), without_last(l, sum)), dtype);
  } else {
    // The last index that hits a place wins; its source is the only one left in the sum.
    const int64_t n = index_shape[dim];
    Shape along(rank + 1, 1);
    along[rank] = n;
    const Expr position(l.build, l.build.iota(index_dtype(n), along, rank));
    const Expr last = select(h.hit, position, position.same(-1)).reduced(AluOp::maximum, {h.last});
    const Expr value = source.as(math);
    const Expr chosen = select(position == last, value, value.same(0)).reduced(AluOp::add, {h.last});
    const Expr named = Expr(l.build, without_last(l, last)) >= 0.0;
    after = l.build.select(named, l.build.convert(without_last(l, chosen), dtype), before);
  }
  ValueId whole = l.build.permute(after, undo(order));
  // Put the covered part back into the whole, one dimension at a time.
  for (int64_t d = rank - 1; d >= 0; --d) {
    if (d == dim || index_shape[d] == self_shape[d]) continue;
    Shape rest = l.build.shape(whole);
    rest[d] = self_shape[d] - index_shape[d];
    std::vector<int64_t> from(rank, 0);
    from[d] = index_shape[d];
    whole = l.build.concat({whole, l.build.slice(self, from, rest, steps)}, d);
  }
  return l.result(whole);
}

Status lower_scatter(Lowering& l) { return scattered(l, Mode::write); }
Status lower_scatter_add(Lowering& l) { return scattered(l, Mode::add); }

// The rows of `source` [n, width] added up by their numbers [n] into [places, width]; floating point as a matrix product.
ValueId summed_rows(Lowering& l, ValueId numbers, ValueId source, int64_t places) {
  const Hits h = hits(l, l.build.reshape(numbers, {l.build.op(numbers).elements()}), places);   // [places, n]
  const DType dtype = l.build.dtype(source);
  if (isa::is_float(dtype)) return l.build.matmul(h.hit.as(dtype), source, DType::f32);
  const ValueId hit = l.build.reshape(h.hit, {places, l.build.size(source, 0), 1});
  const Expr value(l.build, l.build.reshape(source, {1, l.build.size(source, 0), l.build.size(source, 1)}));
  const Expr sum = select(Expr(l.build, hit), value, value.same(0)).reduced(AluOp::add, {1});
  return l.build.reshape(sum, {places, l.build.size(source, 1)});
}

// index_add(self, dim, index, source, alpha)
Status lower_index_add(Lowering& l) {
  const ValueId self = l.tensor(0), index = l.tensor(2), source = l.tensor(3);
  const int64_t rank = l.build.rank(self), n = l.build.op(index).elements();
  const DType dtype = l.build.dtype(self), math = math_dtype(dtype);
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), rank));
  if (rank == 0 || l.build.rank(source) != rank || dtype == DType::b8) return l.unsupported("wants numbers with at least one dimension");
  if (n == 0) return l.result(self);
  if (l.build.dtype(index) != DType::i64 && l.build.dtype(index) != DType::i32) return l.wrong("index must be i32 or i64");
  std::vector<int64_t> order = all_dims(rank);
  order.erase(order.begin() + dim);
  order.insert(order.begin(), dim);
  const Shape shape = l.build.shape(l.build.permute(self, order));
  const int64_t places = shape[0];
  int64_t width = 1;
  for (size_t d = 1; d < shape.size(); ++d) width *= shape[d];
  if (width == 0 || places == 0) return l.result(self);
  if (places * n > kMostComparisons) return l.unsupported("index and size are too large for the way it is served");
  const ValueId rows = l.build.reshape(l.build.permute(l.build.convert(source, dtype), order), {n, width});
  Expr sum(l.build, summed_rows(l, index, rows, places));
  if (l.given(4) && l.literal(4) != 1) sum = sum * Expr(l.build, l.number(4, math, 2));
  const ValueId spread = l.build.permute(l.build.reshape(sum, shape), undo(order));
  return l.result(l.build.binary(AluOp::add, l.build.convert(self, math), spread));
}

// self where the mask is not set, else the one value. A mask with fewer dimensions covers the first ones.
Status masked_put(Lowering& l, ValueId mask) {
  const ValueId self = l.tensor(0), value = l.tensor(2);
  const int64_t rank = l.build.rank(self);
  if (l.build.op(value).elements() != 1 || l.boolean(3)) return l.unsupported("a mask takes one value, which is not added");
  if (l.build.rank(mask) > rank) return l.wrong("the mask has more dimensions than self");
  Shape shape = l.build.shape(mask);
  shape.resize(rank, 1);
  const ValueId one = l.build.reshape(l.build.convert(value, l.build.dtype(self)), Shape(rank, 1));
  return l.result(l.build.select(l.build.reshape(mask, shape), one, self));
}

// index_put(self, [index], values, accumulate): rows of the first dimension.
Status lower_index_put(Lowering& l) {
  const ValueId self = l.tensor(0);
  const auto given = l.positions(1);
  if (given.size() == 1 && given[0].index == 0 && l.build.dtype(given[0].value) == DType::b8) return masked_put(l, given[0].value);
  if (given.size() != 1 || given[0].index != 0) return l.unsupported("only one index tensor, for the first dimension, is served");
  const ValueId index = given[0].value;
  const int64_t rank = l.build.rank(self), n = l.build.op(index).elements();
  const DType dtype = l.build.dtype(self);
  if (l.build.dtype(index) != DType::i64 && l.build.dtype(index) != DType::i32) return l.wrong("index must be i32, i64 or bool");
  if (rank == 0 || dtype == DType::b8) return l.unsupported("wants numbers with at least one dimension");
  const Shape shape = l.build.shape(self);
  int64_t width = 1;
  for (size_t d = 1; d < shape.size(); ++d) width *= shape[d];
  if (n == 0 || width == 0 || shape[0] == 0) return l.result(self);
  if (shape[0] * n > kMostComparisons) return l.unsupported("index and size are too large for the way it is served");
  Shape values = l.build.shape(index);
  values.insert(values.end(), shape.begin() + 1, shape.end());
  const ValueId rows = l.build.reshape(l.build.broadcast(l.build.convert(l.tensor(2), dtype), values), {n, width});
  const Expr raw(l.build, l.build.convert(l.build.reshape(index, {n}), DType::i64));
  const Expr numbers = select(raw < 0.0, raw + static_cast<double>(shape[0]), raw);
  if (l.boolean(3)) {
    const ValueId sum = l.build.reshape(summed_rows(l, numbers, rows, shape[0]), shape);
    return l.result(l.build.binary(AluOp::add, l.build.convert(self, math_dtype(dtype)), sum));
  }
  const Hits h = hits(l, numbers, shape[0]);   // [places, n]
  const Expr position(l.build, l.build.iota(index_dtype(n), {1, n}, 1));
  const Expr last(l.build, l.build.reshape(select(h.hit, position, position.same(-1)).reduced(AluOp::maximum, {1}), {shape[0]}));
  const Expr number = select(last < 0.0, last.same(0), last).as(DType::i64);
  const ValueId taken = l.build.reshape(l.build.gather(rows, number), shape);
  Shape column(rank, 1);
  column[0] = shape[0];
  return l.result(l.build.select(l.build.reshape(last >= 0.0, column), taken, self));
}

constexpr Row kRows[] = {
    {"aten::index_add", "tensor int tensor tensor | number", lower_index_add},
    {"aten::index_put", "tensor any tensor | bool", lower_index_put},
    {"aten::scatter.src", "tensor int tensor tensor", lower_scatter},
    {"aten::scatter.value", "tensor int tensor number", lower_scatter},
    {"aten::scatter_add", "tensor int tensor tensor", lower_scatter_add},
};

}  // namespace

std::span<const Row> scatter_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
