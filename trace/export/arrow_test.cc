// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "trace/analysis/analysis_fixture.h"
#include "trace/analysis/ops.h"
#include "trace/analysis/questions.h"
#include "trace/export/events_arrow.h"
#include "trace/export/table_arrow.h"

namespace lanewise::trace::exporting {
namespace {

using analysis::ColumnType;
using analysis::Table;

// A schema and its batches as a consumer receives them; released at the end.
struct Received {
  ArrowSchema schema = {};
  std::vector<ArrowArray> batches;
  explicit Received(std::shared_ptr<const Batches> from) {
    ArrowArrayStream stream;
    make_stream(std::move(from), &stream);
    EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
    for (ArrowArray array = {}; stream.get_next(&stream, &array) == 0 && array.release != nullptr;) batches.push_back(array);
    stream.release(&stream);
    EXPECT_EQ(stream.release, nullptr);
  }
  ~Received() {
    for (ArrowArray& batch : batches) {
      if (batch.release) batch.release(&batch);
    }
    schema.release(&schema);
  }
  size_t column(std::string_view name) const {
    for (int64_t i = 0; i < schema.n_children; ++i) {
      if (schema.children[i]->name == name) return static_cast<size_t>(i);
    }
    ADD_FAILURE() << "no column " << name;
    return 0;
  }
};

template <typename T>
T value(const ArrowArray& array, int64_t row) {
  return static_cast<const T*>(array.buffers[1])[row];
}
bool valid(const ArrowArray& array, int64_t row) {
  return array.buffers[0] == nullptr || (static_cast<const uint8_t*>(array.buffers[0])[row / 8] >> (row % 8) & 1) != 0;
}
std::string text(const ArrowArray& array, int64_t row) {
  const ArrowArray& words = *array.dictionary;
  const int64_t at = value<int32_t>(array, row);
  const auto* ends = static_cast<const int64_t*>(words.buffers[1]);
  return std::string(static_cast<const char*>(words.buffers[2]) + ends[at], static_cast<size_t>(ends[at + 1] - ends[at]));
}

std::shared_ptr<const Table> small_table() {
  Table table("t", {{"name", ColumnType::text}, {"spent_ns", ColumnType::ns}, {"share", ColumnType::real}, {"odd", ColumnType::flag},
                    {"from", ColumnType::events}});
  table.row().text("a").integer(3).real(0.5).integer(1).events({7, 8});
  table.row().null().null().null().null().events({});
  table.row().text("a").integer(5).real(1.5).integer(0).events({9});
  return std::make_shared<const Table>(std::move(table));
}

TEST(TableArrow, EveryTypeAndNull) {
  const auto table = small_table();
  const Received got(table_batches(table));
  ASSERT_EQ(got.batches.size(), 1u);
  EXPECT_STREQ(got.schema.format, "+s");
  ASSERT_EQ(got.schema.n_children, 5);
  EXPECT_STREQ(got.schema.children[0]->format, "i");
  EXPECT_STREQ(got.schema.children[0]->dictionary->format, "U");
  EXPECT_STREQ(got.schema.children[1]->format, "l");
  EXPECT_STREQ(got.schema.children[2]->format, "g");
  EXPECT_STREQ(got.schema.children[3]->format, "b");
  EXPECT_STREQ(got.schema.children[4]->format, "+L");
  ArrowArray** columns = got.batches[0].children;
  EXPECT_EQ(got.batches[0].length, 3);
  EXPECT_EQ(text(*columns[0], 0), "a");
  EXPECT_EQ(text(*columns[0], 2), "a");
  EXPECT_EQ(columns[0]->dictionary->length, 1);
  for (size_t c = 0; c < 4; ++c) {
    EXPECT_EQ(columns[c]->null_count, 1) << c;
    EXPECT_TRUE(valid(*columns[c], 0)) << c;
    EXPECT_FALSE(valid(*columns[c], 1)) << c;
    EXPECT_TRUE(valid(*columns[c], 2)) << c;
  }
  EXPECT_EQ(value<int64_t>(*columns[1], 2), 5);
  EXPECT_EQ(value<double>(*columns[2], 2), 1.5);
  EXPECT_EQ(value<uint8_t>(*columns[3], 0) & 5, 1);  // bits of rows 0 and 2
  EXPECT_EQ(value<int64_t>(*columns[4], 1), 2);
  EXPECT_EQ(value<int64_t>(*columns[4], 3), 3);
  EXPECT_EQ(value<int64_t>(*columns[4]->children[0], 2), 9);
}

TEST(TableArrow, NumbersAreNotCopiedAndOutliveTheTable) {
  auto table = small_table();
  const int64_t* numbers = table->columns()[1].integers.data();
  const Received got(table_batches(std::move(table)));
  EXPECT_EQ(got.batches[0].children[1]->buffers[1], numbers);
  EXPECT_EQ(value<int64_t>(*got.batches[0].children[1], 0), 3);
}

TEST(TableArrow, AConsumerMayTakeAColumnAway) {
  Received got(table_batches(small_table()));
  ArrowArray taken = *got.batches[0].children[1];
  got.batches[0].children[1]->release = nullptr;  // as the specification moves a child
  got.batches[0].release(&got.batches[0]);
  EXPECT_EQ(value<int64_t>(taken, 2), 5);
  taken.release(&taken);
  EXPECT_EQ(taken.release, nullptr);
}

TEST(EventsArrow, ColumnsLieWhereTheSessionHasThem) {
  analysis::TraceText trace;
  trace.event(R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}})");
  trace.op("aten::add", 10, 40).kernel("k", 50, 60, 77);
  const auto session = analysis::open_model(trace)->shared_session();
  const auto batches = EventColumns(session).select({});
  ASSERT_TRUE(batches.ok());
  const Received got(*batches);
  ASSERT_EQ(got.batches.size(), 1u);
  EXPECT_EQ(static_cast<size_t>(got.schema.n_children), EventColumns::names().size());
  ArrowArray** columns = got.batches[0].children;
  const schema::EventTable& events = session->events(0);
  EXPECT_EQ(columns[got.column("dur_ns")]->buffers[1], events.dur_ns.segment(0).data());
  EXPECT_EQ(columns[got.column("name")]->buffers[1], events.name.segment(0).data());
  EXPECT_EQ(columns[got.column("correlation")]->buffers[1], events.correlation.segment(0).data());
  const ArrowArray& start = *columns[got.column("start_ns")];
  EXPECT_FALSE(valid(start, 0));
  EXPECT_EQ(value<int64_t>(start, 2) - value<int64_t>(start, 1), 40'000);
  EXPECT_EQ(text(*columns[got.column("name")], 2), "k");
  EXPECT_EQ(text(*columns[got.column("tid")], 2), "7");
  EXPECT_FALSE(valid(*columns[got.column("tid")], 0));
  EXPECT_FALSE(valid(*columns[got.column("correlation")], 1));
  EXPECT_EQ(value<int64_t>(*columns[got.column("correlation")], 2), 77);
  EXPECT_EQ(text(*columns[got.column("label")], 0), "python");
  EXPECT_EQ(columns[got.column("bytes")]->null_count, 3);
  EXPECT_EQ(value<int8_t>(*columns[got.column("role")], 2), static_cast<int8_t>(schema::Role::kernel));
}

TEST(EventsArrow, ASegmentIsABatchAndSomeColumnsCanBeAskedFor) {
  analysis::TraceText trace;
  const int kRows = static_cast<int>(store::kSegmentRows) + 3;
  for (int i = 0; i < kRows; ++i) trace.op(i == kRows - 1 ? "last" : "op", 2 * i, 2 * i + 1);
  const auto session = analysis::open_model(trace)->shared_session();
  const EventColumns columns(session);
  const auto batches = columns.select({"event", "name"});
  ASSERT_TRUE(batches.ok());
  const Received got(*batches);
  ASSERT_EQ(got.batches.size(), 2u);
  EXPECT_EQ(got.batches[1].length, 3);
  EXPECT_EQ(got.schema.n_children, 2);
  EXPECT_EQ(value<int64_t>(*got.batches[1].children[0], 2), kRows - 1);
  EXPECT_EQ(text(*got.batches[1].children[1], 2), "last");
  EXPECT_EQ(columns.select({"nope"}).status().code(), StatusCode::invalid_argument);
}

TEST(Questions, EachAnswersWithItsMainTable) {
  analysis::TraceText trace;
  trace.op("aten::add", 10, 40).call("cudaLaunchKernel", 20, 30, 77).kernel("k", 50, 60, 77);
  const auto model = analysis::open_model(trace);
  for (const analysis::Question& question : analysis::questions()) {
    analysis::QuestionOptions options;
    if (question.about_one_event()) options.selection.name = "k";
    const auto answer = question.answer(*model, options);
    ASSERT_TRUE(answer.ok()) << question.name << answer.status().to_string();
    bool found = false;
    for (const Table& table : *answer) found |= table.name() == question.main_table;
    EXPECT_TRUE(found) << question.name;
    EXPECT_EQ(analysis::find_question(question.name), &question);
  }
  EXPECT_EQ(analysis::find_question("nope"), nullptr);
}

}  // namespace
}  // namespace lanewise::trace::exporting
