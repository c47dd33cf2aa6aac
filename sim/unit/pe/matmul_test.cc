// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/pe/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace lanewise::sim::pe {
namespace {

TEST(Matmul, EveryVariantGivesTheSameBits) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-3, 3);
  int tried = 0;
  for (int k : {1, 2, 63, 128})
    for (int m : {1, 5, 6, 7, 11, 12, 13, 24, 128})
      for (int n : {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 100, 512}) {
        std::vector<float> a(static_cast<size_t>(k * (m + 3))), b(static_cast<size_t>(k * (n + 5)));
        for (float& f : a) f = value(random);
        for (float& f : b) f = value(random);
        std::vector<float> want(static_cast<size_t>(m * n));
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < k; ++l)
              sum = std::fmaf(a[static_cast<size_t>(l * (m + 3) + i)], b[static_cast<size_t>(l * (n + 5) + j)], sum);
            want[static_cast<size_t>(i * n + j)] = sum;
          }
        for (const MatmulVariant& v : matmul_variants()) {
          if (!v.supported) continue;
          std::vector<float> out(want.size() + 1, 77.0f);
          v.kernel(a.data(), m + 3, b.data(), n + 5, out.data(), k, m, n);
          EXPECT_EQ(out.back(), 77.0f) << v.name;   // nothing beside the result
          out.pop_back();
          ASSERT_EQ(out, want) << v.name << " " << k << " " << m << " " << n;
          ++tried;
        }
      }
  EXPECT_GE(tried, 4 * 9 * 13);   // the portable one always
}

TEST(Matmul, RoundsOncePerStep) {
  // 1 + 2^-12 squared needs more than 24 bits: a product rounded before the sum would lose the last term.
  const float x = 1 + 0x1p-12f;
  const float a[2] = {1.0f, x}, b[2] = {-1.0f - 0x1p-11f, x};
  for (const MatmulVariant& v : matmul_variants()) {
    if (!v.supported) continue;
    float out;
    v.kernel(a, 1, b, 1, &out, 2, 1, 1);
    EXPECT_EQ(out, 0x1p-24f) << v.name;
  }
}

}  // namespace
}  // namespace lanewise::sim::pe
