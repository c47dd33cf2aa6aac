// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operand.h"

namespace lanewise::sim::core {

// Elements lie next to each other in the innermost dimension.
inline bool adjacent(const isa::Tile& t) {
  return t.rank == 0 || t.dims[t.rank - 1].stride == 1 || t.dims[t.rank - 1].count == 1;
}

}  // namespace lanewise::sim::core
