// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of evenly spaced elements to and from arrays of f32 or i64; the rules of element.h, vectorised.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/dtype.h"
#include "sim/core/view.h"

namespace lanewise::sim::core {

// `stride` is in bytes and may be 0 (the element is repeated) or negative.
void load_row(isa::DType dtype, const std::byte* from, int64_t stride, float* to, int64_t n);
void load_row(isa::DType dtype, const std::byte* from, int64_t stride, int64_t* to, int64_t n);
void store_row(isa::DType dtype, const float* from, std::byte* to, int64_t stride, int64_t n);
void store_row(isa::DType dtype, const int64_t* from, std::byte* to, int64_t stride, int64_t n);

// The next n elements of a cursor.
template <typename T>
inline void load(RunCursor& cursor, T* to, int64_t n) {
  while (n > 0) {
    const int64_t m = n < cursor.run() ? n : cursor.run();
    load_row(cursor.dtype(), cursor.at(), cursor.stride(), to, m);
    cursor.skip(m);
    to += m;
    n -= m;
  }
}
template <typename T>
inline void store(RunCursor& cursor, const T* from, int64_t n) {
  while (n > 0) {
    const int64_t m = n < cursor.run() ? n : cursor.run();
    store_row(cursor.dtype(), from, cursor.at(), cursor.stride(), m);
    cursor.skip(m);
    from += m;
    n -= m;
  }
}

}  // namespace lanewise::sim::core
