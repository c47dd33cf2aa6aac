// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/bindings.h"

#include "torch_backend/csrc/eager_launch.h"
#include "torch_backend/csrc/tensor_python.h"

namespace lanewise::torch_backend {

NB_MODULE(_C, module) {
  module.doc() = "Device neuron of PyTorch over the Lanewise runtime; use torch.neuron and lanewise instead.";
  nanobind::register_exception_translator([](const std::exception_ptr& exception, void*) { translate_exception(exception); });
  // Dynamo keeps compiled programs until the interpreter is gone; that is no leak to report to a user.
  nanobind::set_leak_warnings(false);
  register_eager_ops();
  bind_device(module);
  bind_launch(module);
  bind_profiler(module);
}

}  // namespace lanewise::torch_backend
