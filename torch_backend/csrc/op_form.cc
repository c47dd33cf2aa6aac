// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/op_form.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "trace/record/event.h"

namespace lanewise::torch_backend {
namespace {

using c10::Argument;
using c10::FunctionSchema;
using c10::TypeKind;

// PyTorch's own composites of these are views or end in one copy of ours.
constexpr std::array<std::string_view, 5> kLeftToPyTorch = {"aten::_unsafe_view", "aten::_reshape_copy", "aten::copy", "aten::clone",
                                                            "aten::lift_fresh_copy"};

// A composite that autograd differentiates through its parts loses its gradient when a backend kernel replaces it. These
// have a derivative of their own, whose backward op is in the table too.
constexpr std::array<std::string_view, 1> kWithDerivative = {"aten::_fused_rms_norm"};

// Scalars that choose the algorithm or the shape instead of taking part in the arithmetic.
struct LiteralScalar {
  std::string_view op, argument;
};
constexpr LiteralScalar kLiteralScalars[] = {
    {"aten::pow", "exponent"},          {"aten::_foreach_pow", "exponent"}, {"aten::arange", "start"},
    {"aten::arange", "end"},            {"aten::arange", "step"},           {"aten::linspace", "start"},
    {"aten::linspace", "end"},          {"aten::linalg_vector_norm", "ord"}, {"aten::norm", "p"},
    {"aten::_foreach_norm", "ord"},     {"aten::_cdist_forward", "p"},
};

const c10::Type& without_optional(const c10::TypePtr& type) {
  if (type->kind() == TypeKind::OptionalType) return *type->castRaw<c10::OptionalType>()->getElementType();
  return *type;
}

ArgumentKind kind_of(const Argument& argument) {
  const c10::Type& type = without_optional(argument.real_type());
  switch (type.kind()) {
    case TypeKind::TensorType:
      return ArgumentKind::tensor;
    case TypeKind::NumberType:
    case TypeKind::FloatType:
      return ArgumentKind::scalar;
    case TypeKind::ScalarTypeType:
      return ArgumentKind::dtype;
    case TypeKind::DeviceObjType:
    case TypeKind::LayoutType:
    case TypeKind::MemoryFormatType:
    case TypeKind::GeneratorType:
      return ArgumentKind::ignored;
    case TypeKind::ListType: {
      const c10::Type& element = without_optional(type.castRaw<c10::ListType>()->getElementType());
      if (element.kind() == TypeKind::TensorType) return ArgumentKind::tensor_list;
      if (element.kind() == TypeKind::NumberType) return ArgumentKind::scalar_list;
      return ArgumentKind::structure;
    }
    default:
      return argument.name() == "pin_memory" || argument.name() == "non_blocking" ? ArgumentKind::ignored
                                                                                  : ArgumentKind::structure;
  }
}

bool is_written(const Argument& argument) { return argument.alias_info() != nullptr && argument.alias_info()->isWrite(); }

bool is_tensor_option(const Argument& argument) {
  const ArgumentKind kind = kind_of(argument);
  return kind == ArgumentKind::dtype || kind == ArgumentKind::ignored;
}

std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

bool returns_tensors_only(const FunctionSchema& schema) {
  return std::all_of(schema.returns().begin(), schema.returns().end(), [](const Argument& result) {
    const ArgumentKind kind = kind_of(result);
    return kind == ArgumentKind::tensor || kind == ArgumentKind::tensor_list;
  });
}

bool takes_tensors(const FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), [](const Argument& argument) {
    const ArgumentKind kind = kind_of(argument);
    return kind == ArgumentKind::tensor || kind == ArgumentKind::tensor_list;
  });
}

bool is_functional(const FunctionSchema& schema) {
  const auto aliases = [](const Argument& a) { return a.alias_info() != nullptr; };
  return std::none_of(schema.arguments().begin(), schema.arguments().end(), aliases) &&
         std::none_of(schema.returns().begin(), schema.returns().end(), aliases);
}

bool is_one_of(const auto& names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

bool can_replace(const c10::OperatorHandle& op) {
  const auto& arguments = op.schema().arguments();
  // The result may be wanted on another device: copies and factories.
  if (std::any_of(arguments.begin(), arguments.end(), [](const Argument& a) { return a.name() == "device"; })) return false;
  return !op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) || is_one_of(kWithDerivative, op.operator_name().name);
}

// All overloads of a name, once: the dispatcher has no index by base name.
const std::vector<c10::OperatorHandle>& overloads_of(const std::string& base) {
  static const auto* index = [] {
    auto* all = new std::unordered_map<std::string, std::vector<c10::OperatorHandle>>;
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
      if (!name.name.starts_with("aten::")) continue;
      if (auto op = dispatcher.findSchema(name)) (*all)[name.name].push_back(*op);
    }
    return all;
  }();
  static const std::vector<c10::OperatorHandle> none;
  auto found = index->find(base);
  return found == index->end() ? none : found->second;
}

// Whether `form` is `functional` with its results written into arguments. What it leaves out may only be how a new
// tensor would have been made.
bool writes_results_of(const FunctionSchema& form, const FunctionSchema& functional, bool in_place) {
  size_t matched = 0, written = 0;
  for (const Argument& argument : form.arguments()) {
    written += is_written(argument);
    if (!in_place && is_written(argument)) continue;
    const auto position = functional.argumentIndexWithName(argument.name());
    if (!position || *functional.arguments()[*position].real_type() != *argument.real_type()) return false;
    ++matched;
  }
  if (written == 0 || written != functional.returns().size()) return false;
  size_t options = 0;
  for (const Argument& argument : functional.arguments())
    if (!form.argumentIndexWithName(argument.name()) && is_tensor_option(argument)) ++options;
  return matched + options == functional.arguments().size();
}

}  // namespace

OpForm::OpForm(c10::OperatorHandle op, c10::OperatorHandle functional, Variant variant)
    : op_(op), functional_(functional), variant_(variant),
      graph_name_(full_name(functional.operator_name())), name_(full_name(op.operator_name())) {
  interned_name_ = trace::record::intern(name_);
  const FunctionSchema& whole = functional_.schema();
  for (const Argument& argument : op_.schema().arguments()) {
    ArgumentForm form;
    form.kind = kind_of(argument);
    form.written = is_written(argument);
    if (!(variant == Variant::out && form.written)) {
      if (auto position = whole.argumentIndexWithName(argument.name())) form.functional_position = static_cast<int32_t>(*position);
    }
    for (const LiteralScalar& literal : kLiteralScalars)
      if (literal.op == functional_.operator_name().name && literal.argument == argument.name()) form.literal = true;
    if (form.kind == ArgumentKind::scalar && argument.default_value()) {
      const c10::IValue& value = *argument.default_value();
      if (value.isDouble() || value.isInt()) {
        form.has_default = true;
        form.default_number = value.isDouble() ? value.toDouble() : static_cast<double>(value.toInt());
      }
    }
    arguments_.push_back(form);
  }
}

std::vector<std::unique_ptr<OpForm>> forms_of(std::string_view functional_name) {
  std::vector<std::unique_ptr<OpForm>> forms;
  if (!functional_name.starts_with("aten::")) return forms;
  if (is_one_of(kLeftToPyTorch, functional_name)) return forms;
  const size_t dot = functional_name.find('.');
  const std::string base(functional_name.substr(0, dot));
  const std::string overload(dot == std::string_view::npos ? std::string_view() : functional_name.substr(dot + 1));
  auto functional = c10::Dispatcher::singleton().findSchema({base, overload});
  if (!functional || !is_functional(functional->schema()) || !returns_tensors_only(functional->schema())) return forms;
  if (takes_tensors(functional->schema()) && can_replace(*functional))
    forms.push_back(std::make_unique<OpForm>(*functional, *functional, OpForm::Variant::functional));
  const auto add_writers = [&](const std::string& name, OpForm::Variant variant) {
    for (const c10::OperatorHandle& op : overloads_of(name))
      if (writes_results_of(op.schema(), functional->schema(), variant == OpForm::Variant::in_place) && can_replace(op))
        forms.push_back(std::make_unique<OpForm>(op, *functional, variant));
  };
  add_writers(base + "_", OpForm::Variant::in_place);
  add_writers(base, OpForm::Variant::out);
  return forms;
}

}  // namespace lanewise::torch_backend
