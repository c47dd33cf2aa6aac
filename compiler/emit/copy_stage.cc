// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/copy_stage.h"

#include <algorithm>

namespace lanewise::compiler::emit {
namespace {

constexpr int64_t kPieceBytes = int64_t{2} << 20;
constexpr int64_t kMostPieces = 16;

// The part [base, base + count) of atom 0 and all of the others.
isa::Hbm pattern(const stage::Stage& stage, const stage::Access& access, int64_t base, int64_t count) {
  isa::Hbm hbm;
  hbm.buffer = access.buffer;
  hbm.dtype = access.dtype;
  hbm.offset = (access.at.offset + (stage.atoms.empty() ? 0 : access.at.coef[0] * base)) * isa::dtype_bytes(access.dtype);
  for (size_t a = 0; a < stage.atoms.size(); ++a) {
    const int64_t n = a == 0 ? count : stage.atoms[a].size;
    if (n > 1) hbm.dims[hbm.rank++] = {access.at.coef[a], n};
  }
  return hbm;
}

}  // namespace

void emit_copy_stage(const stage::Stage& stage, Writer& writer) {
  writer.begin_stage(stage.order, isa::Engine::gpsimd);
  const stage::Node& load = stage.nodes[0];
  int64_t bytes = isa::dtype_bytes(load.dtype);
  for (const stage::Atom& atom : stage.atoms) bytes *= atom.size;
  const int64_t outer = stage.atoms.empty() ? 1 : stage.atoms[0].size;
  const int64_t pieces = std::clamp<int64_t>(bytes / kPieceBytes, 1, std::min(kMostPieces, outer));
  const int64_t step = (outer + pieces - 1) / pieces;
  for (int64_t base = 0; base < outer; base += step) {
    const int64_t count = std::min(step, outer - base);
    for (const stage::Store& store : stage.stores)
      writer.copy(pattern(stage, store.access, base, count), pattern(stage, load.access, base, count), load.op);
  }
}

}  // namespace lanewise::compiler::emit
