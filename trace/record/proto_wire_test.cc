// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/proto_wire.h"

#include <gtest/gtest.h>

namespace lanewise::trace::record {
namespace {

TEST(ProtoWireTest, FieldsComeBack) {
  ProtoMessage inner;
  inner.text(2, "inside");
  ProtoMessage m;
  m.uint(1, 300).integer(2, -5).fixed64(47, 0xffffffffffffffffull).number(5, 0.25).message(1000, inner);
  std::vector<ProtoField> fields;
  ASSERT_TRUE(read_proto(m.bytes(), &fields).ok());
  ASSERT_EQ(fields.size(), 5u);
  EXPECT_EQ(fields[0].value, 300u);
  EXPECT_EQ(fields[1].as_integer(), -5);
  EXPECT_EQ(fields[2].number, 47u);
  EXPECT_EQ(fields[2].value, 0xffffffffffffffffull);
  EXPECT_EQ(fields[3].as_number(), 0.25);
  std::vector<ProtoField> nested;
  ASSERT_TRUE(read_proto(fields[4].bytes, &nested).ok());
  EXPECT_EQ(nested.at(0).bytes, "inside");
}

TEST(ProtoWireTest, TheBytesAreThoseOfTheStandard) {
  ProtoMessage m;
  m.uint(1, 150).text(2, "testing");
  EXPECT_EQ(m.bytes(), std::string("\x08\x96\x01\x12\x07testing", 12));
}

TEST(ProtoWireTest, EveryCutIsNamedAndWhatIsBeforeItKept) {
  ProtoMessage m;
  m.uint(1, 1'000'000).text(2, "some text").fixed64(3, 7);
  std::vector<ProtoField> whole;
  ASSERT_TRUE(read_proto(m.bytes(), &whole).ok());
  for (size_t cut = 0; cut < m.bytes().size(); ++cut) {
    size_t complete = 0;
    bool at_boundary = cut == 0;
    for (size_t i = 0; i < whole.size(); ++i) {
      const size_t end = i + 1 < whole.size() ? whole[i + 1].offset : m.bytes().size();
      complete += end <= cut;
      at_boundary |= end == cut;
    }
    std::vector<ProtoField> fields;
    const Status status = read_proto(m.bytes().substr(0, cut), &fields);
    EXPECT_EQ(status.ok(), at_boundary) << cut;
    EXPECT_EQ(fields.size(), complete) << cut;
    if (status.ok()) continue;
    EXPECT_EQ(status.code(), StatusCode::data_loss);
    EXPECT_NE(status.message().find("byte " + std::to_string(whole[complete].offset)), std::string::npos) << cut;
  }
}

TEST(ProtoWireTest, NonsenseIsDataLoss) {
  std::vector<ProtoField> fields;
  EXPECT_EQ(read_proto("\x0b", &fields).code(), StatusCode::data_loss);                        // a group
  EXPECT_EQ(read_proto("\x12\xff\xff\xff\xff\x7f", &fields).code(), StatusCode::data_loss);    // longer than the file
  EXPECT_EQ(read_proto(std::string(1, '\0'), &fields).code(), StatusCode::data_loss);          // field number 0
}

}  // namespace
}  // namespace lanewise::trace::record
