// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Largest and smallest elements, where they are, and whether any or all are true.
#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::AluOp;

// Bool takes part as 0 and 1 in f32.
Expr comparable(Lowering& l, size_t i) {
  const DType dtype = l.build.dtype(l.tensor(i));
  return {l.build, dtype == DType::b8 ? l.build.convert(l.tensor(i), DType::f32) : l.math(i)};
}

Status check_not_empty(const Lowering& l, const Expr& x, const std::vector<int64_t>& dims) {
  return product_of(x.build->shape(x), dims) > 0 ? ok_status() : l.wrong("of no elements is not defined");
}

template <AluOp alu>
Status lower_extreme(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, reduced_dims(l, 1));
  const Expr x = comparable(l, 0);
  LW_RETURN_IF_ERROR(check_not_empty(l, x, dims));
  return reduced_result(l, 0, x.reduced(alu, dims));
}

template <AluOp alu>
Status lower_extreme_all(Lowering& l) {
  const Expr x = comparable(l, 0);
  const auto dims = all_dims(l.build.rank(x));
  LW_RETURN_IF_ERROR(check_not_empty(l, x, dims));
  return reduced_result(l, 0, x.reduced(alu, dims));
}

// The first position along `dim` that holds `extreme` (or a NaN, which is then the extreme): positions elsewhere count
// as n, and the smallest position is taken.
Expr first_position(Expr x, Expr extreme, int64_t dim) {
  ir::Builder& build = *x.build;
  const int64_t n = build.size(x, dim);
  const DType dtype = index_dtype(n);
  Shape along(build.shape(x).size(), 1);
  along[dim] = n;
  const Expr position(build, build.iota(dtype, along, dim));
  Expr hit = x == extreme;
  if (isa::is_float(build.dtype(x))) hit = hit || (x != x);
  const Expr candidates = select(hit, position, position.same(static_cast<double>(n)));
  return candidates.reduced(AluOp::minimum, {dim});
}

// values, indices
template <AluOp alu>
Status lower_extreme_with_index(Lowering& l) {
  const Expr x = comparable(l, 0);
  LW_ASSIGN_OR_RETURN(const int64_t dim, l.dim(l.integer(1), l.build.rank(x)));
  if (l.build.rank(x) == 0) {
    LW_RETURN_IF_ERROR(l.result(0, x));
    return l.result(1, l.build.constant_integer(DType::i64, 0, {}));
  }
  LW_RETURN_IF_ERROR(check_not_empty(l, x, {dim}));
  const Expr extreme = x.reduced(alu, {dim});
  LW_RETURN_IF_ERROR(reduced_result(l, 0, extreme));
  return l.wanted(1) ? reduced_result(l, 1, first_position(x, extreme, dim)) : ok_status();
}

// Without a dimension: the position in the flattened tensor.
template <AluOp alu>
Status lower_position(Lowering& l) {
  Expr x = comparable(l, 0);
  int64_t dim = 0;
  if (!l.given(1) || l.build.rank(x) == 0) {
    x = Expr(l.build, l.build.reshape(x, {l.build.op(x).elements()}));
  } else {
    LW_ASSIGN_OR_RETURN(dim, l.dim(l.integer(1), l.build.rank(x)));
  }
  LW_RETURN_IF_ERROR(check_not_empty(l, x, {dim}));
  return reduced_result(l, 0, first_position(x, x.reduced(alu, {dim}), dim));
}

// Of 0 and 1 in f32: any is the largest, all the smallest.
Status truth(Lowering& l, const std::vector<int64_t>& dims, bool all) {
  const Expr x(l.build, l.build.convert(l.build.convert(l.tensor(0), DType::b8), DType::f32));
  if (product_of(l.build.shape(x), dims) == 0) {
    return l.result(l.build.constant(l.meta().dtype, all, l.meta().sizes));
  }
  const Expr extreme = x.reduced(all ? AluOp::minimum : AluOp::maximum, dims);
  return reduced_result(l, 0, extreme.as(DType::b8));
}

template <bool all>
Status lower_truth(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, reduced_dims(l, 1));
  return truth(l, dims, all);
}

template <bool all>
Status lower_truth_of_all(Lowering& l) {
  return truth(l, all_dims(l.build.rank(l.tensor(0))), all);
}

constexpr Row kRows[] = {
    {"aten::all", "tensor", lower_truth_of_all<true>},
    {"aten::all.dim", "tensor int | bool", lower_truth<true>},
    {"aten::all.dims", "tensor | ints? bool", lower_truth<true>},
    {"aten::amax", "tensor | ints bool", lower_extreme<AluOp::maximum>},
    {"aten::amin", "tensor | ints bool", lower_extreme<AluOp::minimum>},
    {"aten::any", "tensor", lower_truth_of_all<false>},
    {"aten::any.dim", "tensor int | bool", lower_truth<false>},
    {"aten::any.dims", "tensor | ints? bool", lower_truth<false>},
    {"aten::argmax", "tensor | int? bool", lower_position<AluOp::maximum>},
    {"aten::argmin", "tensor | int? bool", lower_position<AluOp::minimum>},
    {"aten::max", "tensor", lower_extreme_all<AluOp::maximum>},
    {"aten::max.dim", "tensor int | bool", lower_extreme_with_index<AluOp::maximum>},
    {"aten::min", "tensor", lower_extreme_all<AluOp::minimum>},
    {"aten::min.dim", "tensor int | bool", lower_extreme_with_index<AluOp::minimum>},
};

}  // namespace

std::span<const Row> reduce_extreme_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
