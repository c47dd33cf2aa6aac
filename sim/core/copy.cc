// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/copy.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/status.h"
#include "sim/core/convert_rows.h"
#include "sim/core/element.h"

namespace lanewise::sim::core {
namespace {

template <typename T>
void copy_line(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t n) {
  constexpr int64_t kSize = sizeof(T);
  if (to_stride == kSize && from_stride == kSize) {
    std::memmove(to, from, static_cast<size_t>(n) * kSize);
  } else if (to_stride == kSize) {
    for (int64_t i = 0; i < n; ++i) store_raw(to + i * kSize, load_raw<T>(from + i * from_stride));
  } else {
    for (int64_t i = 0; i < n; ++i) store_raw(to + i * to_stride, load_raw<T>(from + i * from_stride));
  }
}

// Two dimensions, each adjacent on one side only: a transposition. Squares keep both sides in the cache.
template <typename T>
void copy_square(std::byte* to, const std::byte* from, const SharedDim& in, const SharedDim& out) {
  constexpr int64_t kSide = 16;
  for (int64_t o = 0; o < out.count; o += kSide)
    for (int64_t i = 0; i < in.count; i += kSide) {
      const int64_t rows = std::min(kSide, out.count - o);
      for (int64_t r = 0; r < rows; ++r)
        copy_line<T>(to + (o + r) * out.to_stride + i * in.to_stride, in.to_stride,
                     from + (o + r) * out.from_stride + i * in.from_stride, in.from_stride,
                     std::min(kSide, in.count - i));
    }
}

// dims[0] and, for a transposition, dims[1] are done by the kernel, the rest by counting.
template <typename T>
void copy_nest(std::byte* to, const std::byte* from, const std::vector<SharedDim>& dims, bool square) {
  const size_t inner = square ? 2 : 1;
  int64_t outer = 1;
  for (size_t d = inner; d < dims.size(); ++d) outer *= dims[d].count;
  std::array<int64_t, 2 * kMaxRank> index{};
  for (int64_t n = 0;;) {
    if (square) copy_square<T>(to, from, dims[0], dims[1]);
    else copy_line<T>(to, dims[0].to_stride, from, dims[0].from_stride, dims[0].count);
    if (++n == outer) return;
    for (size_t d = inner; d < dims.size(); ++d) {
      to += dims[d].to_stride;
      from += dims[d].from_stride;
      if (++index[d] < dims[d].count) break;
      to -= dims[d].to_stride * dims[d].count;
      from -= dims[d].from_stride * dims[d].count;
      index[d] = 0;
    }
  }
}

template <typename T>
void copy_walk(const View& to, const View& from) {
  RunCursor a(to), b(from);
  for (int64_t left = to.elements(); left > 0;) {
    const int64_t n = std::min({left, a.run(), b.run()});
    copy_line<T>(a.at(), a.stride(), b.at(), b.stride(), n);
    a.skip(n);
    b.skip(n);
    left -= n;
  }
}

template <typename T>
void copy_typed(const View& to, const View& from) {
  constexpr int64_t kSize = sizeof(T);
  std::vector<SharedDim> dims;
  if (!share_dims(to, from, &dims)) return copy_walk<T>(to, from);
  auto adjacent_to = std::find_if(dims.begin(), dims.end(), [](const SharedDim& d) { return d.to_stride == kSize; });
  auto adjacent_from =
      std::find_if(dims.begin(), dims.end(), [](const SharedDim& d) { return d.from_stride == kSize; });
  const bool square = adjacent_to != dims.end() && adjacent_from != dims.end() && adjacent_to != adjacent_from;
  if (square) {
    const SharedDim a = *adjacent_to, b = *adjacent_from;
    dims.erase(std::max(adjacent_to, adjacent_from));
    dims.erase(std::min(adjacent_to, adjacent_from));
    dims.insert(dims.begin(), {a, b});
  } else if (adjacent_to != dims.end()) {
    std::rotate(dims.begin(), adjacent_to, adjacent_to + 1);
  }
  copy_nest<T>(to.base, from.base, dims, square);
}

template <typename T>
void copy_through(const View& to, const View& from) {
  constexpr int64_t kChunk = 1024;
  alignas(64) T buffer[kChunk];
  RunCursor a(to), b(from);
  for (int64_t left = to.elements(); left > 0;) {
    const int64_t n = std::min(left, kChunk);
    load(b, buffer, n);
    store(a, buffer, n);
    left -= n;
  }
}

}  // namespace

bool share_dims(const View& to_view, const View& from_view, std::vector<SharedDim>* dims) {
  const View to = merged(to_view), from = merged(from_view);
  dims->clear();
  int i = to.rank - 1, j = from.rank - 1;
  int64_t a = to.count[i], b = from.count[j], sa = to.stride[i], sb = from.stride[j];
  for (;;) {
    const int64_t c = std::gcd(a, b);
    if (c == 1 && (a != 1 || b != 1)) return false;
    if (!dims->empty() && dims->back().to_stride * dims->back().count == sa &&
        dims->back().from_stride * dims->back().count == sb)
      dims->back().count *= c;
    else
      dims->push_back({c, sa, sb});
    a /= c, b /= c, sa *= c, sb *= c;
    if (a == 1 && i > 0) --i, a = to.count[i], sa = to.stride[i];
    if (b == 1 && j > 0) --j, b = from.count[j], sb = from.stride[j];
    if (a == 1 && b == 1) return true;
    if (a == 1 || b == 1) return false;
  }
}

void copy_bits(const View& to, const View& from) {
  switch (isa::dtype_bytes(to.dtype)) {
    case 1: return copy_typed<uint8_t>(to, from);
    case 2: return copy_typed<uint16_t>(to, from);
    case 4: return copy_typed<uint32_t>(to, from);
    default: return copy_typed<uint64_t>(to, from);
  }
}

void copy_cast(const View& to, const View& from) {
  if (to.dtype == from.dtype) return copy_bits(to, from);
  if (isa::is_integer(from.dtype)) return copy_through<int64_t>(to, from);
  return copy_through<float>(to, from);
}

}  // namespace lanewise::sim::core
