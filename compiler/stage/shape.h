// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes under views.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise::compiler::stage {

using Shape = std::vector<int64_t>;

Shape row_major_strides(const Shape& shape);

// Matching runs of dimensions of two shapes with equal element counts, dimensions of size 1 left out.
struct DimGroup {
  std::vector<int> from, to;   // dimension numbers, outermost first
};
std::vector<DimGroup> match_dims(const Shape& from, const Shape& to);

// Strides of the same memory seen as `to`, when every group of dimensions is evenly spaced; else nothing.
std::optional<Shape> reshape_strides(const Shape& from, const Shape& strides, const Shape& to);

}  // namespace lanewise::compiler::stage
