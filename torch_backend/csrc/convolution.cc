// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions. PyTorch sends those of a device without kernels of its own to `convolution_overrideable`, whose default
// raises instead of falling back. There is no lowering yet, so they take the counted host fallback under the name that
// people know.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "torch_backend/csrc/fallback.h"

namespace lanewise::torch_backend {
namespace {

c10::OperatorHandle find(const char* name) { return c10::Dispatcher::singleton().findSchemaOrThrow(name, ""); }

// Same arguments as aten::convolution.
void convolution(const c10::OperatorHandle&, torch::jit::Stack* stack) {
  static const c10::OperatorHandle op = find("aten::convolution");
  run_on_host(op, stack, {});
}

// aten::convolution_backward takes the sizes of the bias behind the weight; a bias has one element per output channel,
// which is dimension 1 of the gradient.
void convolution_backward(const c10::OperatorHandle& overrideable, torch::jit::Stack* stack) {
  static const c10::OperatorHandle op = find("aten::convolution_backward");
  const size_t first = stack->size() - overrideable.schema().arguments().size();
  const int64_t channels = (*stack)[first].toTensor().size(1);
  stack->insert(stack->begin() + static_cast<std::ptrdiff_t>(first) + 3, c10::IValue(std::vector<int64_t>{channels}));
  run_on_host(op, stack, {});
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("convolution_overrideable", torch::CppFunction::makeFromBoxedFunction<&convolution>());
  m.impl("convolution_backward_overrideable", torch::CppFunction::makeFromBoxedFunction<&convolution_backward>());
}

}  // namespace
}  // namespace lanewise::torch_backend
