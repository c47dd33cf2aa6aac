// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise._trace.Trace: an open session; every question of trace/analysis/questions.h by its name, and the raw events.
#pragma once

#include <nanobind/nanobind.h>

namespace lanewise::python {

void bind_trace(nanobind::module_& module);

}  // namespace lanewise::python
