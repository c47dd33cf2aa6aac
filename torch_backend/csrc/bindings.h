// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of the `lanewise._C` module, each in its own file, called in this order by bindings.cc. All nanobind.
#pragma once

#include <nanobind/nanobind.h>

namespace lanewise::torch_backend {

void bind_device(nanobind::module_& module);      // device_bindings.cc: devices, streams, memory, fallback counters
void bind_launch(nanobind::module_& module);      // launch_bindings.cc: compile_graph, run_program, supported_ops
void bind_profiler(nanobind::module_& module);    // kineto_bindings.cc

}  // namespace lanewise::torch_backend
