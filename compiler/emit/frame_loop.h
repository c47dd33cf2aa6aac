// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over the tiles of a stage.
#pragma once

#include <algorithm>
#include <vector>

#include "compiler/emit/tile_frame.h"
#include "compiler/stage/stage.h"

namespace lanewise::compiler::emit {

// Calls visit(frame) for every tile of the given atoms, the last of them fastest. Other atoms keep what `frame` has.
template <typename Visit>
void for_each_tile(const stage::Stage& stage, const Frame& chunk, const std::vector<int>& atoms, Frame frame, Visit&& visit) {
  for (int a : atoms) frame.base[a] = 0;
  for (;;) {
    for (int a : atoms) frame.extent[a] = std::min(chunk.extent[a], stage.atoms[a].size - frame.base[a]);
    visit(frame);
    size_t k = atoms.size();
    while (k > 0) {
      const int a = atoms[k - 1];
      frame.base[a] += chunk.extent[a];
      if (frame.base[a] < stage.atoms[a].size) break;
      frame.base[a] = 0;
      --k;
    }
    if (k == 0) return;
  }
}

}  // namespace lanewise::compiler::emit
