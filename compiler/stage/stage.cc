// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/stage.h"

#include "base/status.h"

namespace lanewise::compiler::stage {

int split_atom(Stage& stage, int atom, int64_t inner) {
  LW_CHECK(stage.atoms[atom].size % inner == 0, "an atom is split into equal parts");
  LW_CHECK(stage.atoms.size() < kMaxAtoms, "too many atoms");
  const int added = static_cast<int>(stage.atoms.size());
  Atom low = stage.atoms[atom];
  low.size = inner;
  stage.atoms[atom].size /= inner;
  stage.atoms.push_back(low);
  visit_affines(stage, [&](Affine& at) {
    at.coef[added] = at.coef[atom];
    at.coef[atom] *= inner;
  });
  for (AtomMask* mask : {&stage.matmul.rows, &stage.matmul.columns, &stage.matmul.result})
    if (contains(*mask, atom)) *mask |= bit(added);
  update_node_atoms(stage);
  return added;
}

void update_node_atoms(Stage& stage) {
  const AtomMask reduced = stage.reduced();
  for (Node& node : stage.nodes) {
    AtomMask mask = 0;
    switch (node.kind) {
      case NodeKind::load: mask = node.access.at.atoms(); break;
      case NodeKind::iota: mask = node.value.atoms(); break;
      case NodeKind::matmul: mask = stage.matmul.result; break;
      default:
        for (int32_t operand : node.operands) mask |= stage.nodes[operand].atoms;
        if (node.kind == NodeKind::reduce) mask &= ~reduced;
        break;
    }
    node.atoms = mask;
  }
}

}  // namespace lanewise::compiler::stage
