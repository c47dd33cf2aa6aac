// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/lanewise_pair/pair.h"

#include <gtest/gtest.h>

#include "trace/import/lanewise_pair/import_invariants.h"
#include "trace/import/lanewise_pair/pair_fixture.h"

namespace lanewise::trace::lanewise_pair {
namespace {

TEST(LanewisePair, TheSmallPair) {
  const SmallPair small = small_pair();
  const auto p = read_pair(small.neff, small.ntff);
  ASSERT_TRUE(p.ok()) << p.status().to_string();
  EXPECT_EQ(p->instructions.size(), 3u);
  EXPECT_EQ(p->dmas.size(), 2u);
  EXPECT_EQ(p->semaphores.size(), 2u);   // of the load and of the addition
  EXPECT_TRUE(p->ledger.sentences.empty());
  EXPECT_EQ(broken_invariant(small.neff, small.ntff), "");
  EXPECT_EQ(with_checksums(small.ntff), small.ntff);
}

// Damage that no checksum tells: each byte of the .ntff changed, and the file cut before it.
TEST(LanewisePair, AnyByteOfTheCaptureMayBeWrong) {
  const SmallPair small = small_pair();
  int read = 0, refused = 0;
  for (size_t at = 0; at < small.ntff.size(); ++at) {
    for (const int flip : {0x01, 0x10, 0x80, 0xff}) {
      std::string bytes = small.ntff;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      bytes = with_checksums(std::move(bytes));
      ASSERT_EQ(broken_invariant(small.neff, bytes), "") << "byte " << at << " flipped by " << flip;
      ++(read_pair(small.neff, bytes).ok() ? read : refused);
    }
    ASSERT_EQ(broken_invariant(small.neff, with_checksums(small.ntff.substr(0, at))), "") << "cut at byte " << at;
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace lanewise::trace::lanewise_pair
