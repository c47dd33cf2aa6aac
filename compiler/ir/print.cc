// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/ir/names.h"
#include "compiler/ir/scanner.h"
#include "isa/table.h"

namespace lanewise::compiler::ir {
namespace {

std::string attributes(const Op& op) {
  switch (op.kind) {
    case OpKind::input:
    case OpKind::parameter: return ' ' + std::to_string(op.index);
    case OpKind::constant: return ' ' + (isa::is_float(op.dtype) ? spell(op.fvalue) : std::to_string(op.ivalue));
    case OpKind::iota:
      return " dims " + spell(op.dims, '[', ']') + " start " + std::to_string(op.ivalue) + " step " + std::to_string(op.step);
    case OpKind::convert: return op.rounds ? " rounds" : "";
    case OpKind::unary: return ' ' + std::string(isa::act_fn_name(op.fn));
    case OpKind::binary: return ' ' + std::string(isa::alu_op_name(op.alu));
    case OpKind::reduce: return ' ' + std::string(isa::alu_op_name(op.alu)) + " dims " + spell(op.dims, '[', ']');
    case OpKind::permute:
    case OpKind::concat: return " dims " + spell(op.dims, '[', ']');
    case OpKind::slice:
    case OpKind::pad: return " starts " + spell(op.starts, '[', ']') + " steps " + spell(op.steps, '[', ']');
    default: return "";
  }
}

std::string op_text(const Op& op) {
  std::string text(kind_name(op.kind));
  text += attributes(op);
  for (size_t i = 0; i < op.operands.size(); ++i) text += (i ? ", %" : " %") + std::to_string(op.operands[i]);
  text += " : " + std::string(isa::dtype_name(op.dtype)) + spell(op.shape, '[', ']');
  if (op.kind == OpKind::input) text += spell(op.strides, '{', '}');
  if (op.offset != 0) text += " offset " + std::to_string(op.offset);
  if (!op.aten.empty()) text += " from " + spell_quoted(op.aten);
  if (op.aten_node >= 0) text += " node " + std::to_string(op.aten_node);
  return text;
}

const Op* first_input(const Module& module, int32_t index) {
  for (const Op& op : module.ops) {
    if (op.kind == OpKind::input && op.index == index) return &op;
  }
  return nullptr;
}

}  // namespace

std::string print_text(const Module& module) {
  int32_t inputs = 0, outputs = 0;
  for (const Op& op : module.ops) {
    if (op.kind == OpKind::input) inputs = std::max(inputs, op.index + 1);
  }
  for (const Store& store : module.stores) {
    int32_t& count = store.to_input ? inputs : outputs;
    count = std::max(count, store.index + 1);
  }
  std::string text = "module " + spell_quoted(module.name);
  if (inputs != module.inputs) text += " inputs " + std::to_string(module.inputs);
  if (outputs != module.outputs) text += " outputs " + std::to_string(module.outputs);
  for (size_t i = 0; i < module.parameters.size(); ++i) {
    text += i ? ", " : " params ";
    text += module.parameters[i] == isa::DType::i64 ? "i64" : "f64";
  }
  bool first = true;
  for (size_t i = 0; i < module.input_alias.size(); ++i) {
    if (module.input_alias[i] < 0) continue;
    text += (first ? " alias " : ", ") + std::to_string(i) + ":" + std::to_string(module.input_alias[i]);
    first = false;
  }
  text += " {\n";
  for (size_t i = 0; i < module.ops.size(); ++i) text += "  %" + std::to_string(i) + " = " + op_text(module.ops[i]) + "\n";
  for (const Store& store : module.stores) {
    text += "  store %" + std::to_string(store.value) + (store.to_input ? " to input " : " to output ") + std::to_string(store.index);
    const Op* declared = store.to_input ? first_input(module, store.index) : nullptr;
    if (!declared || declared->strides != store.strides) text += " " + spell(store.strides, '{', '}');
    text += "\n";
  }
  return text + "}\n";
}

}  // namespace lanewise::compiler::ir
