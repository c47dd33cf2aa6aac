// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Indices of tensors as affine functions of atoms, and how views change them.
#pragma once

#include <optional>
#include <vector>

#include "compiler/stage/shape.h"
#include "compiler/stage/stage.h"

namespace lanewise::compiler::stage {

using Coords = std::vector<Affine>;   // one a dimension

// An atom must become outer * inner before the index can be written.
struct SplitRequest {
  int atom = -1;
  int64_t inner = 0;
};

// Digits of `flat` in the mixed radix `sizes` (outermost first). Nothing when they are not affine; then `split`, if it
// is set, says which atom split would help.
std::optional<Coords> digits(const Affine& flat, const Shape& sizes, const std::vector<Atom>& atoms, SplitRequest& split);

// The index into `from` of the element that has index `coords` in the row-major reshape `to` of it.
std::optional<Coords> reshape_coords(const Shape& to, const Coords& coords, const Shape& from, const std::vector<Atom>& atoms,
                                     SplitRequest& split);

// Whether coords visit every index of `shape` exactly once when the atoms they use run through their sizes.
bool covers(const Shape& shape, const Coords& coords, const std::vector<Atom>& atoms);

// Sum of coords[d] * strides[d] + offset.
Affine dot(const Coords& coords, const Shape& strides, int64_t offset);

}  // namespace lanewise::compiler::stage
