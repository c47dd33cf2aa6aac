// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/copy.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/neg.h>
#include <torch/library.h>

#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/correlation.h"
#include "torch_backend/csrc/dtypes.h"
#include "torch_backend/csrc/eager_launch.h"
#include "torch_backend/csrc/pinned_allocator.h"
#include "torch_backend/csrc/status.h"
#include "torch_backend/csrc/storage.h"
#include "torch_backend/csrc/streams.h"
#include "trace/record/event.h"

namespace lanewise::torch_backend {
namespace {

runtime::Origin origin() {
  static const uint32_t name = trace::record::intern("aten::_copy_from");
  return {current_external_id(), name};
}

bool is_dense(const at::Tensor& tensor) { return tensor.is_non_overlapping_and_dense(); }

at::Tensor host_like(const at::Tensor& shape, at::ScalarType type) {
  return is_dense(shape) ? at::Tensor(at::detail::empty_strided_cpu(shape.sizes(), shape.strides(), type))
                         : at::Tensor(at::detail::empty_cpu(shape.sizes(), type));
}

// The host looks at what the device computed, so a failure of an earlier launch is raised here. Waiting for the queue
// (the read is the last thing on it) shows the hidden synchronization as an event with its true length.
void wait(runtime::Queue& queue, const std::shared_ptr<runtime::Fence>& fence) {
  Status earlier = queue.synchronize();
  Status own = fence->wait();
  check(earlier.ok() ? own : earlier);
}

void host_to_device(const at::Tensor& source, const at::Tensor& target, bool non_blocking) {
  const int device = target.device().index();
  require_dtype(target.scalar_type());
  if (!is_dense(target)) {
    at::Tensor staging = make_contiguous(device, target.sizes(), target.scalar_type());
    host_to_device(source, staging, false);
    launch_copy(staging, target);
    return;
  }
  at::Tensor bytes = source;
  const bool as_is = source.scalar_type() == target.scalar_type() && source.strides() == target.strides() &&
                     !source.is_neg() && !source.is_conj();
  if (!as_is) {
    bytes = host_like(target, target.scalar_type());
    bytes.copy_(source);
  }
  const void* from = bytes.const_data_ptr();
  const bool keep = as_is && non_blocking && is_pinned(from);
  auto fence = take(current_queue(device).write(writable_address_of(target), from, static_cast<int64_t>(target.nbytes()), !keep, origin()));
  if (keep) pinned_allocator().record_event(const_cast<void*>(from), nullptr, current_stream(device));
  if (launch_blocking()) check(fence->wait());
}

void device_to_host(const at::Tensor& source, const at::Tensor& target, bool non_blocking) {
  const int device = source.device().index();
  if (!is_dense(source)) {
    at::Tensor dense = make_contiguous(device, source.sizes(), source.scalar_type());
    launch_copy(source, dense);
    device_to_host(dense, target, non_blocking);
    return;
  }
  runtime::Queue& queue = current_queue(device);
  const auto size = static_cast<int64_t>(source.nbytes());
  const bool direct = target.scalar_type() == source.scalar_type() && target.strides() == source.strides() &&
                      !source.is_neg() && !target.is_neg();
  if (direct) {
    void* to = target.mutable_data_ptr();
    auto fence = take(queue.read(to, address_of(source), size, origin()));
    if (non_blocking && is_pinned(to)) {
      pinned_allocator().record_event(to, nullptr, current_stream(device));
      return;
    }
    wait(queue, fence);
    return;
  }
  at::Tensor bytes = at::detail::empty_strided_cpu(source.sizes(), source.strides(), source.scalar_type());
  wait(queue, take(queue.read(bytes.mutable_data_ptr(), address_of(source), size, origin())));
  if (source.is_neg()) bytes._set_neg(true);
  target.copy_(bytes);
}

void device_to_device(const at::Tensor& source, const at::Tensor& target) {
  const int device = target.device().index();
  if (source.device() != target.device()) {
    at::Tensor host = host_like(source, source.scalar_type());
    device_to_host(source, host, false);
    host_to_device(host, target, false);
    return;
  }
  const bool same_bytes = source.scalar_type() == target.scalar_type() && source.strides() == target.strides() && is_dense(source);
  if (!same_bytes) {
    launch_copy(source, target);
    return;
  }
  auto fence = take(current_queue(device).copy(writable_address_of(target), address_of(source), static_cast<int64_t>(target.nbytes()), origin()));
  if (launch_blocking()) check(fence->wait());
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& target) {
  if (target.sizes() != self.sizes()) target.resize_(self.sizes());
  return copy_from(self, target, false);
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
  TORCH_CHECK(self.numel() == 1, "a Tensor with ", self.numel(), " elements cannot be converted to Scalar");
  at::Tensor host = at::detail::empty_cpu({}, self.scalar_type());
  runtime::Queue& queue = current_queue(self.device().index());
  wait(queue, take(queue.read(host.mutable_data_ptr(), address_of(self), static_cast<int64_t>(self.element_size()), origin())));
  at::DisableRecordFunctionGuard quiet;
  return at::_local_scalar_dense(host);
}

// Zero has the same bytes in every dtype: a memset of the DMA instead of a program.
at::Tensor& zero_(at::Tensor& self) {
  at::assert_no_internal_overlap(self);
  if (self.numel() == 0) return self;
  if (!is_dense(self)) return self.fill_(0);
  static const uint32_t name = trace::record::intern("aten::zero_");
  auto fence = take(current_queue(self.device().index()).fill(writable_address_of(self), 0, static_cast<int64_t>(self.nbytes()), {current_external_id(), name}));
  if (launch_blocking()) check(fence->wait());
  return self;
}

// The fallback of this key would resolve the view by a clone, and the clone by this copy, without end.
TORCH_LIBRARY_IMPL(aten, Negative, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("zero_", TORCH_FN(zero_));
  m.impl("_copy_from", TORCH_FN(copy_from));
  m.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  m.impl("_local_scalar_dense", TORCH_FN(local_scalar_dense));
}

}  // namespace

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& target, bool non_blocking) {
  if (self.is_same(target)) return target;
  at::assert_no_internal_overlap(target);
  at::Tensor source = self;
  if (self.sizes() != target.sizes()) source = self.expand(target.sizes());
  if (self.device() == target.device()) at::assert_no_partial_overlap(target, source);
  if (target.numel() == 0) return target;
  // Negative views of device memory are taken as they lie there, and the sign is applied by a launch.
  if (source.is_neg() && source.is_privateuseone()) source = at::neg(at::_neg_view(source));
  if (target.is_neg() && target.is_privateuseone()) {
    copy_from(at::neg(source), at::_neg_view(target), non_blocking);
    return target;
  }
  if (!target.is_privateuseone()) {
    device_to_host(source, target, non_blocking);
  } else if (!source.is_privateuseone()) {
    host_to_device(source, target, non_blocking);
  } else {
    device_to_device(source, target);
  }
  return target;
}

}  // namespace lanewise::torch_backend
