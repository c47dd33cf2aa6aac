// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_backend/csrc/trace_rows.h"

#include <gtest/gtest.h>

namespace lanewise::torch_backend {
namespace {

using trace::record::Event;
using trace::record::EventKind;
using trace::record::intern;

Event submit(uint64_t launch, int64_t at) {
  return {.kind = EventKind::nrta_execute_schedule, .thread = 7, .start_ns = at, .end_ns = at + 5, .launch_id = launch};
}
Event run(uint64_t launch, int64_t start, int64_t end, std::string_view name = "aten::mul.Tensor") {
  return {.kind = EventKind::nc_exec_running, .start_ns = start, .end_ns = end, .launch_id = launch, .name = intern(name)};
}

TEST(TraceRows, submission_and_execution_share_an_id_and_a_flow) {
  const std::vector<Event> events{submit(3, 100), run(3, 150, 250)};
  const RowSet set = select_rows(events, 0, 1000);
  ASSERT_EQ(set.rows.size(), 2u);
  EXPECT_EQ(set.rows[0].kind, RowKind::runtime);
  EXPECT_EQ(set.rows[0].name, "nrta_execute_schedule");
  EXPECT_EQ(set.rows[0].flow, FlowEnd::start);
  EXPECT_EQ(set.rows[1].kind, RowKind::kernel);
  EXPECT_EQ(set.rows[1].name, "aten::mul.Tensor");
  EXPECT_EQ(set.rows[1].flow, FlowEnd::end);
  EXPECT_EQ(set.rows[0].id, set.rows[1].id);
  EXPECT_GE(set.rows[0].id, kFirstRowId);
  EXPECT_EQ(set.device_ns, 100);
  EXPECT_EQ(set.launches, 1u);
}

TEST(TraceRows, chosen_by_submission_and_never_by_device_end) {
  const std::vector<Event> events{submit(1, 90), run(1, 110, 120),      // warm-up that ends inside
                                  submit(2, 190), run(2, 300, 400),     // inside, ends after
                                  submit(3, 201), run(3, 400, 500)};    // after
  const RowSet set = select_rows(events, 100, 200);
  ASSERT_EQ(set.rows.size(), 2u);
  EXPECT_EQ(set.rows[0].event, &events[2]);
  EXPECT_EQ(set.rows[1].event, &events[3]);
  EXPECT_EQ(set.outside, 2u);
}

TEST(TraceRows, execution_before_its_submission_in_the_list_still_belongs) {
  const std::vector<Event> events{run(1, 150, 160), submit(1, 100)};   // rings are per core and per thread
  EXPECT_EQ(select_rows(events, 0, 1000).rows.size(), 2u);
}

TEST(TraceRows, no_flow_start_without_a_device_row) {
  const std::vector<Event> events{submit(1, 100)};
  const RowSet set = select_rows(events, 0, 1000);
  ASSERT_EQ(set.rows.size(), 1u);
  EXPECT_EQ(set.rows[0].flow, FlowEnd::none);
}

TEST(TraceRows, one_flow_start_for_a_launch_that_waited_for_room) {
  Event waited = submit(1, 100);
  waited.kind = EventKind::queue_full;
  const std::vector<Event> events{waited, submit(1, 110), run(1, 150, 250)};
  const RowSet set = select_rows(events, 0, 1000);
  ASSERT_EQ(set.rows.size(), 3u);
  EXPECT_EQ(set.rows[0].flow, FlowEnd::none);
  EXPECT_EQ(set.rows[1].flow, FlowEnd::start);
}

TEST(TraceRows, copies_fills_and_host_spans_have_their_own_kinds_and_ids) {
  std::vector<Event> events{{.kind = EventKind::nrt_tensor_write, .start_ns = 1, .end_ns = 2, .launch_id = 1},
                            {.kind = EventKind::dma_h2d, .start_ns = 3, .end_ns = 4, .launch_id = 1, .bytes = 64},
                            {.kind = EventKind::nrt_tensor_copy, .start_ns = 5, .end_ns = 6, .launch_id = 2},
                            {.kind = EventKind::dma_fill, .start_ns = 7, .end_ns = 8, .launch_id = 2},
                            {.kind = EventKind::compile, .start_ns = 8, .end_ns = 9},
                            {.kind = EventKind::nrt_synchronize, .start_ns = 9, .end_ns = 9},
                            {.kind = EventKind::sim_lag, .start_ns = 9, .end_ns = 19, .launch_id = 2}};
  const RowSet set = select_rows(events, 0, 1000);
  ASSERT_EQ(set.rows.size(), 6u);
  EXPECT_EQ(set.rows[1].name, "Memcpy HtoD");
  EXPECT_EQ(set.rows[1].kind, RowKind::memcpy);
  EXPECT_EQ(set.rows[3].kind, RowKind::memset);
  EXPECT_EQ(set.rows[4].name, "neuron_compile");
  EXPECT_EQ(set.rows[4].kind, RowKind::runtime);
  EXPECT_NE(set.rows[4].id, set.rows[5].id);
  EXPECT_EQ(set.launches, 0u);
  EXPECT_EQ(set.device_ns, 0) << "copies and the simulator's lag are not device time of launches";
  EXPECT_EQ(set.sim_lag_ns, 10);
}

TEST(TraceRows, names_survive_the_json_writer) {
  EXPECT_EQ(printable_name("a\"b\\c\nd\xc3\xa9"), "a_b_c_d__");
  EXPECT_EQ(json_string("a\"b\\c\n\xc3\xa9"), "\"a\\\"b\\\\c\\u000a\xc3\xa9\"");
}

}  // namespace
}  // namespace lanewise::torch_backend
