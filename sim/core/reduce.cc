// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/reduce.h"

#include <bit>
#include <limits>
#include <type_traits>

#include "sim/core/alu.h"
#include "sim/core/clones.h"

namespace lanewise::sim::core {
namespace {

using isa::AluOp;
using U = uint64_t;
constexpr float kInf = std::numeric_limits<float>::infinity();

inline float as_is(float v) { return v; }
inline int64_t as_is(int64_t v) { return v; }
inline float truth(float v) { return v != 0 ? 1.0f : 0.0f; }
inline int64_t truth(int64_t v) { return v != 0; }

// A block of up to 128 elements, and the same op on two values.
#define LW_REDUCE(name, T, identity, map, expression)                                  \
  inline T combine_##name(T x, T y) { return expression; }                             \
  LW_CLONES T block_##name(const T* v, int64_t n) {                                    \
    T lane[kReduceLanes];                                                              \
    for (int64_t j = 0; j < kReduceLanes; ++j) lane[j] = identity;                     \
    int64_t i = 0;                                                                     \
    for (; i + kReduceLanes <= n; i += kReduceLanes)                                   \
      for (int64_t j = 0; j < kReduceLanes; ++j) {                                     \
        const T x = lane[j], y = map(v[i + j]);                                        \
        lane[j] = expression;                                                          \
      }                                                                                \
    for (int64_t j = 0; i + j < n; ++j) lane[j] = combine_##name(lane[j], map(v[i + j])); \
    for (int64_t half = kReduceLanes / 2; half > 0; half /= 2)                         \
      for (int64_t j = 0; j < half; ++j) lane[j] = combine_##name(lane[j], lane[j + half]); \
    return lane[0];                                                                    \
  }
LW_REDUCE(add_f, float, -0.0f, as_is, x + y)
LW_REDUCE(multiply_f, float, 1.0f, as_is, x * y)
LW_REDUCE(maximum_f, float, -kInf, as_is, scalar_op::maximum(x, y))
LW_REDUCE(minimum_f, float, kInf, as_is, scalar_op::minimum(x, y))
LW_REDUCE(logical_and_f, float, 1.0f, truth, (x != 0) & (y != 0) ? 1.0f : 0.0f)
LW_REDUCE(logical_or_f, float, 0.0f, truth, (x != 0) | (y != 0) ? 1.0f : 0.0f)
LW_REDUCE(logical_xor_f, float, 0.0f, truth, (x != 0) != (y != 0) ? 1.0f : 0.0f)
LW_REDUCE(add_i, int64_t, 0, as_is, static_cast<int64_t>(static_cast<U>(x) + static_cast<U>(y)))
LW_REDUCE(multiply_i, int64_t, 1, as_is, static_cast<int64_t>(static_cast<U>(x) * static_cast<U>(y)))
LW_REDUCE(maximum_i, int64_t, std::numeric_limits<int64_t>::min(), as_is, x > y ? x : y)
LW_REDUCE(minimum_i, int64_t, std::numeric_limits<int64_t>::max(), as_is, x < y ? x : y)
LW_REDUCE(logical_and_i, int64_t, 1, truth, (x != 0) & (y != 0))
LW_REDUCE(logical_or_i, int64_t, 0, truth, (x != 0) | (y != 0))
LW_REDUCE(logical_xor_i, int64_t, 0, truth, (x != 0) != (y != 0))
LW_REDUCE(bitwise_and_i, int64_t, -1, as_is, x & y)
LW_REDUCE(bitwise_or_i, int64_t, 0, as_is, x | y)
LW_REDUCE(bitwise_xor_i, int64_t, 0, as_is, x ^ y)

template <typename T>
T (*block_of(AluOp op))(const T*, int64_t) {
  if constexpr (std::is_same_v<T, float>) {
    switch (op) {
      case AluOp::add: return block_add_f;
      case AluOp::multiply: return block_multiply_f;
      case AluOp::maximum: return block_maximum_f;
      case AluOp::minimum: return block_minimum_f;
      case AluOp::logical_and: return block_logical_and_f;
      case AluOp::logical_or: return block_logical_or_f;
      case AluOp::logical_xor: return block_logical_xor_f;
      default: return nullptr;
    }
  } else {
    switch (op) {
      case AluOp::add: return block_add_i;
      case AluOp::multiply: return block_multiply_i;
      case AluOp::maximum: return block_maximum_i;
      case AluOp::minimum: return block_minimum_i;
      case AluOp::logical_and: return block_logical_and_i;
      case AluOp::logical_or: return block_logical_or_i;
      case AluOp::logical_xor: return block_logical_xor_i;
      case AluOp::bitwise_and: return block_bitwise_and_i;
      case AluOp::bitwise_or: return block_bitwise_or_i;
      case AluOp::bitwise_xor: return block_bitwise_xor_i;
      default: return nullptr;
    }
  }
}

float combine(AluOp op, float x, float y) {
  switch (op) {
    case AluOp::multiply: return x * y;
    case AluOp::maximum: return scalar_op::maximum(x, y);
    case AluOp::minimum: return scalar_op::minimum(x, y);
    case AluOp::logical_and: return combine_logical_and_f(x, y);
    case AluOp::logical_or: return combine_logical_or_f(x, y);
    case AluOp::logical_xor: return combine_logical_xor_f(x, y);
    default: return x + y;
  }
}
int64_t combine(AluOp op, int64_t x, int64_t y) {
  int64_t out;
  integer_row(op)(&x, &y, &out, 1);
  return out;
}

}  // namespace

template <typename T>
Reducer<T>::Reducer(AluOp op) : op_(op), block_(block_of<T>(op)) {
  LW_CHECK(block_ != nullptr, "this operation does not reduce");
}

template <typename T>
bool Reducer<T>::legal(AluOp op) {
  return block_of<T>(op) != nullptr;
}

template <typename T>
void Reducer<T>::push(T block) {
  int k = 0;
  for (; count_ >> k & 1; ++k) block = combine(op_, partial_[k], block);
  partial_[k] = block;
  ++count_;
}

template <typename T>
void Reducer<T>::add(const T* values, int64_t n) {
  for (int64_t i = 0; i < n; i += kReduceBlock) push(block_(values + i, n - i < kReduceBlock ? n - i : kReduceBlock));
}

template <typename T>
T Reducer<T>::finish() {
  if (count_ == 0) return block_(nullptr, 0);
  int k = std::countr_zero(count_);
  T result = partial_[k];
  for (++k; k < 64; ++k)
    if (count_ >> k & 1) result = combine(op_, partial_[k], result);
  count_ = 0;
  return result;
}

template class Reducer<float>;
template class Reducer<int64_t>;

}  // namespace lanewise::sim::core
