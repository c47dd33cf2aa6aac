// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// torch.equal: two launches and one look at the result, instead of both operands on the host.
#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace lanewise::torch_backend {
namespace {

bool equal(const at::Tensor& self, const at::Tensor& other) {
  TORCH_CHECK(self.device() == other.device(), "Expected all tensors to be on the same device, but found at least two devices, ",
              self.device(), " and ", other.device(), "! (in aten::equal)");
  TORCH_CHECK(self.dtype() == other.dtype(), "Expected object of data type ", self.dtype(), " but got data type ", other.dtype(),
              " for argument 'other' in call to equal");
  if (self.sizes() != other.sizes()) return false;
  return self.numel() == 0 || self.eq(other).all().item<bool>();
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl("equal", TORCH_FN(equal)); }

}  // namespace
}  // namespace lanewise::torch_backend
