// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace lanewise {
namespace {

TEST(JsonWriter, WritesNestedValuesInOrder) {
  JsonWriter w;
  w.begin_object().member("a", 1).key("b").begin_array().value("x").value(true).null().end_array();
  w.key("c").begin_object().end_object().end_object();
  EXPECT_EQ(w.text(), R"({"a":1,"b":["x",true,null],"c":{}})");
}

TEST(JsonWriter, IndentsOneMemberALine) {
  JsonWriter w(1);
  w.begin_object().member("a", 1).key("b").begin_array().value(2).end_array().end_object();
  EXPECT_EQ(w.text(), "{\n \"a\": 1,\n \"b\": [\n  2\n ]\n}");
}

TEST(JsonWriter, EscapesTextAndKeepsNumbersExact) {
  JsonWriter w;
  w.begin_array().value(std::string_view("q\"\\\n\x01\x7f\xc3\xa9", 8)).value(std::numeric_limits<int64_t>::min());
  w.value(std::numeric_limits<uint64_t>::max()).value(0.1).value(std::numeric_limits<double>::infinity()).end_array();
  EXPECT_EQ(w.text(), "[\"q\\\"\\\\\\n\\u0001\\u007f\xc3\xa9\",-9223372036854775808,18446744073709551615,0.1,null]");
}

TEST(JsonWriter, ABadByteBecomesTheReplacementCharacter) {
  const auto quoted = [](std::string_view text) {
    JsonWriter w;
    w.value(text);
    return w.text();
  };
  const std::string bad = "\xef\xbf\xbd";
  for (const char* good : {"\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) EXPECT_EQ(quoted(good), "\"" + std::string(good) + "\"");
  EXPECT_EQ(quoted("a\xff" "b"), "\"a" + bad + "b\"");
  EXPECT_EQ(quoted("\xc3"), "\"" + bad + "\"");                                     // cut
  EXPECT_EQ(quoted("\xe2\x82z"), "\"" + bad + bad + "z\"");
  EXPECT_EQ(quoted("\xc0\xaf"), "\"" + bad + bad + "\"");                           // overlong
  EXPECT_EQ(quoted("\xed\xa0\x80"), "\"" + bad + bad + bad + "\"");                 // a surrogate
  EXPECT_EQ(quoted("\xf4\x90\x80\x80"), "\"" + bad + bad + bad + bad + "\"");       // beyond U+10FFFF
}

TEST(JsonWriterDeathTest, AMisplacedCallIsOurBug) {
  JsonWriter w;
  w.begin_object();
  EXPECT_DEATH(w.value(1), "needs a key");
  EXPECT_DEATH(w.end_array(), "brackets match");
}

}  // namespace
}  // namespace lanewise
