// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reduction of a row in one fixed order, the same on every CPU and for every tiling of the work.
//
//   1. The row is cut into blocks of 128 elements.
//   2. In a block, lane j of 16 combines elements j, j+16, j+32, ... in this order, starting from the identity.
//   3. The 16 lanes combine as a tree: lane j with lane j+8, then j+4, j+2, j+1.
//   4. Blocks combine as a binary counter: two neighbours of 2^k blocks each become one of 2^(k+1); what is left at the
//      end combines from the last, smallest group to the first.
//
// The identity of a float sum is -0, so that a sum of negative zeros keeps its sign. The error of a sum grows with
// log2(n), not with n. Logical operations reduce the truth of the elements.
#pragma once

#include <array>
#include <cstdint>

#include "base/status.h"
#include "isa/instruction.h"

namespace lanewise::sim::core {

inline constexpr int64_t kReduceBlock = 128;
inline constexpr int64_t kReduceLanes = 16;

// T is float or int64_t. Legal ops: add, multiply, maximum, minimum, logical and (integers only) bitwise ones.
template <typename T>
class Reducer {
 public:
  explicit Reducer(isa::AluOp op);
  static bool legal(isa::AluOp op);

  // All calls but the last before `finish` must pass a multiple of kReduceBlock elements.
  void add(const T* values, int64_t n);
  // The result; the reducer is empty again. No elements give the identity.
  T finish();

 private:
  using Block = T (*)(const T*, int64_t);
  void push(T block);

  isa::AluOp op_;
  Block block_;
  std::array<T, 64> partial_{};   // partial_[k]: 2^k blocks, valid where bit k of count_ is set
  uint64_t count_ = 0;
};

extern template class Reducer<float>;
extern template class Reducer<int64_t>;

}  // namespace lanewise::sim::core
