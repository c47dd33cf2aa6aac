// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products. Operands go to the tensor engine in their own dtype, the product is f32 and rounded after everything
// that is added to it.
#include "compiler/aten/expression.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::AluOp;

Status check_operands(const Lowering& l, size_t a, size_t b, int64_t rank_a, int64_t rank_b) {
  const ValueId x = l.tensor(a), y = l.tensor(b);
  if (l.build.rank(x) != rank_a || l.build.rank(y) != rank_b) {
    return l.wrong("expects operands of " + std::to_string(rank_a) + " and " + std::to_string(rank_b) + " dimensions");
  }
  if (l.build.dtype(x) != l.build.dtype(y)) return l.wrong("operands must have one dtype");
  if (!isa::is_float(l.build.dtype(x))) return l.unsupported("integer matrix products are not served; convert to f32 first");
  if (l.build.size(x, rank_a - 1) != l.build.size(y, std::max<int64_t>(rank_b - 2, 0))) return l.wrong("inner sizes differ");
  return ok_status();
}

// f32; a sum of no products is 0.
ValueId product(Lowering& l, ValueId a, ValueId b) {
  const int64_t rank = l.build.rank(a);
  if (l.build.size(a, rank - 1) != 0) return l.build.matmul(a, b, DType::f32);
  Shape shape = l.build.shape(a);
  shape.back() = l.build.size(b, rank - 1);
  return l.build.constant(DType::f32, 0, shape);
}

template <int rank>
Status lower_product(Lowering& l) {
  LW_RETURN_IF_ERROR(check_operands(l, 0, 1, rank, rank));
  return l.result(product(l, l.tensor(0), l.tensor(1)));
}

bool is_literal(const Lowering& l, size_t i, double value) { return l.given(i) ? l.literal(i) == value : value == 1; }

// beta * self + alpha * product. A beta of 0 leaves self out, whatever it holds.
Status scaled_sum(Lowering& l, Expr sum) {
  if (!is_literal(l, 4, 1)) sum = sum * Expr(l.build, l.number(4, DType::f32));
  if (is_literal(l, 3, 0)) return l.result(sum);
  Expr self(l.build, l.build.convert(l.tensor(0), DType::f32));
  if (!is_literal(l, 3, 1)) {
    const Expr beta(l.build, l.number(3, DType::f32));
    if (!l.literal(3)) self = select(beta == 0.0, self.same(0), self);
    self = self * beta;
  }
  return l.result(self + sum);
}

template <int rank>
Status lower_add_product(Lowering& l) {
  LW_RETURN_IF_ERROR(check_operands(l, 1, 2, rank, rank));
  return scaled_sum(l, {l.build, product(l, l.tensor(1), l.tensor(2))});
}

// [M, K] x [K] -> [M]
ValueId matrix_vector(Lowering& l, size_t a, size_t b) {
  const ValueId matrix = l.tensor(a), vector = l.tensor(b);
  const ValueId column = l.build.reshape(vector, {l.build.size(vector, 0), 1});
  return l.build.reshape(product(l, matrix, column), {l.build.size(matrix, 0)});
}

Status lower_mv(Lowering& l) {
  LW_RETURN_IF_ERROR(check_operands(l, 0, 1, 2, 1));
  return l.result(matrix_vector(l, 0, 1));
}

Status lower_addmv(Lowering& l) {
  LW_RETURN_IF_ERROR(check_operands(l, 1, 2, 2, 1));
  return scaled_sum(l, {l.build, matrix_vector(l, 1, 2)});
}

Status lower_dot(Lowering& l) {
  LW_RETURN_IF_ERROR(check_operands(l, 0, 1, 1, 1));
  const int64_t n = l.build.size(l.tensor(0), 0);
  const ValueId row = l.build.reshape(l.tensor(0), {1, n}), column = l.build.reshape(l.tensor(1), {n, 1});
  return l.result(l.build.reshape(product(l, row, column), {}));
}

// [..., K] x [N, K]^T + [N]
Status lower_linear(Lowering& l) {
  const ValueId x = l.tensor(0), weight = l.tensor(1);
  const int64_t rank = l.build.rank(x), k = l.build.size(x, rank - 1);
  if (rank < 1 || l.build.rank(weight) != 2 || l.build.size(weight, 1) != k || k == 0) return l.wrong("sizes do not fit");
  if (!isa::is_float(l.build.dtype(x)) || l.build.dtype(x) != l.build.dtype(weight)) return l.wrong("operands must have one floating point dtype");
  const ValueId rows = l.build.reshape(x, {l.build.op(x).elements() / k, k});
  Expr sum(l.build, product(l, rows, l.build.transpose(weight)));
  if (l.given(2)) sum = sum + Expr(l.build, l.build.convert(l.tensor(2), DType::f32));
  return l.result(l.build.reshape(sum, l.meta().sizes));
}

constexpr Row kRows[] = {
    {"aten::addmm", "tensor tensor tensor | number number", lower_add_product<2>},
    {"aten::addmv", "tensor tensor tensor | number number", lower_addmv},
    {"aten::baddbmm", "tensor tensor tensor | number number", lower_add_product<3>},
    {"aten::bmm", "tensor tensor", lower_product<3>},
    {"aten::dot", "tensor tensor", lower_dot},
    {"aten::linear", "tensor tensor | tensor?", lower_linear},
    {"aten::mm", "tensor tensor", lower_product<2>},
    {"aten::mv", "tensor tensor", lower_mv},
    {"aten::vdot", "tensor tensor", lower_dot},
};

}  // namespace

std::span<const Row> matmul_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
