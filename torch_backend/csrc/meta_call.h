// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Running an op on meta tensors that stand for the tensors of a call.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include "torch_backend/csrc/launch_arguments.h"

namespace lanewise::torch_backend {

struct MetaOutcome {
  std::vector<at::Tensor> results;       // over the op's returns, lists flattened; undefined where the op says so
  std::vector<int32_t> list_lengths;     // per return: -1 = a tensor
};

class MetaCall {
 public:
  MetaCall(const OpForm& form, c10::ArrayRef<c10::IValue> values, const LaunchArguments& arguments);

  // The form itself: raises what PyTorch raises for these arguments, and gives out= tensors their sizes.
  void run_form();
  // The functional op: what its node returns.
  MetaOutcome run_functional();
  // Metas of the written tensors, in argument order, lists flattened. After run_form with the sizes they got.
  std::vector<at::Tensor> written() const;

 private:
  c10::IValue stand_in(const ArgumentForm& form, const c10::IValue& value, size_t& slot) const;
  static torch::jit::Stack call(const c10::OperatorHandle& op, torch::jit::Stack stack);

  const OpForm& form_;
  const LaunchArguments& arguments_;
  std::vector<at::Tensor> metas_;        // per unique tensor
  torch::jit::Stack stack_;              // the form's arguments
};

}  // namespace lanewise::torch_backend
