// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "python/status_python.h"

#include <nanobind/nanobind.h>

namespace lanewise::python {
namespace {

PyObject* exception_of(StatusCode code, Subject subject) {
  switch (code) {
    case StatusCode::ok:
    case StatusCode::failed_precondition:
    case StatusCode::internal: return PyExc_RuntimeError;
    case StatusCode::invalid_argument:
    case StatusCode::data_loss: return PyExc_ValueError;
    case StatusCode::not_found: return subject == Subject::path ? PyExc_FileNotFoundError : PyExc_LookupError;
    case StatusCode::out_of_range: return PyExc_IndexError;
    case StatusCode::unimplemented: return PyExc_NotImplementedError;
    case StatusCode::resource_exhausted: return PyExc_MemoryError;
    case StatusCode::deadline_exceeded: return PyExc_TimeoutError;
    case StatusCode::cancelled: return PyExc_KeyboardInterrupt;
  }
  return PyExc_RuntimeError;
}

}  // namespace

void raise(const Status& status, Subject subject) {
  PyErr_SetString(exception_of(status.code(), subject), status.message().c_str());
  throw nanobind::python_error();
}

}  // namespace lanewise::python
