// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors made from positions: ranges, triangles, the identity.
#include <algorithm>
#include <cmath>

#include "compiler/aten/expression.h"
#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

bool is_whole(double value) { return value == std::floor(value) && std::fabs(value) < 0x1p53; }

// start + step * position. The number of elements is the result's.
Status range(Lowering& l, std::optional<double> start, std::optional<double> step) {
  if (!start || !step) return l.unsupported("the range must be known when the program is made");
  const TensorMeta& meta = l.meta();
  if (meta.sizes.size() != 1) return l.wrong("a range has one dimension");
  const int64_t n = meta.sizes[0];
  const bool exact = is_whole(*start) && is_whole(*step);
  if (isa::is_integer(meta.dtype) || (exact && index_dtype(n) == DType::f32)) {
    if (!exact) return l.unsupported("integer ranges with fractions are not served");
    const DType dtype = math_dtype(meta.dtype);
    return l.result(l.build.iota(dtype, {n}, 0, static_cast<int64_t>(*start), static_cast<int64_t>(*step)));
  }
  const Expr position(l.build, l.build.convert(l.build.iota(index_dtype(n), {n}, 0), DType::f32));
  return l.result(position * *step + *start);
}

Status lower_arange(Lowering& l) { return range(l, 0, 1); }
Status lower_arange_start(Lowering& l) { return range(l, l.literal(0), 1); }
Status lower_arange_step(Lowering& l) { return range(l, l.literal(0), l.given(2) ? l.literal(2) : std::optional<double>(1)); }

// From both ends, so that both are exact.
Status lower_linspace(Lowering& l) {
  const auto start = l.literal(0), end = l.literal(1);
  if (!start || !end) return l.unsupported("the range must be known when the program is made");
  if (l.meta().sizes.size() != 1 || !isa::is_float(l.meta().dtype)) return l.unsupported("only floating point is served");
  const int64_t n = l.meta().sizes[0];
  if (n <= 1) return l.result(l.build.constant(DType::f32, *start, l.meta().sizes));
  const double step = (*end - *start) / static_cast<double>(n - 1);
  const Expr position(l.build, l.build.convert(l.build.iota(index_dtype(n), {n}, 0), DType::f32));
  const Expr from_end = position * -1.0 + static_cast<double>(n - 1);
  return l.result(select(position < static_cast<double>(n / 2), position * step + *start, from_end * -step + *end));
}

struct Positions {
  Expr row, column;   // [1, ..., rows, 1] and [1, ..., 1, columns]
};

Positions positions(Lowering& l, const Shape& shape, int64_t row_start) {
  const size_t rank = shape.size();
  const int64_t rows = shape[rank - 2], columns = shape[rank - 1];
  const DType dtype = index_dtype(std::max(rows, columns) + std::abs(row_start));
  Shape down(rank, 1), across(rank, 1);
  down[rank - 2] = rows;
  across[rank - 1] = columns;
  const Expr row(l.build, l.build.iota(dtype, down, static_cast<int64_t>(rank) - 2, row_start));
  const Expr column(l.build, l.build.iota(dtype, across, static_cast<int64_t>(rank) - 1));
  return {row, column};
}

// Keeps column - row >= diagonal (upper) or <= diagonal (lower).
template <bool upper>
Status lower_triangle(Lowering& l) {
  const Expr x(l.build, l.tensor(0));
  if (l.build.rank(x) < 2) return l.wrong("needs at least two dimensions");
  const Shape shape = l.build.shape(x);
  const int64_t diagonal = std::clamp<int64_t>(l.integer(1, 0), -shape[shape.size() - 2] - 1, shape.back() + 1);
  const Positions at = positions(l, shape, diagonal);
  const Expr keep = upper ? at.column >= at.row : at.column <= at.row;
  return l.result(select(keep, x, x.same(0)));
}

Status lower_eye(Lowering& l) {
  if (l.meta().sizes.size() != 2) return l.wrong("has two dimensions");
  const Positions at = positions(l, l.meta().sizes, 0);
  return l.result(at.row == at.column);
}

constexpr Row kRows[] = {
    {"aten::arange", "number | any any any any", lower_arange},
    {"aten::arange.start", "number number | any any any any", lower_arange_start},
    {"aten::arange.start_step", "number number | number any any any any", lower_arange_step},
    {"aten::eye", "int | any any any any", lower_eye},
    {"aten::eye.m", "int int | any any any any", lower_eye},
    {"aten::linspace", "number number int | any any any any", lower_linspace},
    {"aten::tril", "tensor | int", lower_triangle<false>},
    {"aten::triu", "tensor | int", lower_triangle<true>},
};

}  // namespace

std::span<const Row> generate_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
