// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The miss: from a call to the plan of its launch. PyTorch's own meta kernels check the arguments and say what comes out
// (shape, stride, promotion); a graph of one node goes to the compiler. An in-place or out= form is the functional node
// plus a store into its target.
#pragma once

#include <memory>

#include "torch_backend/csrc/launch_arguments.h"

namespace lanewise::torch_backend {

// Throws what the meta kernel throws (shape mismatch ...). What the compiler does not serve is a plan with a refusal.
std::shared_ptr<const LaunchPlan> make_plan(const OpForm& form, c10::ArrayRef<c10::IValue> values,
                                            const LaunchArguments& arguments, bool compile_scalars_in);

}  // namespace lanewise::torch_backend
