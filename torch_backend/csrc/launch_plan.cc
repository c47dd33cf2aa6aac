// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/launch_plan.h"

#include <algorithm>

#include <ATen/MemoryOverlap.h>
#include <c10/util/Exception.h>

#include "torch_backend/csrc/dtypes.h"
#include "torch_backend/csrc/meta_call.h"
#include "torch_backend/csrc/tensor_python.h"

namespace lanewise::torch_backend {
namespace {

namespace aten = compiler::aten;

aten::TensorMeta meta_of(const at::Tensor& tensor) {
  return {require_operand_dtype(tensor.scalar_type()), tensor.sizes().vec(), tensor.strides().vec()};
}

FreshTensor fresh_of(const at::Tensor& tensor) {
  return {tensor.sizes().vec(), tensor.strides().vec(), tensor.scalar_type()};
}

// Builds the one node of a call, argument by argument, in the order in which `collect` numbered slots and parameters.
class NodeBuilder {
 public:
  NodeBuilder(const OpForm& form, c10::ArrayRef<c10::IValue> values, const LaunchArguments& arguments, bool compile_scalars_in)
      : form_(form), values_(values), given_(arguments), compile_scalars_in_(compile_scalars_in) {}

  aten::Node build() {
    const auto& whole = form_.functional().schema().arguments();
    aten::Node node;
    node.op = form_.graph_name();
    node.arguments.resize(whole.size());
    c10::ScalarType out_dtype = c10::ScalarType::Undefined;
    for (size_t i = 0; i < form_.arguments().size(); ++i) {
      aten::Argument argument = convert(form_.arguments()[i], values_[i]);
      const int32_t position = form_.arguments()[i].functional_position;
      if (position >= 0) {
        node.arguments[position] = std::move(argument);
      } else if (values_[i].isTensor()) {
        out_dtype = values_[i].toTensor().scalar_type();
      }
    }
    // Only how a new tensor would be made is missing, and only from an out= form.
    for (size_t i = 0; i < whole.size(); ++i)
      if (whole[i].name() == "dtype" && !form_.op().schema().argumentIndexWithName("dtype"))
        node.arguments[i].value = require_operand_dtype(out_dtype);
    return node;
  }

 private:
  aten::Argument convert(const ArgumentForm& form, const c10::IValue& value) {
    switch (form.kind) {
      case ArgumentKind::tensor:
        return tensor(value);
      case ArgumentKind::tensor_list:
        return list(value, [&](const c10::IValue& element) { return tensor(element); });
      case ArgumentKind::scalar:
        return scalar(value, form.literal || is_default(form, value));
      case ArgumentKind::scalar_list:
        return list(value, [&](const c10::IValue& element) { return scalar(element, form.literal); });
      case ArgumentKind::structure:
        return structure(value);
      case ArgumentKind::dtype:
        if (value.isNone()) return {aten::None{}};
        return {require_operand_dtype(value.toScalarType())};
      case ArgumentKind::ignored:
        return {aten::None{}};
    }
    return {aten::None{}};
  }

  template <typename Convert>
  aten::Argument list(const c10::IValue& value, Convert convert_one) {
    if (value.isNone()) return {aten::None{}};
    aten::ArgumentList elements;
    for (const c10::IValue& element : value.toListRef()) elements.push_back(convert_one(element));
    return {std::move(elements)};
  }

  aten::Argument tensor(const c10::IValue& value) {
    const TensorSlot& slot = given_.slots[next_slot_++];
    switch (slot.kind) {
      case TensorSlot::Kind::bound:
        return {aten::ValueRef{slot.index}};
      case TensorSlot::Kind::parameter:
        return {aten::ParameterRef{next_parameter_++}};
      case TensorSlot::Kind::literal:
        return number(value.toTensor().item());
      case TensorSlot::Kind::absent:
        break;
    }
    return {aten::None{}};
  }

  static aten::Argument number(const at::Scalar& scalar) {
    if (scalar.isBoolean()) return {scalar.toBool()};
    if (scalar.isIntegral(false)) return {scalar.toLong()};
    return {scalar.toDouble()};
  }

  static bool is_default(const ArgumentForm& form, const c10::IValue& value) {
    return form.has_default && ((value.isDouble() && value.toDouble() == form.default_number) ||
                                (value.isInt() && static_cast<double>(value.toInt()) == form.default_number));
  }

  aten::Argument scalar(const c10::IValue& value, bool literal) {
    if (value.isNone()) return {aten::None{}};
    if (value.isBool()) return {value.toBool()};
    if (literal || compile_scalars_in_) return value.isDouble() ? aten::Argument{value.toDouble()} : aten::Argument{value.toInt()};
    return {aten::ParameterRef{next_parameter_++}};
  }

  aten::Argument structure(const c10::IValue& value) {
    if (value.isNone()) return {aten::None{}};
    if (value.isBool()) return {value.toBool()};
    if (value.isInt()) return {value.toInt()};
    if (value.isDouble()) return {value.toDouble()};
    if (value.isString()) return {value.toStringRef()};
    if (value.isSymInt()) return {value.toSymInt().guard_int(__FILE__, __LINE__)};
    return list(value, [&](const c10::IValue& element) { return structure(element); });
  }

  const OpForm& form_;
  c10::ArrayRef<c10::IValue> values_;
  const LaunchArguments& given_;
  bool compile_scalars_in_;
  size_t next_slot_ = 0;
  int32_t next_parameter_ = 0;
};

aten::Graph graph_of_inputs(const LaunchArguments& arguments) {
  aten::Graph graph;
  for (size_t i = 0; i < arguments.tensors.size(); ++i) {
    graph.values.push_back({"x" + std::to_string(i), meta_of(*arguments.tensors[i])});
    graph.inputs.push_back({static_cast<int32_t>(i), -1});
  }
  for (const auto& overlap : arguments.overlaps) {
    const auto [first, second] = std::minmax(overlap.written, overlap.other);
    graph.inputs[second].alias = first;
  }
  graph.parameters.assign(arguments.parameter_kinds.begin(), arguments.parameter_kinds.end());
  return graph;
}

int32_t add_value(aten::Graph& graph, aten::TensorMeta meta) {
  const auto index = static_cast<int32_t>(graph.values.size());
  graph.values.push_back({"y" + std::to_string(index), std::move(meta)});
  return index;
}

// The value as the target's dtype, as an in-place op rounds its result.
int32_t converted(aten::Graph& graph, int32_t value, isa::DType dtype) {
  if (graph.values[value].meta.dtype == dtype) return value;
  aten::TensorMeta meta = graph.values[value].meta;
  meta.dtype = dtype;
  const int32_t out = add_value(graph, std::move(meta));
  const aten::Argument none{aten::None{}};
  graph.nodes.push_back({"aten::_to_copy", {{aten::ValueRef{value}}, {dtype}, none, none, none, {false}, none}, {out}});
  return out;
}

std::vector<int32_t> written_tensors(const OpForm& form, c10::ArrayRef<c10::IValue> values, const LaunchArguments& arguments) {
  std::vector<int32_t> written;
  size_t slot = 0;
  for (size_t i = 0; i < form.arguments().size(); ++i) {
    const ArgumentForm& argument = form.arguments()[i];
    if (argument.kind != ArgumentKind::tensor && argument.kind != ArgumentKind::tensor_list) continue;
    size_t count = 1;
    if (argument.kind == ArgumentKind::tensor_list) count = values[i].isNone() ? 0 : values[i].toListRef().size();
    for (size_t k = 0; k < count; ++k, ++slot)
      if (argument.written) written.push_back(arguments.slots[slot].index);
  }
  return written;
}

// Sizes that out= tensors must get first; empty when they have them.
std::vector<FreshTensor> resized(const std::vector<int32_t>& written, const std::vector<at::Tensor>& metas, const LaunchArguments& arguments) {
  std::vector<FreshTensor> shapes;
  bool changed = false;
  for (size_t i = 0; i < written.size(); ++i) {
    shapes.push_back(fresh_of(metas[i]));
    changed |= metas[i].sizes() != arguments.tensors[written[i]]->sizes();
  }
  if (!changed) shapes.clear();
  return shapes;
}

std::string program_name(const OpForm& form) {
  const std::string& name = form.name();
  return name.starts_with("aten::") ? name.substr(6) : name;
}

void build(const OpForm& form, c10::ArrayRef<c10::IValue> values, const LaunchArguments& arguments, bool compile_scalars_in,
           LaunchPlan& plan) {
  MetaCall meta(form, values, arguments);
  std::vector<int32_t> written;
  if (form.variant() != OpForm::Variant::functional) {
    meta.run_form();
    written = written_tensors(form, values, arguments);
    for (int32_t index : written) at::assert_no_internal_overlap(*arguments.tensors[index]);
    plan.resized_out = resized(written, meta.written(), arguments);
    if (!plan.resized_out.empty()) return;
  }
  MetaOutcome outcome = meta.run_functional();
  aten::Graph graph = graph_of_inputs(arguments);
  aten::Node node = NodeBuilder(form, values, arguments, compile_scalars_in).build();
  bool anything = false;
  for (const at::Tensor& result : outcome.results) {
    node.results.push_back(result.defined() ? add_value(graph, meta_of(result)) : -1);
    anything |= result.defined() && result.numel() > 0;
  }
  const std::vector<int32_t> results = node.results;
  graph.nodes.push_back(std::move(node));
  if (form.variant() == OpForm::Variant::functional) {
    plan.list_lengths = outcome.list_lengths;
    for (size_t i = 0; i < results.size(); ++i) {
      plan.results.push_back(results[i] < 0 ? -1 : static_cast<int32_t>(plan.fresh.size()));
      if (results[i] < 0) continue;
      plan.fresh.push_back(fresh_of(outcome.results[i]));
      graph.outputs.push_back({results[i], -1});
    }
  } else {
    TORCH_INTERNAL_ASSERT(results.size() == written.size(), form.name());
    for (size_t i = 0; i < results.size(); ++i) {
      // Meta kernels written in Python leave this rule out.
      const auto from = outcome.results[i].scalar_type(), to = arguments.tensors[written[i]]->scalar_type();
      TORCH_CHECK(c10::canCast(from, to), "result type ", c10::toString(from), " can't be cast to the desired output type ",
                  c10::toString(to), " (in ", form.name(), ")");
      graph.outputs.push_back({converted(graph, results[i], graph.values[written[i]].meta.dtype), written[i]});
    }
  }
  if (anything) plan.program = compile_graph(graph, program_name(form));
}

}  // namespace

std::shared_ptr<const LaunchPlan> make_plan(const OpForm& form, c10::ArrayRef<c10::IValue> values,
                                            const LaunchArguments& arguments, bool compile_scalars_in) {
  auto plan = std::make_shared<LaunchPlan>();
  const auto refuse = [&](std::string reason) {
    *plan = {};
    plan->refusal = reason.empty() ? "not served" : std::move(reason);
  };
  try {
    build(form, values, arguments, compile_scalars_in, *plan);
  } catch (const c10::NotImplementedError& error) {
    refuse(error.what_without_backtrace());
  } catch (...) {
    auto reason = python_not_implemented(std::current_exception());
    if (!reason) throw;
    refuse(std::move(*reason));
  }
  return plan;
}

}  // namespace lanewise::torch_backend
