// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/wire/frame.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "server/wire/json_value.h"
#include "server/wire/table_frame.h"

namespace lanewise::server::wire {
namespace {

using trace::analysis::ColumnType;
using trace::analysis::Table;

// A frame read back as the page reads it.
struct ReadFrame {
  explicit ReadFrame(const std::string& frame) : bytes(frame) {
    uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 4, 4);
    start = 8 + length;
    auto parsed = JsonValue::parse(std::string_view(bytes).substr(8, length));
    EXPECT_TRUE(parsed.ok()) << parsed.status().to_string();
    header = std::move(*parsed);
  }
  const JsonValue& table(size_t i) const { return header.find("tables")->items()[i]; }
  const JsonValue& column(size_t t, size_t c) const { return table(t).find("columns")->items()[c]; }
  template <typename T>
  std::vector<T> values(size_t t, size_t c) const {
    const auto offset = static_cast<size_t>(*column(t, c).integer_of("offset")), length = static_cast<size_t>(*column(t, c).integer_of("length"));
    EXPECT_EQ(offset % 8, 0u);
    EXPECT_LE(start + offset + length * sizeof(T), bytes.size());
    std::vector<T> out(length);
    std::memcpy(out.data(), bytes.data() + start + offset, length * sizeof(T));
    return out;
  }
  std::string bytes;
  size_t start = 0;
  JsonValue header;
};

TEST(Frame, HeaderAndBuffersAreAligned) {
  for (size_t rows = 0; rows < 9; ++rows) {
    std::vector<uint8_t> small(rows, 7);
    std::vector<double> large(rows, 1.5);
    FrameWriter writer;
    writer.member("total", rows).begin_table("t", rows).member("lane", 3).member("text", "x\"y");
    writer.column("a", "integer", std::span<const uint8_t>(small)).column("b", "ns", std::span<const double>(large)).end_table();
    writer.begin_table("empty", 0).end_table();
    const ReadFrame frame(std::move(writer).finish());
    EXPECT_EQ(frame.bytes.substr(0, 4), "LWF1");
    EXPECT_EQ(frame.start % 8, 0u);
    EXPECT_EQ(frame.header.integer_of("total"), static_cast<int64_t>(rows));
    EXPECT_EQ(frame.table(0).integer_of("lane"), 3);
    EXPECT_EQ(frame.table(0).text_of("text"), "x\"y");
    EXPECT_EQ(frame.values<uint8_t>(0, 0), small);
    EXPECT_EQ(frame.values<double>(0, 1), large);
    EXPECT_TRUE(frame.table(1).find("columns")->items().empty());
  }
}

TEST(Frame, TablesOfAnalysesKeepEveryValue) {
  Table table("rows", {{"name", ColumnType::text}, {"calls", ColumnType::count}, {"id", ColumnType::integer}, {"share", ColumnType::real}, {"event", ColumnType::event}, {"evidence", ColumnType::events}});
  const uint64_t event = trace::schema::EventId{2, 5}.packed();
  table.row().text("a").integer(1).integer(int64_t{1} << 62).real(0.5).event({2, 5}).events({event, 7});
  table.row().null().null().null().null().null().events({});
  table.row().text("a").integer(3).integer(-4).real(-1).integer(9).events({1});
  FrameWriter writer;
  add_table(writer, table);
  const ReadFrame frame(std::move(writer).finish());
  EXPECT_EQ(frame.values<uint32_t>(0, 0), (std::vector<uint32_t>{0, kNullCode, 0}));
  EXPECT_EQ(frame.column(0, 0).find("dictionary")->items().size(), 1u);
  const auto calls = frame.values<double>(0, 1);
  EXPECT_EQ(calls[0], 1);
  EXPECT_TRUE(std::isnan(calls[1]));
  // One value that no double holds makes the column exact text.
  EXPECT_EQ(frame.column(0, 2).text_of("storage"), "dict");
  EXPECT_TRUE(frame.column(0, 2).boolean_of("exact"));
  EXPECT_EQ(frame.column(0, 2).find("dictionary")->items()[0].text(), "4611686018427387904");
  EXPECT_EQ(frame.values<uint32_t>(0, 2)[1], kNullCode);
  EXPECT_EQ(frame.values<double>(0, 4)[0], 2.0 * 4294967296.0 + 5);
  EXPECT_EQ(frame.values<uint32_t>(0, 5), (std::vector<uint32_t>{2, 2, 3}));
  EXPECT_EQ(frame.column(0, 5).integer_of("value_length"), 3);
}

}  // namespace
}  // namespace lanewise::server::wire
