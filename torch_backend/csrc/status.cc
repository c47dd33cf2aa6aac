// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/status.h"

#include <c10/util/Exception.h>

namespace lanewise::torch_backend {

void throw_status(const Status& status) {
  const std::string& sentence = status.message();
  switch (status.code()) {
    case StatusCode::resource_exhausted:
      C10_THROW_ERROR(OutOfMemoryError, sentence);
    case StatusCode::unimplemented:
      C10_THROW_ERROR(NotImplementedError, sentence);
    case StatusCode::invalid_argument:
    case StatusCode::not_found:
      C10_THROW_ERROR(ValueError, sentence);
    case StatusCode::out_of_range:
      C10_THROW_ERROR(IndexError, sentence);
    default:
      C10_THROW_ERROR(Error, sentence);
  }
}

}  // namespace lanewise::torch_backend
