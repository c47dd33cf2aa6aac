// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/meta_call.h"

#include <ATen/EmptyTensor.h>
#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace lanewise::torch_backend {
namespace {

const c10::Device kMeta(c10::DeviceType::Meta);

// The value of a list argument with other elements; optional elements keep their type.
c10::IValue tensor_list(const c10::IValue& like, const std::vector<at::Tensor>& tensors) {
  if (like.isTensorList()) return c10::List<at::Tensor>(tensors);
  c10::List<std::optional<at::Tensor>> list;
  for (const at::Tensor& tensor : tensors) list.push_back(tensor.defined() ? std::optional(tensor) : std::nullopt);
  return list;
}

// Meta kernels written in Python make tensors; a default device or another function mode of the caller is not meant.
class NoFunctionModes {
 public:
  NoFunctionModes() : before_(at::impl::PythonTorchFunctionTLS::get_disabled_state()) {
    at::impl::PythonTorchFunctionTLS::set_disabled_state(at::impl::TorchFunctionDisabledState::ALL_DISABLED);
  }
  ~NoFunctionModes() { at::impl::PythonTorchFunctionTLS::set_disabled_state(before_); }
  NoFunctionModes(const NoFunctionModes&) = delete;
  NoFunctionModes& operator=(const NoFunctionModes&) = delete;

 private:
  at::impl::TorchFunctionDisabledState before_;
};

}  // namespace

MetaCall::MetaCall(const OpForm& form, c10::ArrayRef<c10::IValue> values, const LaunchArguments& arguments)
    : form_(form), arguments_(arguments) {
  for (const at::Tensor* tensor : arguments.tensors)
    metas_.push_back(at::detail::empty_strided_meta(tensor->sizes(), tensor->strides(), tensor->scalar_type()));
  size_t slot = 0;
  for (size_t i = 0; i < form.arguments().size(); ++i) stack_.push_back(stand_in(form.arguments()[i], values[i], slot));
}

c10::IValue MetaCall::stand_in(const ArgumentForm& form, const c10::IValue& value, size_t& slot) const {
  const auto of_slot = [&](const c10::IValue& original) {
    const TensorSlot& s = arguments_.slots[slot++];
    if (s.kind == TensorSlot::Kind::bound) return metas_[s.index];
    return s.kind == TensorSlot::Kind::absent ? at::Tensor() : original.toTensor();   // a wrapped number stays
  };
  if (value.isDevice()) return kMeta;
  if (value.isGenerator()) return {};
  if (form.kind == ArgumentKind::tensor) {
    at::Tensor tensor = of_slot(value);
    return value.isNone() ? c10::IValue() : c10::IValue(tensor);
  }
  if (form.kind != ArgumentKind::tensor_list || value.isNone()) return value;
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& element : value.toListRef()) tensors.push_back(of_slot(element));
  return tensor_list(value, tensors);
}

torch::jit::Stack MetaCall::call(const c10::OperatorHandle& op, torch::jit::Stack stack) {
  // Neither a row in the profile nor a node for autograd, and no mode of Python may see it.
  at::DisableRecordFunctionGuard no_rows;
  NoFunctionModes no_modes;
  c10::impl::ExcludeDispatchKeyGuard no_keys(
      c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset |
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot, c10::DispatchKey::PythonDispatcher,
                           c10::DispatchKey::Functionalize, c10::DispatchKey::Negative, c10::DispatchKey::Conjugate}));
  op.callBoxed(stack);
  return stack;
}

void MetaCall::run_form() { call(form_.op(), stack_); }

MetaOutcome MetaCall::run_functional() {
  const auto& whole = form_.functional().schema().arguments();
  torch::jit::Stack stack(whole.size());
  std::vector<bool> given(whole.size(), false);
  c10::ScalarType out_dtype = c10::ScalarType::Undefined;
  for (size_t i = 0; i < form_.arguments().size(); ++i) {
    const int32_t position = form_.arguments()[i].functional_position;
    if (position >= 0) {
      stack[position] = stack_[i];
      given[position] = true;
    } else if (stack_[i].isTensor()) {
      out_dtype = stack_[i].toTensor().scalar_type();
    }
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    if (given[i]) continue;
    if (whole[i].name() == "dtype") stack[i] = static_cast<int64_t>(out_dtype);
    if (whole[i].name() == "device") stack[i] = kMeta;
  }
  MetaOutcome outcome;
  for (const c10::IValue& result : call(form_.functional(), std::move(stack))) {
    if (!result.isTensorList()) {
      outcome.list_lengths.push_back(-1);
      outcome.results.push_back(result.isTensor() ? result.toTensor() : at::Tensor());
      continue;
    }
    const auto list = result.toTensorVector();
    outcome.list_lengths.push_back(static_cast<int32_t>(list.size()));
    outcome.results.insert(outcome.results.end(), list.begin(), list.end());
  }
  return outcome;
}

std::vector<at::Tensor> MetaCall::written() const {
  std::vector<at::Tensor> all;
  for (size_t i = 0; i < form_.arguments().size(); ++i) {
    if (!form_.arguments()[i].written) continue;
    if (stack_[i].isTensor()) {
      all.push_back(stack_[i].toTensor());
    } else if (stack_[i].isTensorList()) {
      for (const at::Tensor& tensor : stack_[i].toTensorVector()) all.push_back(tensor);
    }
  }
  return all;
}

}  // namespace lanewise::torch_backend
