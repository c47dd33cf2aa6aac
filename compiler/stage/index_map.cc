// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/index_map.h"

#include <algorithm>

namespace lanewise::compiler::stage {
namespace {

int64_t floor_mod(int64_t a, int64_t n) { return ((a % n) + n) % n; }

}  // namespace

std::optional<Coords> digits(const Affine& flat, const Shape& sizes, const std::vector<Atom>& atoms, SplitRequest& split) {
  Coords result(sizes.size());
  Affine rest = flat;
  for (size_t d = sizes.size(); d-- > 1;) {
    const int64_t n = sizes[d];
    Affine inner, outer;
    inner.offset = floor_mod(rest.offset, n);
    outer.offset = (rest.offset - inner.offset) / n;
    int64_t low = inner.offset, high = inner.offset;
    for (size_t a = 0; a < atoms.size(); ++a) {
      const int64_t c = rest.coef[a];
      if (c % n == 0) {
        outer.coef[a] = c / n;
        continue;
      }
      inner.coef[a] = c;
      (c < 0 ? low : high) += c * (atoms[a].size - 1);
    }
    if (low < 0 || high >= n) {
      // An atom that runs over several blocks of n helps when it is cut at n.
      for (size_t a = 0; a < atoms.size(); ++a) {
        const int64_t c = std::abs(inner.coef[a]);
        if (c == 0 || n % c != 0) continue;
        const int64_t part = n / c;
        if (part < atoms[a].size && atoms[a].size % part == 0) {
          split = {static_cast<int>(a), part};
          return std::nullopt;
        }
      }
      return std::nullopt;
    }
    result[d] = inner;
    rest = outer;
  }
  if (!sizes.empty()) result[0] = rest;
  return result;
}

std::optional<Coords> reshape_coords(const Shape& to, const Coords& coords, const Shape& from, const std::vector<Atom>& atoms,
                                     SplitRequest& split) {
  Coords result(from.size());
  for (const DimGroup& group : match_dims(to, from)) {
    Affine flat;
    int64_t stride = 1;
    for (size_t k = group.from.size(); k-- > 0;) {
      flat.add(coords[group.from[k]], stride);
      stride *= to[group.from[k]];
    }
    Shape sizes;
    for (int d : group.to) sizes.push_back(from[d]);
    const auto parts = digits(flat, sizes, atoms, split);
    if (!parts) return std::nullopt;
    for (size_t k = 0; k < group.to.size(); ++k) result[group.to[k]] = (*parts)[k];
  }
  return result;
}

bool covers(const Shape& shape, const Coords& coords, const std::vector<Atom>& atoms) {
  AtomMask seen = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (coords[d].offset != 0) return false;
    std::vector<std::pair<int64_t, int64_t>> parts;   // coefficient, size
    for (size_t a = 0; a < atoms.size(); ++a) {
      if (coords[d].coef[a] == 0 || atoms[a].size == 1) continue;
      if (contains(seen, static_cast<int>(a))) return false;
      seen |= bit(static_cast<int>(a));
      parts.emplace_back(coords[d].coef[a], atoms[a].size);
    }
    std::sort(parts.begin(), parts.end());
    int64_t reach = 1;
    for (const auto& [coef, size] : parts) {
      if (coef != reach) return false;
      reach *= size;
    }
    if (reach != shape[d]) return false;
  }
  return true;
}

Affine dot(const Coords& coords, const Shape& strides, int64_t offset) {
  Affine at = Affine::constant(offset);
  for (size_t d = 0; d < coords.size(); ++d) at.add(coords[d], strides[d]);
  return at;
}

}  // namespace lanewise::compiler::stage
