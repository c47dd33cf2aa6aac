// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "compiler/stage/stage.h"
#include "isa/table.h"

namespace lanewise::compiler::stage {
namespace {

std::string atom_name(int atom) {
  const char* letters = "ijklmnpqrstuvwxyzabcdefg";
  return std::string(1, letters[atom]);
}

std::string affine_text(const Affine& at) {
  std::string text;
  for (int i = 0; i < kMaxAtoms; ++i) {
    if (at.coef[i] == 0) continue;
    if (!text.empty()) text += " + ";
    if (at.coef[i] != 1) text += std::to_string(at.coef[i]) + "*";
    text += atom_name(i);
  }
  if (at.offset != 0 || text.empty()) text += (text.empty() ? "" : " + ") + std::to_string(at.offset);
  return text;
}

std::string access_text(const Access& access) {
  return "b" + std::to_string(access.buffer) + "[" + affine_text(access.at) + "] " + std::string(isa::dtype_name(access.dtype));
}

std::string mask_text(AtomMask mask) {
  std::string text = "{";
  for (int i = 0; i < kMaxAtoms; ++i)
    if (contains(mask, i)) text += atom_name(i);
  return text + "}";
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string node_text(const Stage& stage, const Node& node) {
  std::string text;
  switch (node.kind) {
    case NodeKind::load: text = "load " + access_text(node.access); break;
    case NodeKind::constant:
      text = "constant " + (isa::is_float(node.dtype) ? number_text(node.fvalue) : std::to_string(node.ivalue));
      break;
    case NodeKind::parameter: text = "parameter " + std::to_string(node.parameter); break;
    case NodeKind::iota: text = "iota " + affine_text(node.value); break;
    case NodeKind::unary: text = "unary " + std::string(isa::act_fn_name(node.fn)); break;
    case NodeKind::binary: text = "binary " + std::string(isa::alu_op_name(node.alu)); break;
    case NodeKind::select: text = "select"; break;
    case NodeKind::convert: text = "convert"; break;
    case NodeKind::reduce: text = "reduce " + std::string(isa::alu_op_name(node.alu)); break;
    case NodeKind::matmul:
      text = "matmul " + access_text(stage.matmul.a) + ", " + access_text(stage.matmul.b) + " over " + atom_name(stage.matmul.contracted);
      break;
  }
  for (int32_t operand : node.operands) text += " n" + std::to_string(operand);
  return text + " : " + std::string(isa::dtype_name(node.dtype)) + " " + mask_text(node.atoms) + "   // %" + std::to_string(node.op);
}

}  // namespace

std::string print_text(const Stage& stage) {
  std::string text = "stage \"" + stage.name + "\"";
  for (size_t i = 0; i < stage.atoms.size(); ++i) {
    const Atom::Role role = stage.atoms[i].role;
    text += " " + atom_name(static_cast<int>(i)) + ":" + std::to_string(stage.atoms[i].size);
    if (role == Atom::Role::reduced) text += "(reduced)";
    if (role == Atom::Role::contracted) text += "(contracted)";
  }
  text += "\n";
  if (stage.kind == Stage::Kind::gather) {
    const Gather& g = stage.gather;
    text += "  gather " + std::string(isa::dtype_name(g.dtype)) + " b" + std::to_string(g.table) + " rows of " +
            std::to_string(g.table_row_stride) + " at " + std::to_string(g.table_offset) + " by " + access_text(g.indices) + "\n";
  }
  for (size_t i = 0; i < stage.nodes.size(); ++i) text += "  n" + std::to_string(i) + " = " + node_text(stage, stage.nodes[i]) + "\n";
  for (const Store& store : stage.stores) text += "  store n" + std::to_string(store.node) + " -> " + access_text(store.access) + "\n";
  if (!stage.place.partition.empty() || !stage.place.free.empty()) {
    text += "  place partitions";
    for (int32_t atom : stage.place.partition) text += " " + atom_name(atom);
    text += " free";
    for (int32_t atom : stage.place.free) text += " " + atom_name(atom);
    text += "\n";
  }
  return text;
}

std::string print_text(const Schedule& schedule) {
  std::string text = "schedule\n";
  for (size_t i = 0; i < schedule.buffers.size(); ++i) {
    const Buffer& buffer = schedule.buffers[i];
    const char* kind = buffer.kind == Buffer::Kind::input ? "input" : buffer.kind == Buffer::Kind::output ? "output" : "scratch";
    text += "buffer b" + std::to_string(i) + " " + kind + " \"" + buffer.name + "\" " + std::to_string(buffer.bytes) + "\n";
  }
  for (const Stage& stage : schedule.stages) text += print_text(stage);
  return text;
}

}  // namespace lanewise::compiler::stage
