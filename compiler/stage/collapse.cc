// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/collapse.h"

#include <vector>

namespace lanewise::compiler::stage {
namespace {

bool same_class(const Stage& stage, int a, int b) {
  const Matmul& mm = stage.matmul;
  return stage.atoms[a].role == stage.atoms[b].role && contains(mm.rows, a) == contains(mm.rows, b) &&
         contains(mm.columns, a) == contains(mm.columns, b) && contains(mm.result, a) == contains(mm.result, b);
}

bool mergeable(Stage& stage, int outer, int inner) {
  if (!same_class(stage, outer, inner)) return false;
  const int64_t size = stage.atoms[inner].size;
  bool ok = true;
  visit_affines(stage, [&](Affine& at) { ok &= at.coef[outer] == at.coef[inner] * size; });
  return ok;
}

// The inner atom takes the outer one's place too; the outer one is left with size 1.
void merge(Stage& stage, int outer, int inner) {
  stage.atoms[inner].size *= stage.atoms[outer].size;
  stage.atoms[outer].size = 1;
  visit_affines(stage, [&](Affine& at) { at.coef[outer] = 0; });
}

void drop_unit_atoms(Stage& stage) {
  std::vector<int> keep;
  for (size_t a = 0; a < stage.atoms.size(); ++a)
    if (stage.atoms[a].size != 1 || stage.atoms[a].role == Atom::Role::contracted) keep.push_back(static_cast<int>(a));
  const auto renumber = [&](AtomMask mask) {
    AtomMask result = 0;
    for (size_t k = 0; k < keep.size(); ++k)
      if (contains(mask, keep[k])) result |= bit(static_cast<int>(k));
    return result;
  };
  visit_affines(stage, [&](Affine& at) {
    Affine moved = Affine::constant(at.offset);
    for (size_t k = 0; k < keep.size(); ++k) moved.coef[k] = at.coef[keep[k]];
    at = moved;
  });
  std::vector<Atom> atoms;
  for (size_t k = 0; k < keep.size(); ++k) {
    atoms.push_back(stage.atoms[keep[k]]);
    if (stage.matmul.contracted == keep[k]) stage.matmul.contracted = static_cast<int32_t>(k);
  }
  // visit_affines asks for the contracted atom, so masks change last.
  stage.atoms = std::move(atoms);
  stage.matmul.rows = renumber(stage.matmul.rows);
  stage.matmul.columns = renumber(stage.matmul.columns);
  stage.matmul.result = renumber(stage.matmul.result);
}

}  // namespace

void collapse_atoms(Stage& stage) {
  if (stage.kind == Stage::Kind::gather) return;   // its two atoms are row and column
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t a = 0; a < stage.atoms.size(); ++a) {
      for (size_t b = 0; b < stage.atoms.size(); ++b) {
        if (a == b || stage.atoms[a].size == 1 || stage.atoms[b].size == 1) continue;
        if (!mergeable(stage, static_cast<int>(a), static_cast<int>(b))) continue;
        merge(stage, static_cast<int>(a), static_cast<int>(b));
        changed = true;
      }
    }
  }
  drop_unit_atoms(stage);
  update_node_atoms(stage);
}

}  // namespace lanewise::compiler::stage
