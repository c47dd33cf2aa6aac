// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise._trace.Device: one device profile; the questions of trace/device_analysis/questions.h, and the public tables.
#pragma once

#include <nanobind/nanobind.h>

namespace lanewise::python {

void bind_device(nanobind::module_& module);

}  // namespace lanewise::python
