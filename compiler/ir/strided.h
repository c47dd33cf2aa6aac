// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Index arithmetic of strided shapes.
#pragma once

#include <cstdint>
#include <vector>

namespace lanewise::compiler::ir {

// Strides of a row-major tensor of this shape. Sizes of 0 count as 1.
std::vector<int64_t> row_major_strides(const std::vector<int64_t>& shape);

// For every element of `shape` in row-major order: start + sum of index * stride.
std::vector<int64_t> strided_offsets(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t start);

}  // namespace lanewise::compiler::ir
