// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/wire/json_value.h"

#include <gtest/gtest.h>

namespace lanewise::server::wire {
namespace {

TEST(JsonValue, ReadsEveryKind) {
  const auto json = JsonValue::parse(R"( {"a": [1, -2.5e3, "x\u00e9\ud83d\ude00\n", true, null], "b": {"c": 9007199254740993}, "a2": ""} )");
  ASSERT_TRUE(json.ok()) << json.status().to_string();
  const auto& a = json->find("a")->items();
  ASSERT_EQ(a.size(), 5u);
  EXPECT_EQ(a[0].integer(), 1);
  EXPECT_EQ(a[1].number(), -2500);
  EXPECT_EQ(a[1].integer(), -2500);
  EXPECT_EQ(a[2].text(), "x\xc3\xa9\xf0\x9f\x98\x80\n");
  EXPECT_TRUE(a[3].boolean());
  EXPECT_TRUE(a[4].is(JsonValue::Kind::null));
  // Beyond a double: the digits decide.
  EXPECT_EQ(json->find("b")->integer_of("c"), 9007199254740993);
  EXPECT_EQ(json->find("b")->text_of("c"), "");
  EXPECT_EQ(json->find("missing"), nullptr);
}

TEST(JsonValue, OfSeveralMembersTheLastCounts) {
  EXPECT_EQ(JsonValue::parse(R"({"a":1,"a":2})")->integer_of("a"), 2);
}

TEST(JsonValue, FractionsAndHugeNumbersAreNoIntegers) {
  EXPECT_FALSE(JsonValue::parse("1.5")->integer().has_value());
  EXPECT_FALSE(JsonValue::parse("1e300")->integer().has_value());
  EXPECT_FALSE(JsonValue::parse("123456789012345678901234567890")->integer().has_value());
}

TEST(JsonValue, TimesAreRoundedDownAndLimited) {
  const auto json = JsonValue::parse(R"({"a":1.9,"b":-1.1,"c":5000000000000000000,"d":1e300,"e":"1"})");
  EXPECT_EQ(json->time_of("a"), 1);
  EXPECT_EQ(json->time_of("b"), -2);
  for (const char* none : {"c", "d", "e", "f"}) EXPECT_FALSE(json->time_of(none).has_value()) << none;
}

TEST(JsonValue, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "01", "1.", ".5", "+1", "nul", "\"\x01\"", "\"\\x\"", "\"\\u12\"", "1 2", "inf", "'a'", "1e999"}) {
    const auto json = JsonValue::parse(text);
    EXPECT_FALSE(json.ok()) << text;
  }
}

TEST(JsonValue, DeepNestingIsRefusedNotFollowed) {
  EXPECT_TRUE(JsonValue::parse(std::string(60, '[') + std::string(60, ']')).ok());
  EXPECT_FALSE(JsonValue::parse(std::string(1'000'000, '[')).ok());
}

TEST(JsonValue, ValuesAreCounted) {
  EXPECT_TRUE(JsonValue::parse("[1,{\"a\":2},3]", 5).ok());
  EXPECT_EQ(JsonValue::parse("[1,{\"a\":2},3]", 4).status().code(), StatusCode::invalid_argument);
  std::string zeros = "[0";
  for (size_t i = 0; i < JsonValue::kMostValues; ++i) zeros += ",0";
  EXPECT_FALSE(JsonValue::parse(zeros + "]").ok());
}

TEST(JsonValue, LoneSurrogatesBecomeTheReplacementCharacter) {
  EXPECT_EQ(JsonValue::parse(R"("\ud800x")")->text(), "\xef\xbf\xbdx");
  EXPECT_EQ(JsonValue::parse(R"("\ud800\u0041")")->text(), "\xef\xbf\xbd" "A");
}

}  // namespace
}  // namespace lanewise::server::wire
