// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/extent.h"

#include <algorithm>

namespace lanewise::sim::core {
namespace {

Extent normal(int64_t begin, int64_t element, int rank, const auto& dims) {
  Extent e;
  e.run = element;
  for (int i = 0; i < rank; ++i) {
    int64_t stride = dims[i].stride * element;
    const int64_t count = dims[i].count;
    if (count == 1 || stride == 0) continue;
    if (stride < 0) begin += stride * (count - 1), stride = -stride;
    e.dims[e.rank++] = {count, stride};
  }
  std::sort(e.dims.begin(), e.dims.begin() + e.rank, [](auto a, auto b) { return a.stride < b.stride; });
  int kept = 0;
  for (int i = 0; i < e.rank; ++i) {
    if (kept == 0 && e.dims[i].stride <= e.run) {   // continues (or overlaps) the run
      e.run += e.dims[i].stride * (e.dims[i].count - 1);
    } else if (kept > 0 && e.dims[i].stride == e.dims[kept - 1].stride * e.dims[kept - 1].count) {
      e.dims[kept - 1].count *= e.dims[i].count;
    } else {
      e.dims[kept++] = e.dims[i];
    }
  }
  e.rank = kept;
  e.begin = begin;
  e.end = begin + e.run;
  for (int i = 0; i < e.rank; ++i) e.end += e.dims[i].stride * (e.dims[i].count - 1);
  return e;
}

}  // namespace

bool Extent::operator==(const Extent& o) const {
  if (begin != o.begin || end != o.end || run != o.run || rank != o.rank) return false;
  for (int i = 0; i < rank; ++i)
    if (dims[i].count != o.dims[i].count || dims[i].stride != o.dims[i].stride) return false;
  return true;
}

std::vector<ByteRange> Extent::ranges() const {
  std::vector<ByteRange> r;
  r.reserve(static_cast<size_t>(pieces()));
  std::array<int64_t, kMaxRank> index{};
  int64_t at = begin;
  for (bool more = true; more;) {
    r.push_back({at, at + run});
    more = false;
    for (int d = 0; d < rank; ++d) {
      at += dims[d].stride;
      if (++index[d] < dims[d].count) {
        more = true;
        break;
      }
      at -= dims[d].stride * dims[d].count;
      index[d] = 0;
    }
  }
  // Dimensions that reach into each other give pieces out of order.
  const auto before = [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; };
  if (!std::is_sorted(r.begin(), r.end(), before)) std::sort(r.begin(), r.end(), before);
  size_t kept = 0;
  for (size_t i = 1; i < r.size(); ++i) {
    if (r[i].begin <= r[kept].end) r[kept].end = std::max(r[kept].end, r[i].end);
    else r[++kept] = r[i];
  }
  r.resize(kept + 1);
  return r;
}

bool Extent::meets(const Extent& other) const {
  if (begin >= other.end || other.begin >= end) return false;
  if (rank == 0 && other.rank == 0) return true;
  const std::vector<ByteRange> a = ranges(), b = other.ranges();
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].end <= b[j].begin) ++i;
    else if (b[j].end <= a[i].begin) ++j;
    else return true;
  }
  return false;
}

Extent extent_of(const isa::Tile& t, const Registers& registers) {
  const int64_t moved = t.loop_register >= 0 ? registers[t.loop_register] * int64_t{t.register_stride} : 0;
  return normal(t.offset + moved, isa::dtype_bytes(t.dtype), t.rank, t.dims);
}

Extent extent_of(const isa::Hbm& h, const Registers& registers) {
  const int64_t moved = h.loop_register >= 0 ? registers[h.loop_register] * h.register_stride : 0;
  return normal(h.offset + moved, isa::dtype_bytes(h.dtype), h.rank, h.dims);
}

}  // namespace lanewise::sim::core
