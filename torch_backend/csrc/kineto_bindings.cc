// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "torch_backend/csrc/bindings.h"
#include "torch_backend/csrc/kineto_profiler.h"
#include "torch_backend/csrc/profiler_stubs.h"

namespace lanewise::torch_backend {

void bind_profiler(nanobind::module_& module) {
  register_kineto_profiler();
  register_profiler_stubs();
  module.def("note_open_launches", &note_open_launches,
             "For torch.neuron.synchronize when the profiler calls it on its way to stop.");
  module.def("session_directory", [](const std::string& text) { return session_directory(text); });
}

}  // namespace lanewise::torch_backend
