// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A block of `rows` x two registers of columns stays in registers while k runs: per k two loads of b, one broadcast of
// a for each row, and one fused multiply-add for each accumulator. Blocks are as large as the register file allows.
#include "sim/unit/pe/matmul.h"

#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#define LW_X86 1
#else
#define LW_X86 0
#endif

namespace lanewise::sim::pe {
namespace {

struct Block {
  const float* a;
  int64_t a_pitch;
  const float* b;
  int64_t b_pitch;
  float* out;
  int64_t out_pitch;
  int64_t k;
};

void portable(const float* a, int64_t a_pitch, const float* b, int64_t b_pitch, float* out, int64_t k, int64_t m,
              int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    float* row = out + i * n;
    for (int64_t j = 0; j < n; ++j) row[j] = 0;
    for (int64_t l = 0; l < k; ++l) {
      const float x = a[l * a_pitch + i];
      const float* y = b + l * b_pitch;
      for (int64_t j = 0; j < n; ++j) row[j] = std::fma(x, y[j], row[j]);
    }
  }
}

#if LW_X86

// The same walk for both register widths: full blocks, then fewer rows, then a masked last piece of columns.
#define LW_MATMUL(name, features, Register, kWidth, kRows, zero, load, store, broadcast, fma, Mask, mask_of, load_some, \
                  store_some)                                                                                     \
  template <int R>                                                                                                \
  __attribute__((target(features))) inline void name##_full(const Block& t) {                                     \
    Register c[R][2];                                                                                             \
    for (int r = 0; r < R; ++r) c[r][0] = zero(), c[r][1] = zero();                                               \
    const float* a = t.a;                                                                                         \
    const float* b = t.b;                                                                                         \
    for (int64_t k = 0; k < t.k; ++k, a += t.a_pitch, b += t.b_pitch) {                                           \
      const Register b0 = load(b), b1 = load(b + kWidth);                                                         \
      for (int r = 0; r < R; ++r) {                                                                               \
        const Register x = broadcast(a[r]);                                                                       \
        c[r][0] = fma(x, b0, c[r][0]);                                                                            \
        c[r][1] = fma(x, b1, c[r][1]);                                                                            \
      }                                                                                                           \
    }                                                                                                             \
    for (int r = 0; r < R; ++r) {                                                                                 \
      store(t.out + r * t.out_pitch, c[r][0]);                                                                    \
      store(t.out + r * t.out_pitch + kWidth, c[r][1]);                                                           \
    }                                                                                                             \
  }                                                                                                               \
  template <int R>                                                                                                \
  __attribute__((target(features))) inline void name##_some(const Block& t, Mask mask) {                          \
    Register c[R];                                                                                                \
    for (int r = 0; r < R; ++r) c[r] = zero();                                                                    \
    const float* a = t.a;                                                                                         \
    const float* b = t.b;                                                                                         \
    for (int64_t k = 0; k < t.k; ++k, a += t.a_pitch, b += t.b_pitch) {                                           \
      const Register b0 = load_some(b, mask);                                                                     \
      for (int r = 0; r < R; ++r) c[r] = fma(broadcast(a[r]), b0, c[r]);                                          \
    }                                                                                                             \
    for (int r = 0; r < R; ++r) store_some(t.out + r * t.out_pitch, mask, c[r]);                                  \
  }                                                                                                               \
  template <int R>                                                                                                \
  __attribute__((target(features))) void name##_rows(const Block& t, int64_t left, int64_t full, int64_t some) {  \
    if (left >= R || R == 1) {                                                                                    \
      if (full) name##_full<R>(t);                                                                                \
      else name##_some<R>(t, mask_of(some));                                                                      \
    } else if constexpr (R > 1) {                                                                                 \
      name##_rows<R - 1>(t, left, full, some);                                                                    \
    }                                                                                                             \
  }                                                                                                               \
  void name(const float* a, int64_t a_pitch, const float* b, int64_t b_pitch, float* out, int64_t k, int64_t m,   \
            int64_t n) {                                                                                          \
    for (int64_t j = 0; j < n;) {                                                                                 \
      const bool full = n - j >= 2 * kWidth;                                                                      \
      const int64_t some = n - j < kWidth ? n - j : kWidth;                                                       \
      for (int64_t i = 0; i < m; i += kRows)                                                                      \
        name##_rows<kRows>(Block{a + i, a_pitch, b + j, b_pitch, out + i * n + j, n, k}, m - i, full, some);      \
      j += full ? 2 * kWidth : some;                                                                              \
    }                                                                                                             \
  }

#define LW_MASK16(n) static_cast<__mmask16>((1u << (n)) - 1)
#define LW_LOAD16(p, mask) _mm512_maskz_loadu_ps(mask, p)
#define LW_STORE16(p, mask, v) _mm512_mask_storeu_ps(p, mask, v)
LW_MATMUL(avx512, "avx512f", __m512, 16, 12, _mm512_setzero_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps,
          _mm512_fmadd_ps, __mmask16, LW_MASK16, LW_LOAD16, LW_STORE16)

alignas(32) constexpr int32_t kLanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
#define LW_MASK8(n) _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kLanes + 8 - (n)))
#define LW_LOAD8(p, mask) _mm256_maskload_ps(p, mask)
#define LW_STORE8(p, mask, v) _mm256_maskstore_ps(p, mask, v)
LW_MATMUL(avx2, "avx2,fma", __m256, 8, 6, _mm256_setzero_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps,
          _mm256_fmadd_ps, __m256i, LW_MASK8, LW_LOAD8, LW_STORE8)

#endif

}  // namespace

const MatmulVariant (&matmul_variants())[kMatmulVariants] {
#if LW_X86
  static const MatmulVariant variants[kMatmulVariants] = {
      {"avx512", avx512, __builtin_cpu_supports("avx512f") != 0},
      {"avx2", avx2, __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0},
      {"portable", portable, true}};
#else
  static const MatmulVariant variants[kMatmulVariants] = {
      {"avx512", portable, false}, {"avx2", portable, false}, {"portable", portable, true}};
#endif
  return variants;
}

MatmulKernel best_matmul() {
  for (const MatmulVariant& v : matmul_variants())
    if (v.supported) return v.kernel;
  return portable;
}

}  // namespace lanewise::sim::pe
