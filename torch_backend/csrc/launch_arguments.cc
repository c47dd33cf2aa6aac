// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/launch_arguments.h"

#include <c10/core/DefaultDtype.h>
#include <bit>
#include <unordered_map>

#include <ATen/MemoryOverlap.h>

#include "torch_backend/csrc/context.h"
#include "torch_backend/csrc/dtypes.h"
#include "torch_backend/csrc/storage.h"

namespace lanewise::torch_backend {
namespace {

// First bits of every word group, so that two different argument lists never read alike.
enum Tag : uint64_t { kAbsent = 1, kTensor, kSame, kParameter, kLiteral, kList, kStructure, kOverlap };
constexpr uint64_t tagged(Tag tag, uint64_t value = 0) { return tag | (value << 4); }

constexpr size_t kScanLimit = 24;   // above this many tensors, a hash map finds equal ones

class Collector {
 public:
  Collector(const OpForm& form, bool compile_scalars_in, LaunchArguments& out)
      : form_(form), compile_scalars_in_(compile_scalars_in), out_(out) {}

  void run(c10::ArrayRef<c10::IValue> values) {
    out_.device = device_of(values);
    out_.key.add(reinterpret_cast<uintptr_t>(&form_) | (compile_scalars_in_ ? 1 : 0));
    // What a meta kernel promotes integers and Python floats to.
    out_.key.add(static_cast<uint64_t>(c10::get_default_dtype_as_scalartype()));
    const auto& forms = form_.arguments();
    for (size_t i = 0; i < forms.size(); ++i) argument(forms[i], values[i]);
    if (form_.variant() != OpForm::Variant::functional) overlaps(values);
  }

 private:
  static int device_in(const at::Tensor& tensor) {
    return tensor.defined() && tensor.is_privateuseone() ? tensor.device().index() : -1;
  }

  int device_of(c10::ArrayRef<c10::IValue> values) const {
    for (size_t i = 0; i < form_.arguments().size(); ++i) {
      const c10::IValue& value = values[i];
      if (value.isTensor()) {
        if (int index = device_in(value.toTensor()); index >= 0) return index;
      } else if (form_.arguments()[i].kind == ArgumentKind::tensor_list && value.isList()) {
        for (const c10::IValue& element : value.toListRef())
          if (element.isTensor())
            if (int index = device_in(element.toTensor()); index >= 0) return index;
      }
    }
    for (const c10::IValue& value : values)
      if (value.isDevice() && value.toDevice().has_index()) return value.toDevice().index();
    return current_device();
  }

  void argument(const ArgumentForm& form, const c10::IValue& value) {
    switch (form.kind) {
      case ArgumentKind::tensor:
        return tensor(value);
      case ArgumentKind::tensor_list:
        if (value.isNone()) return out_.key.add(kAbsent);
        out_.key.add(tagged(kList, value.toListRef().size()));
        for (const c10::IValue& element : value.toListRef()) tensor(element, true);
        return;
      case ArgumentKind::scalar:
        return scalar(value, form.literal || (form.has_default && is_default(value, form.default_number)));
      case ArgumentKind::scalar_list:
        if (value.isNone()) return out_.key.add(kAbsent);
        out_.key.add(tagged(kList, value.toListRef().size()));
        for (const c10::IValue& element : value.toListRef()) scalar(element, form.literal);
        return;
      case ArgumentKind::structure:
      case ArgumentKind::dtype:
        return structure(value);
      case ArgumentKind::ignored:
        return;
    }
  }

  static bool is_default(const c10::IValue& value, double number) {
    return (value.isDouble() && value.toDouble() == number) || (value.isInt() && static_cast<double>(value.toInt()) == number);
  }

  void parameter(double f, int64_t i, isa::DType kind) {
    out_.key.add(tagged(kParameter, static_cast<uint64_t>(kind)));
    out_.parameters.push_back({f, i});
    out_.parameter_kinds.push_back(kind);
  }

  void scalar(const c10::IValue& value, bool literal) {
    if (value.isNone()) return out_.key.add(kAbsent);
    if (value.isBool()) return out_.key.add(tagged(kLiteral, 2 + value.toBool()));
    TORCH_CHECK(value.isDouble() || value.isInt(), form_.name(), ": ", lacking(at::kComplexDouble));
    const bool is_float = value.isDouble();
    if (literal || compile_scalars_in_) {
      out_.key.add(tagged(kLiteral, is_float));
      return out_.key.add(is_float ? std::bit_cast<uint64_t>(value.toDouble()) : static_cast<uint64_t>(value.toInt()));
    }
    if (is_float) {
      parameter(value.toDouble(), 0, isa::DType::f32);
    } else {
      parameter(static_cast<double>(value.toInt()), value.toInt(), isa::DType::i64);
    }
  }

  void tensor(const c10::IValue& value, bool in_list = false) {
    if (!value.isTensor() || !value.toTensor().defined()) {
      out_.key.add(kAbsent);
      out_.slots.push_back({});
      return;
    }
    const at::Tensor& tensor = value.toTensor();
    if (tensor.is_privateuseone()) [[likely]] return bound(tensor);
    if (tensor.device().is_cpu() && tensor.dim() == 0) {
      if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) return wrapped_number(tensor);
      return bound(copied(tensor));
    }
    // Index tensors may be on the host, as for every accelerator.
    if (in_list && tensor.device().is_cpu() && form_.functional().operator_name().name.starts_with("aten::index"))
      return bound(copied(tensor));
    TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, neuron:", out_.device,
                " and ", tensor.device(), "! (in ", form_.name(), ")");
  }

  const at::Tensor& copied(const at::Tensor& host) {
    require_operand_dtype(host.scalar_type());
    at::Tensor there = make_contiguous(out_.device, host.sizes(), host.scalar_type());
    there.copy_(host);
    return out_.copies.emplace_front(std::move(there));
  }

  void wrapped_number(const at::Tensor& tensor) {
    switch (tensor.scalar_type()) {
      case at::kBool:
        out_.slots.push_back({TensorSlot::Kind::literal, *tensor.const_data_ptr<bool>()});
        return out_.key.add(tagged(kLiteral, 2 + *tensor.const_data_ptr<bool>()));
      case at::kLong: {
        const int64_t number = *tensor.const_data_ptr<int64_t>();
        return number_slot(static_cast<double>(number), number, isa::DType::i64);
      }
      case at::kDouble:
        return number_slot(*tensor.const_data_ptr<double>(), 0, isa::DType::f32);
      default:
        TORCH_CHECK(false, form_.name(), ": ", lacking(tensor.scalar_type()));
    }
  }

  void number_slot(double f, int64_t i, isa::DType kind) {
    if (compile_scalars_in_) {
      out_.slots.push_back({TensorSlot::Kind::literal, -1});
      out_.key.add(tagged(kLiteral, kind == isa::DType::f32));
      return out_.key.add(kind == isa::DType::f32 ? std::bit_cast<uint64_t>(f) : static_cast<uint64_t>(i));
    }
    out_.slots.push_back({TensorSlot::Kind::parameter, static_cast<int32_t>(out_.parameters.size())});
    parameter(f, i, kind);
  }

  void bound(const at::Tensor& tensor) {
    TORCH_CHECK(tensor.device().index() == out_.device, "Expected all tensors to be on the same device, but found at least two "
                "devices, neuron:", out_.device, " and ", tensor.device(), "! (in ", form_.name(), ")");
    const int32_t known = find(tensor);
    if (known >= 0) {
      out_.slots.push_back({TensorSlot::Kind::bound, known});
      return out_.key.add(tagged(kSame, static_cast<uint64_t>(known)));
    }
    out_.slots.push_back({TensorSlot::Kind::bound, static_cast<int32_t>(out_.tensors.size())});
    if (out_.tensors.size() >= kScanLimit) by_address_.emplace(tensor.const_data_ptr(), static_cast<int32_t>(out_.tensors.size()));
    out_.tensors.push_back(&tensor);
    out_.key.add(tagged(kTensor, (static_cast<uint64_t>(tensor.scalar_type()) << 8) | static_cast<uint64_t>(tensor.dim())));
    for (int64_t size : tensor.sizes()) out_.key.add(static_cast<uint64_t>(size));
    for (int64_t stride : tensor.strides()) out_.key.add(static_cast<uint64_t>(stride));
  }

  static bool same(const at::Tensor& a, const at::Tensor& b) {
    return a.unsafeGetTensorImpl() == b.unsafeGetTensorImpl() ||
           (a.const_data_ptr() == b.const_data_ptr() && a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
            a.strides() == b.strides());
  }

  int32_t find(const at::Tensor& tensor) const {
    const size_t scanned = std::min(out_.tensors.size(), kScanLimit);
    for (size_t i = 0; i < scanned; ++i)
      if (same(*out_.tensors[i], tensor)) return static_cast<int32_t>(i);
    if (by_address_.empty()) return -1;
    auto [first, last] = by_address_.equal_range(tensor.const_data_ptr());
    for (auto it = first; it != last; ++it)
      if (same(*out_.tensors[it->second], tensor)) return it->second;
    return -1;
  }

  void structure(const c10::IValue& value) {
    if (value.isNone()) return out_.key.add(kAbsent);
    if (value.isInt()) return add_structure(static_cast<uint64_t>(value.toInt()));
    if (value.isBool()) return add_structure(value.toBool());
    if (value.isDouble()) return add_structure(std::bit_cast<uint64_t>(value.toDouble()));
    if (value.isString()) {
      const std::string& text = value.toStringRef();
      out_.key.add(kStructure);
      return out_.key.add(text.data(), text.size());
    }
    if (value.isSymInt()) return add_structure(static_cast<uint64_t>(value.toSymInt().guard_int(__FILE__, __LINE__)));
    TORCH_CHECK_NOT_IMPLEMENTED(value.isList(), form_.name(), ": an argument of type ", value.tagKind(), " is not served");
    out_.key.add(tagged(kList, value.toListRef().size()));
    for (const c10::IValue& element : value.toListRef()) structure(element);
  }

  void add_structure(uint64_t word) {
    out_.key.add(kStructure);
    out_.key.add(word);
  }

  // Pairs of a written tensor and another one on the same storage. Exactly the same view was merged in `find`.
  void overlaps(c10::ArrayRef<c10::IValue> values) {
    size_t slot = 0;
    c10::SmallVector<int32_t, 4> written;
    const auto& forms = form_.arguments();
    for (size_t i = 0; i < forms.size(); ++i) {
      if (forms[i].kind != ArgumentKind::tensor && forms[i].kind != ArgumentKind::tensor_list) continue;
      size_t count = 1;
      if (forms[i].kind == ArgumentKind::tensor_list) count = values[i].isNone() ? 0 : values[i].toListRef().size();
      for (size_t k = 0; k < count; ++k, ++slot)
        if (forms[i].written && out_.slots[slot].kind == TensorSlot::Kind::bound) written.push_back(out_.slots[slot].index);
    }
    if (out_.tensors.size() <= kScanLimit) {
      for (int32_t w : written)
        for (size_t other = 0; other < out_.tensors.size(); ++other) pair(w, static_cast<int32_t>(other));
      return;
    }
    std::unordered_multimap<const void*, int32_t> by_storage;
    for (size_t i = 0; i < out_.tensors.size(); ++i) by_storage.emplace(storage_of(static_cast<int32_t>(i)), static_cast<int32_t>(i));
    for (int32_t w : written) {
      auto [first, last] = by_storage.equal_range(storage_of(w));
      for (auto it = first; it != last; ++it) pair(w, it->second);
    }
  }

  const void* storage_of(int32_t index) const { return out_.tensors[index]->storage().unsafeGetStorageImpl(); }

  void pair(int32_t written, int32_t other) {
    if (written == other || storage_of(written) != storage_of(other)) return;
    const auto status = at::get_overlap_status(*out_.tensors[written], *out_.tensors[other]);
    if (status == at::MemOverlapStatus::No) return;
    if (status == at::MemOverlapStatus::Partial) at::assert_no_partial_overlap(*out_.tensors[written], *out_.tensors[other]);
    out_.overlaps.push_back({written, other});
    out_.key.add(tagged(kOverlap, (static_cast<uint64_t>(written) << 24) | static_cast<uint64_t>(other)));
  }

  const OpForm& form_;
  bool compile_scalars_in_;
  LaunchArguments& out_;
  std::unordered_multimap<const void*, int32_t> by_address_;
};

}  // namespace

void collect(const OpForm& form, c10::ArrayRef<c10::IValue> values, bool compile_scalars_in, LaunchArguments& out) {
  Collector(form, compile_scalars_in, out).run(values);
}

}  // namespace lanewise::torch_backend
