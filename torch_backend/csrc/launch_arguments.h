// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One pass over the arguments of a call: the key of its program, the tensors it binds and the scalars it passes.
#pragma once

#include <forward_list>

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/util/SmallVector.h>

#include "runtime/hal/device.h"
#include "torch_backend/csrc/op_form.h"
#include "torch_backend/csrc/program_cache.h"

namespace lanewise::torch_backend {

// What stands at one tensor position of the call, in argument order, lists flattened.
struct TensorSlot {
  enum class Kind : uint8_t { absent, bound, parameter, literal };
  Kind kind = Kind::absent;
  int32_t index = -1;   // bound: unique tensor; parameter: number of the run-time scalar
};

struct LaunchArguments {
  LaunchKey key;
  int device = -1;
  c10::SmallVector<const at::Tensor*, 8> tensors;        // different tensors of the call, first use first
  c10::SmallVector<TensorSlot, 8> slots;
  c10::SmallVector<runtime::ParameterValue, 4> parameters;
  c10::SmallVector<isa::DType, 4> parameter_kinds;       // f32 (a double) or i64
  struct Overlap { int32_t written, other; };
  c10::SmallVector<Overlap, 2> overlaps;                 // tensors that may share memory with one that is written
  std::forward_list<at::Tensor> copies;                  // CPU tensors brought to the device for this call
};

// Throws as PyTorch does: tensors on two devices; a written tensor that overlaps another one partly.
// A 0-dim CPU tensor that is not a wrapped number is copied to the device by a nested aten::copy_.
void collect(const OpForm& form, c10::ArrayRef<c10::IValue> values, bool compile_scalars_in, LaunchArguments& out);

}  // namespace lanewise::torch_backend
