// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// lanewise._trace.Batches: a table for Python by the Arrow PyCapsule interface, and row by row without any Arrow library.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "trace/export/arrow_batches.h"

namespace lanewise::python {

void bind_batches(nanobind::module_& module);

}  // namespace lanewise::python
