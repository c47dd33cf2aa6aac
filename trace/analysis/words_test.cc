// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/words.h"

#include <gtest/gtest.h>

namespace lanewise::trace::analysis {
namespace {

TEST(Words, UnitsAndPlurals) {
  EXPECT_EQ(bytes_words(1), "1 byte");
  EXPECT_EQ(bytes_words(0), "0 bytes");
  EXPECT_EQ(bytes_words(1023), "1023 bytes");
  EXPECT_EQ(bytes_words(327'680), "320.0 KiB");
  EXPECT_EQ(bytes_words(146'418'600), "139.6 MiB");
  EXPECT_EQ(span_words(8'225'000), "8.2 ms");
  EXPECT_EQ(span_words(999'900), "999.9 us");
  EXPECT_EQ(span_words(2'000'000'000), "2.0 s");
  EXPECT_EQ(count_words(1, "copy", "copies"), "1 copy");
  EXPECT_EQ(count_words(0, "copy", "copies"), "0 copies");
  EXPECT_EQ(times_words(1), "once");
  EXPECT_EQ(times_words(2), "2 times");
}

}  // namespace
}  // namespace lanewise::trace::analysis
