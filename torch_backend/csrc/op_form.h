// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What an overload of the dispatcher means to the compiler: which functional op it is, which of its arguments are
// tensors, structure or run-time scalars, and which tensors it writes.
//
//   aten::mul.Tensor   functional    aten::mul.Tensor, result is new
//   aten::mul_.Tensor  in place      aten::mul.Tensor, result stored into `self`
//   aten::mul.out      out=          aten::mul.Tensor, result stored into `out`
//
// The in-place and out= forms are found in the dispatcher by name and argument types, never listed by hand.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>

namespace lanewise::torch_backend {

enum class ArgumentKind : uint8_t {
  tensor,        // Tensor, Tensor?
  tensor_list,   // Tensor[], Tensor?[]
  scalar,        // Scalar, float and their optional forms: passed at launch unless it is the default value
  scalar_list,   // Scalar[]
  structure,     // everything else that the program depends on
  dtype,         // ScalarType
  ignored,       // Device, Layout, MemoryFormat, Generator, pin_memory: says nothing about what is computed
};

struct ArgumentForm {
  ArgumentKind kind = ArgumentKind::structure;
  bool literal = false;              // scalar that changes the structure (pow's exponent)
  bool written = false;
  int32_t functional_position = -1;  // -1: an out= argument
  bool has_default = false;
  double default_number = 0;         // of a scalar with a numeric default
};

class OpForm {
 public:
  enum class Variant : uint8_t { functional, in_place, out };

  OpForm(c10::OperatorHandle op, c10::OperatorHandle functional, Variant variant);

  const c10::OperatorHandle& op() const { return op_; }
  const c10::OperatorHandle& functional() const { return functional_; }
  Variant variant() const { return variant_; }
  const std::vector<ArgumentForm>& arguments() const { return arguments_; }
  const std::string& graph_name() const { return graph_name_; }   // "aten::mul.Tensor"
  const std::string& name() const { return name_; }               // "aten::mul_.Tensor"
  uint32_t interned_name() const { return interned_name_; }

  // Whether scalars of this op must be compiled in, because the lowering takes them no other way. Learned at a miss.
  std::atomic<bool> compile_scalars_in{false};
  // Launches through this form, for get_executed_ops.
  std::atomic<uint64_t> launches{0};

 private:
  c10::OperatorHandle op_, functional_;
  Variant variant_;
  std::vector<ArgumentForm> arguments_;
  std::string graph_name_, name_;
  uint32_t interned_name_ = 0;
};

// Every overload that can be served by one functional op of the lowering table: itself first. Empty when the op must
// stay with PyTorch: views, factories, anything that names a device, composites that autograd differentiates by their parts.
std::vector<std::unique_ptr<OpForm>> forms_of(std::string_view functional_name);

}  // namespace lanewise::torch_backend
