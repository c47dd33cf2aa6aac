// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/storage.h"

#include <algorithm>

#include <ATen/EmptyTensor.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/COW.h>

#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/correlation.h"
#include "torch_backend/csrc/device_allocator.h"
#include "torch_backend/csrc/dtypes.h"
#include "torch_backend/csrc/status.h"
#include "torch_backend/csrc/streams.h"

namespace lanewise::torch_backend {
namespace {

// at::detail::empty_strided_generic wants an allocator without a device argument; the current device is its device.
class OnDevice {
 public:
  explicit OnDevice(int device) : previous_(current_device()) {
    if (device != previous_) set_current_device_unchecked(device);
  }
  ~OnDevice() { set_current_device_unchecked(previous_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int previous_;
};

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

}  // namespace

at::Tensor make_tensor(int device, c10::IntArrayRef sizes, c10::IntArrayRef strides, c10::ScalarType type) {
  require_dtype(type);
  OnDevice guard(device);
  return at::detail::empty_strided_generic(sizes, strides, &device_allocator(), kKeys, type);
}

at::Tensor make_contiguous(int device, c10::IntArrayRef sizes, c10::ScalarType type) {
  require_dtype(type);
  OnDevice guard(device);
  return at::detail::empty_generic(sizes, &device_allocator(), kKeys, type, std::nullopt);
}

void resize_storage(const c10::Storage& storage, size_t bytes) {
  c10::StorageImpl* impl = storage.unsafeGetStorageImpl();
  TORCH_CHECK(impl->resizable(), "Trying to resize storage that is not resizable");
  const int device = impl->device().index();
  c10::DataPtr fresh = allocate_on(device, bytes);
  const size_t kept = std::min(bytes, impl->nbytes());
  if (kept > 0 && impl->data() != nullptr) {
    check(current_queue(device)
              .copy(reinterpret_cast<runtime::DeviceAddress>(fresh.get()),
                    reinterpret_cast<runtime::DeviceAddress>(impl->data()), static_cast<int64_t>(kept),
                    {current_external_id(), 0})
              .status());
  }
  impl->set_data_ptr_noswap(std::move(fresh));
  impl->set_nbytes(bytes);
}

void resize_tensor(const at::Tensor& self, c10::IntArrayRef sizes, std::optional<c10::IntArrayRef> strides) {
  c10::TensorImpl* impl = self.unsafeGetTensorImpl();
  if (impl->sizes() == sizes && (!strides || impl->strides() == *strides)) return;
  const size_t item = self.dtype().itemsize();
  const size_t offset = static_cast<size_t>(impl->storage_offset());
  const size_t bytes = strides ? at::detail::computeStorageNbytes(sizes, *strides, item, offset)
                               : at::detail::computeStorageNbytesContiguous(sizes, item, offset);
  if (strides) {
    impl->set_sizes_and_strides(sizes, *strides);
  } else {
    impl->set_sizes_contiguous(sizes);
  }
  if (impl->numel() > 0 && bytes > impl->unsafe_storage().nbytes()) resize_storage(impl->unsafe_storage(), bytes);
}

runtime::DeviceAddress writable_address_of(const at::Tensor& tensor) {
  if (c10::impl::cow::is_cow_data_ptr(tensor.storage().data_ptr())) {
    // The copy is allocated on the current device.
    const c10::DeviceGuard guard(tensor.device());
    return reinterpret_cast<runtime::DeviceAddress>(tensor.mutable_data_ptr());
  }
  return reinterpret_cast<runtime::DeviceAddress>(tensor.mutable_data_ptr());
}

int64_t span_bytes(const at::Tensor& tensor) {
  return static_cast<int64_t>(at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.element_size()));
}

}  // namespace lanewise::torch_backend
