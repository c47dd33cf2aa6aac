// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls on lists of tensors: one call of the single-tensor op for each element, all in one program.
#include <array>

#include "compiler/aten/table.h"

namespace lanewise::compiler::aten {
namespace {

struct Each {
  std::string_view op, signature, single;
};

constexpr Each kEach[] = {
    {"aten::_foreach_abs", "tensors", "aten::abs"},
    {"aten::_foreach_add.List", "tensors tensors | number", "aten::add.Tensor"},
    {"aten::_foreach_add.Scalar", "tensors number", "aten::add.Scalar"},
    {"aten::_foreach_add.ScalarList", "tensors numbers", "aten::add.Scalar"},
    {"aten::_foreach_add.Tensor", "tensors tensor | number", "aten::add.Tensor"},
    {"aten::_foreach_addcdiv.Scalar", "tensors tensors tensors | number", "aten::addcdiv"},
    {"aten::_foreach_addcdiv.ScalarList", "tensors tensors tensors numbers", "aten::addcdiv"},
    {"aten::_foreach_addcmul.Scalar", "tensors tensors tensors | number", "aten::addcmul"},
    {"aten::_foreach_addcmul.ScalarList", "tensors tensors tensors numbers", "aten::addcmul"},
    {"aten::_foreach_atan", "tensors", "aten::atan"},
    {"aten::_foreach_ceil", "tensors", "aten::ceil"},
    {"aten::_foreach_clamp_max.List", "tensors tensors", "aten::clamp_max.Tensor"},
    {"aten::_foreach_clamp_max.Scalar", "tensors number", "aten::clamp_max"},
    {"aten::_foreach_clamp_max.ScalarList", "tensors numbers", "aten::clamp_max"},
    {"aten::_foreach_clamp_min.List", "tensors tensors", "aten::clamp_min.Tensor"},
    {"aten::_foreach_clamp_min.Scalar", "tensors number", "aten::clamp_min"},
    {"aten::_foreach_clamp_min.ScalarList", "tensors numbers", "aten::clamp_min"},
    {"aten::_foreach_clone", "tensors | any", "aten::clone"},
    {"aten::_foreach_copy", "tensors tensors | any", "aten::copy"},
    {"aten::_foreach_cos", "tensors", "aten::cos"},
    {"aten::_foreach_div.List", "tensors tensors", "aten::div.Tensor"},
    {"aten::_foreach_div.Scalar", "tensors number", "aten::div.Scalar"},
    {"aten::_foreach_div.ScalarList", "tensors numbers", "aten::div.Scalar"},
    {"aten::_foreach_div.Tensor", "tensors tensor", "aten::div.Tensor"},
    {"aten::_foreach_erf", "tensors", "aten::erf"},
    {"aten::_foreach_exp", "tensors", "aten::exp"},
    {"aten::_foreach_expm1", "tensors", "aten::expm1"},
    {"aten::_foreach_floor", "tensors", "aten::floor"},
    {"aten::_foreach_lerp.List", "tensors tensors tensors", "aten::lerp.Tensor"},
    {"aten::_foreach_lerp.Scalar", "tensors tensors number", "aten::lerp.Scalar"},
    {"aten::_foreach_lerp.ScalarList", "tensors tensors numbers", "aten::lerp.Scalar"},
    {"aten::_foreach_log", "tensors", "aten::log"},
    {"aten::_foreach_log1p", "tensors", "aten::log1p"},
    {"aten::_foreach_log2", "tensors", "aten::log2"},
    {"aten::_foreach_max", "tensors", "aten::max"},
    {"aten::_foreach_maximum.List", "tensors tensors", "aten::maximum"},
    {"aten::_foreach_maximum.Scalar", "tensors number", "aten::maximum"},
    {"aten::_foreach_maximum.ScalarList", "tensors numbers", "aten::maximum"},
    {"aten::_foreach_minimum.List", "tensors tensors", "aten::minimum"},
    {"aten::_foreach_minimum.Scalar", "tensors number", "aten::minimum"},
    {"aten::_foreach_minimum.ScalarList", "tensors numbers", "aten::minimum"},
    {"aten::_foreach_mm", "tensors tensors", "aten::mm"},
    {"aten::_foreach_mul.List", "tensors tensors", "aten::mul.Tensor"},
    {"aten::_foreach_mul.Scalar", "tensors number", "aten::mul.Scalar"},
    {"aten::_foreach_mul.ScalarList", "tensors numbers", "aten::mul.Scalar"},
    {"aten::_foreach_mul.Tensor", "tensors tensor", "aten::mul.Tensor"},
    {"aten::_foreach_neg", "tensors", "aten::neg"},
    {"aten::_foreach_pow.List", "tensors tensors", "aten::pow.Tensor_Tensor"},
    {"aten::_foreach_pow.Scalar", "tensors number", "aten::pow.Tensor_Scalar"},
    {"aten::_foreach_pow.ScalarAndTensor", "number tensors", "aten::pow.Scalar"},
    {"aten::_foreach_pow.ScalarList", "tensors numbers", "aten::pow.Tensor_Scalar"},
    {"aten::_foreach_reciprocal", "tensors", "aten::reciprocal"},
    {"aten::_foreach_round", "tensors", "aten::round"},
    {"aten::_foreach_rsqrt", "tensors", "aten::rsqrt"},
    {"aten::_foreach_sigmoid", "tensors", "aten::sigmoid"},
    {"aten::_foreach_sign", "tensors", "aten::sign"},
    {"aten::_foreach_sin", "tensors", "aten::sin"},
    {"aten::_foreach_sqrt", "tensors", "aten::sqrt"},
    {"aten::_foreach_sub.List", "tensors tensors | number", "aten::sub.Tensor"},
    {"aten::_foreach_sub.Scalar", "tensors number", "aten::sub.Scalar"},
    {"aten::_foreach_sub.ScalarList", "tensors numbers", "aten::sub.Scalar"},
    {"aten::_foreach_tan", "tensors", "aten::tan"},
    {"aten::_foreach_tanh", "tensors", "aten::tanh"},
    {"aten::_foreach_trunc", "tensors", "aten::trunc"},
    {"aten::_foreach_zero", "tensors", "aten::zero"},
};

// Element k of every list argument; what is not a list is the same for all.
Result<Node> single_call(const Lowering& l, std::string_view op, size_t k) {
  Node single;
  single.op = std::string(op);
  single.results = {l.node().results[k]};
  for (const Argument& argument : l.node().arguments) {
    const auto* list = std::get_if<ArgumentList>(&argument.value);
    if (list && list->size() != l.results()) {
      return l.wrong("a list of " + std::to_string(list->size()) + " where " + std::to_string(l.results()) + " are needed");
    }
    single.arguments.push_back(list ? (*list)[k] : argument);
  }
  return single;
}

Status lower_each(Lowering& l) {
  std::string_view op = l.node().op;
  std::string_view single;
  for (const Each& each : kEach) {
    if (each.op == find_row(op)->op) single = each.single;
  }
  for (size_t k = 0; k < l.results(); ++k) {
    LW_ASSIGN_OR_RETURN(const Node call, single_call(l, single, k));
    if (l.wanted(k)) LW_RETURN_IF_ERROR(l.lower_instead(call));
  }
  return ok_status();
}

// _foreach_norm(self, ord, dtype?) is linalg_vector_norm(self, ord, dim=none, keepdim=false, dtype?).
Status lower_each_norm(Lowering& l) {
  for (size_t k = 0; k < l.results(); ++k) {
    LW_ASSIGN_OR_RETURN(Node call, single_call(l, "aten::linalg_vector_norm", k));
    if (call.arguments.size() == 1) call.arguments.push_back({int64_t{2}});
    call.arguments.insert(call.arguments.begin() + 2, {Argument{None{}}, Argument{false}});
    if (l.wanted(k)) LW_RETURN_IF_ERROR(l.lower_instead(call));
  }
  return ok_status();
}

constexpr auto make_rows() {
  std::array<Row, std::size(kEach) + 1> rows{};
  for (size_t i = 0; i < std::size(kEach); ++i) rows[i] = {kEach[i].op, kEach[i].signature, lower_each};
  rows.back() = {"aten::_foreach_norm.Scalar", "tensors | number dtype?", lower_each_norm};
  return rows;
}

constexpr auto kRows = make_rows();

}  // namespace

std::span<const Row> foreach_rows() { return kRows; }

}  // namespace lanewise::compiler::aten
