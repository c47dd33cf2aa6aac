// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/shape.h"

namespace lanewise::compiler::stage {

Shape row_major_strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * (shape[d] > 1 ? shape[d] : 1);
  return strides;
}

std::vector<DimGroup> match_dims(const Shape& from, const Shape& to) {
  std::vector<DimGroup> groups;
  size_t i = 0, j = 0;
  const auto skip_ones = [](const Shape& shape, size_t& at) {
    while (at < shape.size() && shape[at] == 1) ++at;
  };
  for (;;) {
    skip_ones(from, i);
    skip_ones(to, j);
    if (i >= from.size() || j >= to.size()) return groups;
    DimGroup group;
    int64_t a = from[i], b = to[j];
    group.from.push_back(static_cast<int>(i++));
    group.to.push_back(static_cast<int>(j++));
    while (a != b) {
      if (a < b) {
        skip_ones(from, i);
        if (i >= from.size()) return {};
        a *= from[i];
        group.from.push_back(static_cast<int>(i++));
      } else {
        skip_ones(to, j);
        if (j >= to.size()) return {};
        b *= to[j];
        group.to.push_back(static_cast<int>(j++));
      }
    }
    groups.push_back(std::move(group));
  }
}

std::optional<Shape> reshape_strides(const Shape& from, const Shape& strides, const Shape& to) {
  Shape result(to.size(), 0);
  for (const DimGroup& group : match_dims(from, to)) {
    for (size_t k = 0; k + 1 < group.from.size(); ++k) {
      const int outer = group.from[k], inner = group.from[k + 1];
      if (strides[outer] != strides[inner] * from[inner]) return std::nullopt;
    }
    int64_t stride = strides[group.from.back()];
    for (size_t k = group.to.size(); k-- > 0;) {
      result[group.to[k]] = stride;
      stride *= to[group.to[k]];
    }
  }
  return result;
}

}  // namespace lanewise::compiler::stage
