// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of one nc_matmul.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanewise::sim::pe {

// out[m][n] = sum over k of a[k][m] * b[k][n], in f32, by fused multiply-add in the order k = 0, 1, ... from +0.
// Every kernel gives the same bits, because the order of each element's sum is fixed; they differ in how many columns
// they hold in a register. `a` has `a_pitch` floats from row to row, `b` has `b_pitch`; out has n floats a row.
using MatmulKernel = void (*)(const float* a, int64_t a_pitch, const float* b, int64_t b_pitch, float* out, int64_t k,
                              int64_t m, int64_t n);

struct MatmulVariant {
  std::string_view name;   // "avx512", "avx2", "portable"
  MatmulKernel kernel;
  bool supported;          // by this CPU
};
inline constexpr int kMatmulVariants = 3;
// Best first. The last one runs everywhere.
const MatmulVariant (&matmul_variants())[kMatmulVariants];
MatmulKernel best_matmul();

}  // namespace lanewise::sim::pe
