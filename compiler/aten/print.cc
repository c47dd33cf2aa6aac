// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/aten/graph.h"
#include "compiler/ir/scanner.h"

namespace lanewise::compiler::aten {
namespace {

std::string meta_text(const TensorMeta& meta) {
  return std::string(isa::dtype_name(meta.dtype)) + ir::spell(meta.sizes, '[', ']') + ir::spell(meta.strides, '{', '}');
}

class ArgumentPrinter {
 public:
  explicit ArgumentPrinter(const Graph& graph) : graph_(graph) {}

  std::string operator()(None) const { return "none"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return ir::spell(value); }
  std::string operator()(const std::string& value) const { return ir::spell_quoted(value); }
  std::string operator()(isa::DType value) const { return std::string(isa::dtype_name(value)); }
  std::string operator()(ValueRef value) const { return "%" + graph_.values[value.index].name; }
  std::string operator()(ParameterRef value) const { return "$" + std::to_string(value.index); }
  std::string operator()(const ArgumentList& list) const {
    std::string text = "[";
    for (size_t i = 0; i < list.size(); ++i) text += (i ? ", " : "") + std::visit(*this, list[i].value);
    return text + "]";
  }

 private:
  const Graph& graph_;
};

std::string node_text(const Graph& graph, const Node& node) {
  std::string names, metas, text;
  for (size_t i = 0; i < node.results.size(); ++i) {
    const int32_t result = node.results[i];
    names += (i ? ", " : "") + (result < 0 ? "_" : "%" + graph.values[result].name);
    metas += (i ? ", " : "") + (result < 0 ? "none" : meta_text(graph.values[result].meta));
  }
  const bool single = node.results.size() == 1 && node.results[0] >= 0;
  text = (single ? names : "(" + names + ")") + " = " + node.op + "(";
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    text += (i ? ", " : "") + std::visit(ArgumentPrinter(graph), node.arguments[i].value);
  }
  return text + ") -> " + metas + "\n";
}

}  // namespace

std::string print_text(const Graph& graph) {
  std::string text;
  for (const Input& input : graph.inputs) {
    const Value& value = graph.values[input.value];
    text += "%" + value.name + " = input " + meta_text(value.meta);
    if (input.alias >= 0) text += " alias " + std::to_string(input.alias);
    text += "\n";
  }
  for (const Node& node : graph.nodes) text += node_text(graph, node);
  text += "return";
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Output& output = graph.outputs[i];
    text += i ? ", " : " ";
    if (output.into_input >= 0) text += "%" + graph.values[graph.inputs[output.into_input].value].name + " := ";
    text += "%" + graph.values[output.value].name;
  }
  text += "\n";
  for (size_t i = 0; i < graph.parameters.size(); ++i) {
    text += std::string(i ? ", " : "params ") + (graph.parameters[i] == isa::DType::i64 ? "i64" : "f64");
  }
  if (!graph.parameters.empty()) text += "\n";
  return text;
}

}  // namespace lanewise::compiler::aten
