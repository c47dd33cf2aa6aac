// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Eager ops: one boxed kernel serves every op of the lowering table.
//
//   stack -> key -> program cache -> (miss: meta kernels, one-node graph, compile) -> allocate outputs, submit
//
// A hit allocates, submits and returns; it does not dispatch, so the profiler sees the op's own row and nothing more.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace lanewise::torch_backend {

// Registers the boxed kernel for the ops of compiler::aten::supported_ops(), with their in-place and out= forms.
// Once, at import. Returns how many overloads it serves.
int register_eager_ops();

// The overloads that register_eager_ops registered.
std::vector<std::string> registered_ops();

// Ops that ran as a launch since the last clear, one name per launch, grouped by op (torch_neuronx.get_executed_ops).
std::vector<std::string> executed_ops();
void clear_executed_ops();

// target[...] = source, same device, any strides and dtypes; sizes equal. Through the program cache as an op is.
void launch_copy(const at::Tensor& source, const at::Tensor& target);

}  // namespace lanewise::torch_backend
