// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Making tensors on the device and changing how much memory is behind them. Nothing here dispatches, so nothing here
// makes a profiler row.
#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

#include "runtime/hal/device.h"

namespace lanewise::torch_backend {

at::Tensor make_tensor(int device, c10::IntArrayRef sizes, c10::IntArrayRef strides, c10::ScalarType type);
at::Tensor make_contiguous(int device, c10::IntArrayRef sizes, c10::ScalarType type);

// New block of `bytes`; the old contents move over in stream order.
void resize_storage(const c10::Storage& storage, size_t bytes);
// New sizes in row-major order or with strides; grows the storage when it must.
void resize_tensor(const at::Tensor& self, c10::IntArrayRef sizes, std::optional<c10::IntArrayRef> strides);

// Address of the first element, storage offset included.
inline runtime::DeviceAddress address_of(const at::Tensor& tensor) {
  return reinterpret_cast<runtime::DeviceAddress>(tensor.const_data_ptr());
}
// The same for a tensor that is written: memory shared by torch._lazy_clone becomes its own first.
runtime::DeviceAddress writable_address_of(const at::Tensor& tensor);
// Bytes from the first to the last element, both included.
int64_t span_bytes(const at::Tensor& tensor);

}  // namespace lanewise::torch_backend
