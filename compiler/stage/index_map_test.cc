// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/stage/index_map.h"

#include <gtest/gtest.h>

namespace lanewise::compiler::stage {
namespace {

std::vector<Atom> atoms(std::initializer_list<int64_t> sizes) {
  std::vector<Atom> result;
  for (int64_t s : sizes) result.push_back({s, Atom::Role::kept});
  return result;
}

TEST(IndexMap, ReshapeMergesDimensions) {
  SplitRequest split;
  // [4, 6] seen as [24]: the one index is 6 i + j.
  const auto in = reshape_coords({4, 6}, {Affine::of_atom(0), Affine::of_atom(1)}, {24}, atoms({4, 6}), split);
  ASSERT_TRUE(in.has_value());
  EXPECT_EQ((*in)[0].coef[0], 6);
  EXPECT_EQ((*in)[0].coef[1], 1);
}

TEST(IndexMap, ReshapeAcrossAnAtomAsksForASplit) {
  SplitRequest split;
  // [12] seen as [3, 4]: the index of 12 elements is not two affine indices until it is 4 i + j.
  EXPECT_FALSE(reshape_coords({12}, {Affine::of_atom(0)}, {3, 4}, atoms({12}), split).has_value());
  EXPECT_EQ(split.atom, 0);
  EXPECT_EQ(split.inner, 4);
  Affine both = Affine::of_atom(0, 4);
  both.coef[1] = 1;
  const auto in = reshape_coords({12}, {both}, {3, 4}, atoms({3, 4}), split);
  ASSERT_TRUE(in.has_value());
  EXPECT_EQ((*in)[0], Affine::of_atom(0));
  EXPECT_EQ((*in)[1], Affine::of_atom(1));
}

TEST(IndexMap, SizesThatDoNotDivideHaveNoDigits) {
  SplitRequest split;
  // [10] as part of [2, 7]: blocks of 7 cut an atom of 10 unevenly.
  EXPECT_FALSE(digits(Affine::of_atom(0), {2, 7}, atoms({10}), split).has_value());
  EXPECT_EQ(split.atom, -1);
}

TEST(IndexMap, ReversedIndicesHaveDigits) {
  SplitRequest split;
  // 11 - (4 i + j) over [3, 4]: both digits run backwards.
  Affine flat = Affine::of_atom(0, -4);
  flat.coef[1] = -1;
  flat.offset = 11;
  const auto d = digits(flat, {3, 4}, atoms({3, 4}), split);
  ASSERT_TRUE(d.has_value());
  EXPECT_EQ((*d)[0].offset, 2);
  EXPECT_EQ((*d)[0].coef[0], -1);
  EXPECT_EQ((*d)[1].offset, 3);
  EXPECT_EQ((*d)[1].coef[1], -1);
}

TEST(IndexMap, CoversMeansEveryElementOnce) {
  Affine merged = Affine::of_atom(0, 5);
  merged.coef[1] = 1;
  EXPECT_TRUE(covers({15}, {merged}, atoms({3, 5})));
  EXPECT_TRUE(covers({5, 3}, {Affine::of_atom(1), Affine::of_atom(0)}, atoms({3, 5})));
  EXPECT_FALSE(covers({3, 3}, {Affine::of_atom(0), Affine::of_atom(0)}, atoms({3})));   // the diagonal
  EXPECT_FALSE(covers({6}, {Affine::of_atom(0, 2)}, atoms({3})));                       // every second one
  EXPECT_FALSE(covers({4}, {Affine::of_atom(0)}, atoms({3})));                          // not the last one
}

}  // namespace
}  // namespace lanewise::compiler::stage
