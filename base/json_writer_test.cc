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

TEST(JsonWriterDeathTest, AMisplacedCallIsOurBug) {
  JsonWriter w;
  w.begin_object();
  EXPECT_DEATH(w.value(1), "needs a key");
  EXPECT_DEATH(w.end_array(), "brackets match");
}

}  // namespace
}  // namespace lanewise
