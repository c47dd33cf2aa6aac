// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Operands as streams of short rows of T (f32 or i64), the form in which every elementwise kernel works.
//
// A row is at most kRow elements, so that the buffers of an instruction stay in the first-level cache. Where memory
// already holds adjacent values of T a row is a pointer into it and nothing is copied.
#pragma once

#include <algorithm>
#include <type_traits>

#include "sim/core/convert_rows.h"
#include "sim/core/memory.h"
#include "sim/core/view.h"

namespace lanewise::sim::core {

inline constexpr int64_t kRow = 2048;

// Cuts an operand of `partitions` times `elements` into rows: long partitions alone, short ones several at a time.
class RowPlan {
 public:
  RowPlan(int64_t partitions, int64_t elements)
      : left_(partitions * elements),
        length_(elements >= 128 ? elements : std::max<int64_t>(1, 1024 / elements) * elements) {
    in_group_ = length_;
  }
  // Length of the next row, 0 at the end.
  int64_t next() {
    if (in_group_ == 0) in_group_ = length_;
    const int64_t n = std::min({left_, in_group_, kRow});
    left_ -= n;
    in_group_ -= n;
    return n;
  }

 private:
  int64_t left_, length_, in_group_;
};

template <typename T>
inline constexpr isa::DType kNative = std::is_same_v<T, float> ? isa::DType::f32 : isa::DType::i64;

template <typename T>
class Source {
 public:
  explicit Source(const View& view) : cursor_(view) {}
  explicit Source(T constant) : cursor_(View{}), constant_(true) { std::fill_n(buffer_, kRow, constant); }
  // A scalar operand over `elements` of each partition.
  Source(const ScalarInput& scalar, int64_t elements) : cursor_(broadcast(scalar, elements)) {
    if (scalar.per_partition) return;
    constant_ = true;
    std::fill_n(buffer_, kRow, std::is_same_v<T, float> ? static_cast<T>(scalar.f) : static_cast<T>(scalar.i));
  }

  // The next n <= kRow values, valid until the next call.
  const T* read(int64_t n) {
    if (constant_) return buffer_;
    if (cursor_.dtype() == kNative<T> && cursor_.run() >= n && cursor_.stride() == sizeof(T) &&
        reinterpret_cast<uintptr_t>(cursor_.at()) % sizeof(T) == 0) {
      const T* p = reinterpret_cast<const T*>(cursor_.at());
      cursor_.skip(n);
      return p;
    }
    load(cursor_, buffer_, n);
    return buffer_;
  }

 private:
  static View broadcast(const ScalarInput& scalar, int64_t elements) {
    View v = scalar.tile;
    if (!scalar.per_partition) return View{};
    v.push(elements, 0);
    return v;
  }
  RunCursor cursor_;
  bool constant_ = false;
  alignas(64) T buffer_[kRow];
};

template <typename T>
class Sink {
 public:
  explicit Sink(const View& view) : cursor_(view) {}

  // Where to put the next n <= kRow values; `commit` them before the next call.
  T* reserve(int64_t n) {
    direct_ = cursor_.dtype() == kNative<T> && cursor_.run() >= n && cursor_.stride() == sizeof(T) &&
              reinterpret_cast<uintptr_t>(cursor_.at()) % sizeof(T) == 0;
    return direct_ ? reinterpret_cast<T*>(cursor_.at()) : buffer_;
  }
  void commit(int64_t n) {
    if (direct_) cursor_.skip(n);
    else store(cursor_, buffer_, n);
  }

 private:
  RunCursor cursor_;
  bool direct_ = false;
  alignas(64) T buffer_[kRow];
};

}  // namespace lanewise::sim::core
