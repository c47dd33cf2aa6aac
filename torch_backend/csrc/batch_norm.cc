// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Batch normalisation. The schema of native_batch_norm does not say that it writes the running statistics, so whoever goes by
// the schema (the host fallback copies back what is marked as written) loses them. Its successor says so.
#include <ATen/core/Tensor.h>
#include <ATen/ops/_native_batch_norm_legit.h>
#include <torch/library.h>

namespace lanewise::torch_backend {
namespace {

using Optional = std::optional<at::Tensor>;

std::tuple<at::Tensor, at::Tensor, at::Tensor> native_batch_norm(const at::Tensor& input, const Optional& weight, const Optional& bias,
                                                                 const Optional& running_mean, const Optional& running_var,
                                                                 bool training, double momentum, double eps) {
  if (!running_mean || !running_mean->defined() || !running_var || !running_var->defined())
    return at::_native_batch_norm_legit(input, weight, bias, training, momentum, eps);
  at::Tensor mean = *running_mean, var = *running_var;
  return at::_native_batch_norm_legit(input, weight, bias, mean, var, training, momentum, eps);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl("native_batch_norm", TORCH_FN(native_batch_norm)); }

}  // namespace
}  // namespace lanewise::torch_backend
