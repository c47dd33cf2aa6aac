// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/core/convert_rows.h"

#include <array>

#include "sim/core/clones.h"
#include "sim/core/element.h"

namespace lanewise::sim::core {
namespace {

// One function per dtype and direction: the stride is a constant where elements are adjacent, which is what lets the
// compiler vectorise; a stride of 0 converts once.
#define LW_ROWS(D, kind, T)                                                                                     \
  LW_CLONES void load_##kind##_##D(const std::byte* from, int64_t stride, T* __restrict to, int64_t n) {        \
    constexpr int64_t kSize = isa::dtype_bytes(DType::D);                                                       \
    if (stride == kSize) {                                                                                      \
      for (int64_t i = 0; i < n; ++i) to[i] = load_##kind<DType::D>(from + i * kSize);                          \
    } else if (stride == 0) {                                                                                   \
      const T v = load_##kind<DType::D>(from);                                                                  \
      for (int64_t i = 0; i < n; ++i) to[i] = v;                                                                \
    } else {                                                                                                    \
      for (int64_t i = 0; i < n; ++i) to[i] = load_##kind<DType::D>(from + i * stride);                         \
    }                                                                                                           \
  }                                                                                                             \
  LW_CLONES void store_##kind##_##D(const T* __restrict from, std::byte* to, int64_t stride, int64_t n) {       \
    constexpr int64_t kSize = isa::dtype_bytes(DType::D);                                                       \
    if (stride == kSize) {                                                                                      \
      for (int64_t i = 0; i < n; ++i) store_##kind<DType::D>(to + i * kSize, from[i]);                          \
    } else {                                                                                                    \
      for (int64_t i = 0; i < n; ++i) store_##kind<DType::D>(to + i * stride, from[i]);                         \
    }                                                                                                           \
  }
#define LW_ROWS_OF(D) \
  LW_ROWS(D, float, float) LW_ROWS(D, integer, int64_t)
LW_ROWS_OF(f32)
LW_ROWS_OF(bf16)
LW_ROWS_OF(f16)
LW_ROWS_OF(f8e4m3)
LW_ROWS_OF(f8e5m2)
LW_ROWS_OF(i64)
LW_ROWS_OF(i32)
LW_ROWS_OF(i16)
LW_ROWS_OF(i8)
LW_ROWS_OF(u8)
LW_ROWS_OF(b8)

#define LW_TABLE(direction, kind)                                                                                    \
  {direction##_##kind##_f32, direction##_##kind##_bf16, direction##_##kind##_f16, direction##_##kind##_f8e4m3,       \
   direction##_##kind##_f8e5m2, direction##_##kind##_i64, direction##_##kind##_i32, direction##_##kind##_i16,        \
   direction##_##kind##_i8, direction##_##kind##_u8, direction##_##kind##_b8}

template <typename T> using Load = void (*)(const std::byte*, int64_t, T*, int64_t);
template <typename T> using Store = void (*)(const T*, std::byte*, int64_t, int64_t);
constexpr std::array<Load<float>, isa::kDTypeCount> kLoadFloat = {LW_TABLE(load, float)};
constexpr std::array<Load<int64_t>, isa::kDTypeCount> kLoadInteger = {LW_TABLE(load, integer)};
constexpr std::array<Store<float>, isa::kDTypeCount> kStoreFloat = {LW_TABLE(store, float)};
constexpr std::array<Store<int64_t>, isa::kDTypeCount> kStoreInteger = {LW_TABLE(store, integer)};

}  // namespace

void load_row(isa::DType dtype, const std::byte* from, int64_t stride, float* to, int64_t n) {
  kLoadFloat[static_cast<int>(dtype)](from, stride, to, n);
}
void load_row(isa::DType dtype, const std::byte* from, int64_t stride, int64_t* to, int64_t n) {
  kLoadInteger[static_cast<int>(dtype)](from, stride, to, n);
}
void store_row(isa::DType dtype, const float* from, std::byte* to, int64_t stride, int64_t n) {
  kStoreFloat[static_cast<int>(dtype)](from, to, stride, n);
}
void store_row(isa::DType dtype, const int64_t* from, std::byte* to, int64_t stride, int64_t n) {
  kStoreInteger[static_cast<int>(dtype)](from, to, stride, n);
}

}  // namespace lanewise::sim::core
