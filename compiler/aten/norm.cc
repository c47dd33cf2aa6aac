// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalisations over the last dimensions: layer norm and RMS norm, forward and backward. Everything between reading the
// operands and rounding the results is f32.
#include "compiler/aten/reduce.h"
#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

using isa::AluOp;

constexpr double kF32Epsilon = 1.1920928955078125e-07;

// The dimensions of argument `x` that are normalised over: the last ones, with the sizes of argument 1 or 2.
Result<std::vector<int64_t>> normalized_dims(Lowering& l, size_t x, size_t normalized_shape) {
  const std::vector<int64_t> sizes = l.integers(normalized_shape);
  const Shape shape = l.build.shape(l.tensor(x));
  if (sizes.empty() || sizes.size() > shape.size() || !std::equal(sizes.rbegin(), sizes.rend(), shape.rbegin())) {
    return l.wrong("normalized_shape must be the last sizes of the input");
  }
  std::vector<int64_t> dims = all_dims(static_cast<int64_t>(shape.size()));
  dims.erase(dims.begin(), dims.end() - static_cast<int64_t>(sizes.size()));
  return dims;
}

std::vector<int64_t> outer_dims(int64_t rank, const std::vector<int64_t>& inner) {
  return all_dims(rank - static_cast<int64_t>(inner.size()));
}

Expr weighted(Lowering& l, Expr x, size_t weight) { return l.given(weight) ? x * Expr(l.build, l.math(weight)) : x; }

// A gradient that was summed over the outer dimensions, in the shape of the parameter.
Status parameter_gradient(Lowering& l, size_t k, Expr summand, const std::vector<int64_t>& outer) {
  return l.result(k, l.build.reshape(summand.reduced(AluOp::add, outer), l.meta(k).sizes));
}

Status lower_rms_norm(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, normalized_dims(l, 0, 1));
  const Expr x(l.build, l.math(0));
  const size_t rank = l.build.shape(x).size();
  const Expr epsilon(l.build, l.number_or(3, kF32Epsilon, DType::f32, rank));
  const Expr rstd = rsqrt(mean_of(x * x, dims) + epsilon);
  LW_RETURN_IF_ERROR(l.result(0, weighted(l, x * rstd, 2)));
  return l.result(1, rstd);
}

// dx = rstd * (g - n * mean(g * n)), g = dy * weight, n = x * rstd; dw = sum of dy * n.
Status lower_rms_norm_backward(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, normalized_dims(l, 1, 2));
  const Expr dy(l.build, l.math(0)), x(l.build, l.math(1)), rstd(l.build, l.math(3));
  const Expr n = x * rstd;
  if (l.wanted(0)) {
    const Expr g = weighted(l, dy, 4);
    LW_RETURN_IF_ERROR(l.result(0, rstd * (g - n * mean_of(g * n, dims))));
  }
  if (!l.wanted(1)) return ok_status();
  return parameter_gradient(l, 1, dy * n, outer_dims(l.build.rank(x), dims));
}

// out, mean, rstd
Status lower_layer_norm(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, normalized_dims(l, 0, 1));
  const Expr x(l.build, l.math(0));
  const Expr epsilon(l.build, l.number(4, DType::f32, l.build.shape(x).size()));
  const Expr mean = mean_of(x, dims), rest = x - mean;
  const Expr rstd = rsqrt(mean_of(rest * rest, dims) + epsilon);
  const Expr out = weighted(l, rest * rstd, 2);
  LW_RETURN_IF_ERROR(l.result(0, l.given(3) ? out + Expr(l.build, l.math(3)) : out));
  LW_RETURN_IF_ERROR(l.result(1, mean));
  return l.result(2, rstd);
}

// dx = rstd * (g - mean(g) - n * mean(g * n)), g = dy * weight, n = (x - mean) * rstd; dw = sum of dy * n; db = sum of dy.
Status lower_layer_norm_backward(Lowering& l) {
  LW_ASSIGN_OR_RETURN(const auto dims, normalized_dims(l, 1, 2));
  const Expr dy(l.build, l.math(0)), x(l.build, l.math(1)), mean(l.build, l.math(3)), rstd(l.build, l.math(4));
  const auto outer = outer_dims(l.build.rank(x), dims);
  const Expr n = (x - mean) * rstd;
  if (l.wanted(0)) {
    const Expr g = weighted(l, dy, 5);
    const Expr centred = g - mean_of(g, dims);
    LW_RETURN_IF_ERROR(l.result(0, rstd * (centred - n * mean_of(g * n, dims))));
  }
  if (l.wanted(1)) LW_RETURN_IF_ERROR(parameter_gradient(l, 1, dy * n, outer));
  return l.wanted(2) ? parameter_gradient(l, 2, dy, outer) : ok_status();
}

// Channels in `groups` groups; statistics over a group's channels and all positions. out, mean [N, G], rstd [N, G].
Status lower_group_norm(Lowering& l) {
  const Expr x(l.build, l.math(0));
  const int64_t batch = l.integer(3), channels = l.integer(4), positions = l.integer(5), groups = l.integer(6);
  if (groups <= 0 || channels <= 0 || channels % groups != 0) return l.wrong("channels must be a multiple of the groups");
  const Expr grouped(l.build, l.build.reshape(x, {batch, groups, channels / groups * positions}));
  const Expr epsilon(l.build, l.number(7, DType::f32, 3));
  const Expr mean = mean_of(grouped, {2}), rest = grouped - mean;
  const Expr rstd = rsqrt(mean_of(rest * rest, {2}) + epsilon);
  Expr out(l.build, l.build.reshape(rest * rstd, {batch, channels, positions}));
  const Shape per_channel{1, channels, 1};
  if (l.given(1)) out = out * Expr(l.build, l.build.reshape(l.math(1), per_channel));
  if (l.given(2)) out = out + Expr(l.build, l.build.reshape(l.math(2), per_channel));
  LW_RETURN_IF_ERROR(l.result(0, l.build.reshape(out, l.build.shape(x))));
  LW_RETURN_IF_ERROR(reduced_result(l, 1, mean));
  return reduced_result(l, 2, rstd);
}

// native_group_norm_backward(dy, x, mean, rstd, weight?, N, C, HxW, group, mask): as for layer norm, a group being the row.
Status lower_group_norm_backward(Lowering& l) {
  const int64_t batch = l.integer(5), channels = l.integer(6), positions = l.integer(7), groups = l.integer(8);
  if (groups <= 0 || channels <= 0 || channels % groups != 0) return l.wrong("channels must be a multiple of the groups");
  const Shape by_channel{batch, channels, positions}, by_group{batch, groups, channels / groups * positions}, row{batch, groups, 1};
  const auto shaped = [&l](size_t i, const Shape& shape) { return Expr(l.build, l.build.reshape(l.math(i), shape)); };
  const Expr dy = shaped(0, by_channel), x = shaped(1, by_group), mean = shaped(2, row), rstd = shaped(3, row);
  const Expr n = (x - mean) * rstd;
  if (l.wanted(0)) {
    const Expr weighted_dy = l.given(4) ? dy * shaped(4, {1, channels, 1}) : dy;
    const Expr g(l.build, l.build.reshape(weighted_dy, by_group));
    const Expr centred = g - mean_of(g, {2});
    LW_RETURN_IF_ERROR(reduced_result(l, 0, rstd * (centred - n * mean_of(g * n, {2}))));
  }
  const Expr n_by_channel(l.build, l.build.reshape(n, by_channel));
  if (l.wanted(1)) LW_RETURN_IF_ERROR(parameter_gradient(l, 1, dy * n_by_channel, {0, 2}));
  return l.wanted(2) ? parameter_gradient(l, 2, dy, {0, 2}) : ok_status();
}

constexpr Row kRows[] = {
    {"aten::_fused_rms_norm", "tensor ints tensor? | number?", lower_rms_norm},
    {"aten::_fused_rms_norm_backward", "tensor tensor ints tensor tensor? bools", lower_rms_norm_backward},
    {"aten::native_group_norm", "tensor tensor? tensor? int int int int number", lower_group_norm},
    {"aten::native_group_norm_backward", "tensor tensor tensor tensor tensor? int int int int bools", lower_group_norm_backward},
    {"aten::native_layer_norm", "tensor ints tensor? tensor? number", lower_layer_norm},
    {"aten::native_layer_norm_backward", "tensor tensor ints tensor tensor tensor? tensor? bools", lower_layer_norm_backward},
};

}  // namespace

std::span<const Row> norm_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
