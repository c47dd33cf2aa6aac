// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace lanewise {
namespace {

Result<int> half(int x) {
  if (x % 2 != 0) return invalid_argument("odd");
  return x / 2;
}

Result<int> quarter(int x) {
  LW_ASSIGN_OR_RETURN(int h, half(x));
  return half(h);
}

TEST(StatusTest, ResultCarriesValueOrFailure) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(quarter(6).status().with_context("six").to_string(), "invalid_argument: six: odd");
  EXPECT_TRUE(ok_status().ok());
}

TEST(StatusTest, ResultCopiesAndMoves) {
  Result<std::string> a = std::string("text");
  Result<std::string> b = a;
  a = not_found("gone");
  EXPECT_EQ(*b, "text");
  EXPECT_FALSE(a.ok());
  b = std::move(a);
  EXPECT_EQ(b.status().message(), "gone");
}

TEST(UnitsTest, CyclesBecomePicosRoundedUpOnce) {
  EXPECT_EQ(Clock{2'400'000}.to_picos(Cycles(1)).value, 417);
  EXPECT_EQ(Clock{960'000}.to_picos(Cycles(1152)).value, 1'200'000);
  EXPECT_EQ(round_up_to_nanos(Picos(1001)).value, 2);
}

}  // namespace
}  // namespace lanewise
