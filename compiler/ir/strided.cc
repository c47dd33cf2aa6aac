// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/strided.h"

#include <algorithm>

namespace lanewise::compiler::ir {

std::vector<int64_t> row_major_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<int64_t>(shape[d], 1);
  return strides;
}

std::vector<int64_t> strided_offsets(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t start) {
  std::vector<int64_t> offsets{start};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> finer;
    finer.reserve(offsets.size() * shape[d]);
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < shape[d]; ++i) finer.push_back(offset + i * strides[d]);
    }
    offsets = std::move(finer);
  }
  return offsets;
}

}  // namespace lanewise::compiler::ir
