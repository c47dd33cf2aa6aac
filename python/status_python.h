// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The one map from a Status to a Python exception.
//
//   invalid_argument, data_loss  ValueError            resource_exhausted   MemoryError
//   not_found                    FileNotFoundError of a path, LookupError of anything else
//   out_of_range                 IndexError            failed_precondition, internal   RuntimeError
//   unimplemented                NotImplementedError   deadline_exceeded    TimeoutError
//   cancelled                    KeyboardInterrupt
#pragma once

#include <utility>

#include "base/status.h"

namespace lanewise::python {

enum class Subject { path, other };

// Throws nanobind's python_error; needs the GIL. `status` must be a failure.
[[noreturn]] void raise(const Status& status, Subject subject);

template <typename T>
T value_or_raise(Result<T> result, Subject subject = Subject::other) {
  if (!result.ok()) raise(result.status(), subject);
  return std::move(result).value();
}

}  // namespace lanewise::python
