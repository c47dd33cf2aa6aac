// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise._trace. The Python side is lanewise/trace.
#include <nanobind/nanobind.h>

#include "python/batches_python.h"
#include "python/device_python.h"
#include "python/trace_python.h"

NB_MODULE(_trace, module) {
  module.doc() = "The trace engine of Lanewise; use lanewise.trace.";
  lanewise::python::bind_batches(module);
  lanewise::python::bind_trace(module);
  lanewise::python::bind_device(module);
}
