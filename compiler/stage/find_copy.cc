// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/find_copy.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace lanewise::compiler::stage {
namespace {

constexpr int64_t kShortestRun = 64;     // bytes
constexpr int64_t kFewElements = 512;    // however scattered, that many are quickly moved
constexpr size_t kPatternDims = 6;

}  // namespace

void find_copy(Stage& stage) {
  if (stage.kind != Stage::Kind::tile || stage.nodes.size() != 1 || stage.nodes[0].kind != NodeKind::load) return;
  const Access from = stage.nodes[0].access;
  // What is stored where it was read is there already.
  std::erase_if(stage.stores, [&](const Store& store) { return store.access == from; });
  if (stage.stores.empty()) {
    stage.kind = Stage::Kind::copy;
    return;
  }
  if (stage.atoms.size() > kPatternDims) return;
  int64_t elements = 1;
  for (const Atom& atom : stage.atoms) elements *= atom.size;
  std::vector<int> order(stage.atoms.size());
  std::iota(order.begin(), order.end(), 0);
  const Affine& first = stage.stores[0].access.at;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return std::abs(first.coef[a]) > std::abs(first.coef[b]); });
  for (const Store& store : stage.stores) {
    if (store.access.dtype != from.dtype) return;
    if (elements <= kFewElements) continue;
    const int inner = order.back();
    const bool runs = from.at.coef[inner] == 1 && store.access.at.coef[inner] == 1;
    if (!runs || stage.atoms[inner].size * isa::dtype_bytes(from.dtype) < kShortestRun) return;
  }
  stage.kind = Stage::Kind::copy;
  const auto reordered = [&](const Affine& at) {
    Affine result = Affine::constant(at.offset);
    for (size_t k = 0; k < order.size(); ++k) result.coef[k] = at.coef[order[k]];
    return result;
  };
  visit_affines(stage, [&](Affine& at) { at = reordered(at); });
  std::vector<Atom> atoms;
  for (int a : order) atoms.push_back(stage.atoms[a]);
  stage.atoms = std::move(atoms);
  update_node_atoms(stage);
}

}  // namespace lanewise::compiler::stage
