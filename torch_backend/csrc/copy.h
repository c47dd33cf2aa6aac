// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies between host and device and on a device. All of them arrive as aten::_copy_from.
//
//   host -> device   the host side makes it contiguous and of the target's dtype, then one write; a target with gaps
//                    gets a staging block and a launch
//   device -> host   one read of the source's span when it is dense, else a launch into a dense block first; the host
//                    converts the dtype
//   same device      one copy when the bytes are the same, else a launch (aten::_to_copy stored into the target)
//   other device     through the host
#pragma once

#include <ATen/core/Tensor.h>

namespace lanewise::torch_backend {

// `self` is the source, `target` is written; broadcasts as copy_ does. Returns target.
at::Tensor copy_from(const at::Tensor& self, const at::Tensor& target, bool non_blocking);

}  // namespace lanewise::torch_backend
