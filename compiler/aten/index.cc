// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows and elements chosen by integer tensors. An index out of range is undefined, as on other accelerators.
#include <algorithm>

#include "compiler/aten/expression.h"
#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

bool is_index(const Lowering& l, ValueId x) { return l.build.dtype(x) == DType::i64 || l.build.dtype(x) == DType::i32; }

ValueId flat(Lowering& l, ValueId x) { return l.build.reshape(x, {l.build.op(x).elements()}); }

// Negative indices count from the end.
ValueId counted(Lowering& l, ValueId indices, int64_t size) {
  const Expr x(l.build, indices);
  return select(x < 0.0, x + static_cast<double>(size), x);
}

// embedding(weight, indices, padding_idx, ...): padding_idx matters to the gradient only.
Status lower_embedding(Lowering& l) {
  const ValueId table = l.tensor(0), indices = l.tensor(1);
  if (l.build.rank(table) != 2 || !is_index(l, indices)) return l.wrong("wants a table of two dimensions and integer indices");
  return l.result(l.build.reshape(l.build.gather(table, flat(l, indices)), l.meta().sizes));
}

// The sum of grad's rows for each row of the table: a matrix product with the indices as one-hot columns.
Status lower_embedding_backward(Lowering& l) {
  const ValueId grad = l.tensor(0), indices = l.tensor(1);
  const int64_t rows = l.integer(2), padding = l.integer(3, -1), n = l.build.op(indices).elements();
  if (l.boolean(4)) return l.unsupported("scale_grad_by_freq is not served");
  if (!is_index(l, indices) || n == 0 || l.build.rank(grad) == 0) return l.unsupported("wants at least one integer index");
  const int64_t width = l.build.size(grad, l.build.rank(grad) - 1);
  const DType counter = index_dtype(rows);
  const Expr index(l.build, l.build.reshape(l.build.convert(indices, counter), {1, n}));
  const Expr row(l.build, l.build.iota(counter, {rows, 1}, 0));
  Expr hit = row == index;
  if (padding >= 0) hit = hit && (index != static_cast<double>(padding));
  const ValueId one_hot = hit.as(l.build.dtype(grad));
  return l.result(l.build.matmul(one_hot, l.build.reshape(grad, {n, width}), DType::f32));
}

// Rows of `x` along `dim`, chosen by the flat `indices`; the dimension gets the number of indices.
ValueId rows_along(Lowering& l, ValueId x, int64_t dim, ValueId indices) {
  std::vector<int64_t> order = all_dims(l.build.rank(x));
  order.erase(order.begin() + dim);
  order.insert(order.begin(), dim);
  const ValueId first = l.build.permute(x, order);
  Shape shape = l.build.shape(first);
  int64_t width = 1;
  for (size_t d = 1; d < shape.size(); ++d) width *= shape[d];
  const ValueId taken = l.build.gather(l.build.reshape(first, {shape[0], width}), indices);
  shape[0] = l.build.size(indices, 0);
  std::vector<int64_t> back = all_dims(l.build.rank(x));
  back.erase(back.begin());
  back.insert(back.begin() + dim, 0);
  return l.build.permute(l.build.reshape(taken, shape), back);
}

Status lower_index_select(Lowering& l) {
  const ValueId x = l.tensor(0), indices = l.tensor(2);
  if (!is_index(l, indices)) return l.wrong("index must be i32 or i64");
  if (l.build.rank(x) == 0) return l.result(x);
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), l.build.rank(x)));
  return l.result(rows_along(l, x, dim, flat(l, indices)));
}

// x[..., indices, ...]: the integer tensors broadcast together, and each of their elements names a piece of x. Their
// dimensions come where the first of them stands, or first of all when there is a gap between them.
//
//   x [A, B, C, D], x[:, i, j]:  table [B * C, A * D], row i * C + j  ->  [n, A, D]  ->  [A, n, D]
Status lower_index(Lowering& l) {
  const ValueId x = l.tensor(0);
  const auto given = l.positions(1);
  const Shape sizes = l.build.shape(x);
  std::vector<int64_t> indexed, order, rest;
  std::optional<Expr> row;
  for (const auto& [dim, indices] : given) {
    if (!is_index(l, indices)) return l.unsupported("how many elements a mask chooses is not known when the program is made");
    if (dim >= l.build.rank(x)) return l.wrong("more indices than dimensions");
    const Expr index(l.build, counted(l, l.build.convert(indices, DType::i64), sizes[dim]));
    row = row ? *row * static_cast<double>(sizes[dim]) + index : index;
    indexed.push_back(dim);
  }
  if (!row) return l.result(x);
  order = indexed;
  for (const int64_t d : all_dims(l.build.rank(x))) {
    if (std::find(indexed.begin(), indexed.end(), d) == indexed.end()) rest.push_back(d);
  }
  order.insert(order.end(), rest.begin(), rest.end());
  const ValueId table = l.build.reshape(l.build.permute(x, order), {product_of(sizes, indexed), product_of(sizes, rest)});
  const Shape picked = l.build.shape(*row);
  Shape shape = picked;
  for (const int64_t d : rest) shape.push_back(sizes[d]);
  const ValueId taken = l.build.reshape(l.build.gather(table, flat(l, *row)), shape);
  const bool together = indexed.back() - indexed.front() + 1 == static_cast<int64_t>(indexed.size());
  if (!together) return l.result(taken);
  std::vector<int64_t> back = all_dims(static_cast<int64_t>(shape.size()));
  const auto n = static_cast<int64_t>(picked.size());
  std::rotate(back.begin(), back.begin() + n, back.begin() + n + indexed.front());
  return l.result(l.build.permute(taken, back));
}

// gather(self, dim, index): element by element out of the flattened tensor.
Status lower_gather(Lowering& l) {
  ValueId x = l.tensor(0);
  const int64_t rank = l.build.rank(x);
  if (l.build.op(l.tensor(2)).elements() == 0) return l.result(l.build.constant(l.build.dtype(x), 0, l.meta().sizes));
  if (!is_index(l, l.tensor(2))) return l.wrong("index must be i32 or i64");
  const ValueId indices = l.build.convert(l.tensor(2), DType::i64);
  if (rank == 0 || l.build.rank(indices) == 0) {   // a number is one element of one dimension
    return l.result(l.build.broadcast(l.build.reshape(x, Shape(l.build.rank(indices), 1)), l.build.shape(indices)));
  }
  if (l.build.rank(indices) != rank) return l.wrong("index must have as many dimensions as self");
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), rank));
  Expr position(l.build, indices);
  int64_t stride = 1;
  for (int64_t d = rank - 1; d >= 0; --d) {
    if (d == dim && stride > 1) position = position * static_cast<double>(stride);
    stride *= l.build.size(x, d);
  }
  stride = 1;
  for (int64_t d = rank - 1; d >= 0; --d) {
    if (d != dim && l.build.size(indices, d) > 1) {
      Shape along(rank, 1);
      along[d] = l.build.size(indices, d);
      position = position + Expr(l.build, l.build.iota(DType::i64, along, d, 0, stride));
    }
    stride *= l.build.size(x, d);
  }
  const ValueId table = l.build.reshape(x, {stride, 1});
  return l.result(l.build.reshape(l.build.gather(table, flat(l, position)), l.build.shape(indices)));
}

constexpr Row kRows[] = {
    {"aten::embedding", "tensor tensor | int bool bool", lower_embedding},
    {"aten::embedding_dense_backward", "tensor tensor int int bool", lower_embedding_backward},
    {"aten::gather", "tensor int tensor | bool", lower_gather},
    {"aten::index.Tensor", "tensor any", lower_index},
    {"aten::index_select", "tensor int tensor", lower_index_select},
};

}  // namespace

std::span<const Row> index_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
