// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The one map from a Status of the core to what PyTorch raises:
//
//   resource_exhausted  torch.OutOfMemoryError      unimplemented  NotImplementedError
//   invalid_argument, not_found                     ValueError         out_of_range  IndexError (an embedding's index ...)
//   everything else     RuntimeError
//
// Never call these in a destructor or in a noexcept hook: report or drop the Status there.
#pragma once

#include <utility>

#include "base/status.h"

namespace lanewise::torch_backend {

[[noreturn]] void throw_status(const Status& status);

inline void check(const Status& status) {
  if (!status.ok()) [[unlikely]] throw_status(status);
}

template <typename T>
T take(Result<T> result) {
  if (!result.ok()) [[unlikely]] throw_status(result.status());
  return std::move(result).value();
}

}  // namespace lanewise::torch_backend
