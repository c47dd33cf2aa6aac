// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor.record_stream: the block is not handed out again before the work submitted to that stream so far is done.
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include "torch_backend/csrc/device_allocator.h"

namespace lanewise::torch_backend {
namespace {

void record_stream(at::Tensor& self, c10::Stream stream) { device_allocator().recordStream(self.storage().data_ptr(), stream); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl("record_stream", TORCH_FN(record_stream)); }

}  // namespace
}  // namespace lanewise::torch_backend
