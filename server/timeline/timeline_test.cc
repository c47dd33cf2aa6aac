// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/timeline.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "server/timeline/arrows.h"
#include "server/timeline/flame.h"
#include "server/timeline/navigate.h"
#include "server/timeline/selection.h"
#include "server/timeline/timeline_fixture.h"
#include "trace/analysis/time_limits.h"

namespace lanewise::server::timeline {
namespace {

using trace::analysis::open_model;
using trace::analysis::row_named;
using trace::analysis::TraceText;
using trace::schema::EventId;

// A step with an operator that launches a kernel and waits for it, then a copy.
TraceText small_trace() {
  TraceText text;
  text.slice("user_annotation", "ProfilerStep#3", "1", "1", 0, 1000);
  text.op("aten::linear", 100, 300, "\"External id\":1");
  text.op("aten::addmm", 110, 290, "\"External id\":2");
  text.call("cudaLaunchKernel", 120, 140, 7);
  text.kernel("gemm", 200, 500, 7);
  text.call("cudaDeviceSynchronize", 310, 520, 8);
  text.slice("python_function", "model.py(12): forward", "1", "1", 50, 900);
  return text;
}

TEST(Timeline, EverySliceIsOnExactlyOneLaneOfEvents) {
  for (const auto& path : trace::analysis::shared_traces()) {
    auto session = trace::session::Session::open(path);
    ASSERT_TRUE(session.ok()) << session.status().to_string();
    const auto model = trace::analysis::Model::build(*session);
    for (const bool ready : {true, false}) {
      const auto timeline = timeline_of(model, ready);
      std::vector<std::set<uint32_t>> seen(model->files().size());
      uint64_t sum = 0, want = 0;
      for (const Lane& lane : timeline->lanes()) {
        ASSERT_EQ(lane.names.size(), lane.slices.size());
        if (lane.has_own() || lane.kind == LaneKind::counter) continue;
        sum += lane.slices.total();
        for (uint32_t i = 0; i < lane.slices.size(); ++i) {
          const EventId event = *timeline->event_at(lane, i);
          ASSERT_TRUE(seen[event.part].insert(event.ordinal).second) << path << " shows " << event.to_string() << " twice";
        }
      }
      for (uint32_t part = 0; part < seen.size(); ++part) {
        const auto& events = model->events(part);
        size_t slices = 0;
        for (trace::schema::Row row = 0; row < events.rows(); ++row) {
          if (!trace::analysis::has_span(events, row)) continue;
          ++slices;
          want += static_cast<uint64_t>(std::max<int64_t>(0, events.dur_ns[row]));
          ASSERT_TRUE(seen[part].contains(row)) << path << " loses " << row;
        }
        EXPECT_EQ(seen[part].size(), slices);
      }
      EXPECT_EQ(sum, want) << path;
    }
  }
}

TEST(Timeline, LanesAndTheirOrder) {
  const auto model = open_model(small_trace());
  const auto timeline = timeline_of(model);
  std::vector<std::string> lanes;
  for (const Lane& lane : timeline->lanes()) lanes.push_back(std::string(group_name(lane.group)) + "/" + std::string(lane_kind_name(lane.kind)) + "/" + lane.title);
  EXPECT_EQ(lanes, (std::vector<std::string>{"annotations/steps/steps", "annotations/slices/ranges on cuda:0", "framework/slices/thread 1", "runtime/slices/thread 1",
                                             "hardware/slices/stream 7", "hardware/gaps/idle"}));
  // Ids and names are the same in every build; a view of a growing file keeps what the one before said.
  const auto again = timeline_of(model);
  for (size_t i = 0; i < lanes.size(); ++i) EXPECT_EQ(timeline->lanes()[i].id, again->lanes()[i].id);
  const auto preview = timeline_of(model, false);
  EXPECT_EQ(lane_of(*preview, Group::hardware).id, lane_of(*timeline, Group::hardware).id);
  const Lane& host = lane_of(*timeline, Group::framework);
  ASSERT_EQ(host.slices.rows(), 4u);
  EXPECT_EQ(timeline->names().text(host.names[0]), "ProfilerStep#3");
  // Gaps: with their cause, exactly the time in which the device did nothing.
  EXPECT_EQ(lane_of(*timeline, Group::hardware, LaneKind::gaps).slices.total(), 700'000u);
}

TEST(Timeline, PlacesAreFoundAgain) {
  const auto model = open_model(small_trace());
  const auto timeline = timeline_of(model);
  const EventId kernel{0, row_named(*model, "gemm")};
  const auto place = timeline->place_of(kernel);
  ASSERT_TRUE(place.has_value());
  const Lane& lane = timeline->lanes()[place->lane];
  EXPECT_EQ(lane.stream, "7");
  EXPECT_EQ(lane.device, "cuda:0");
  EXPECT_EQ(timeline->event_at(lane, place->index), kernel);
  EXPECT_EQ(lane.slices.start[place->index], 200'000);
  EXPECT_FALSE(timeline->place_of({0, 9999}).has_value());
  EXPECT_FALSE(timeline->place_of({4, 0}).has_value());
}

TEST(Timeline, TimesOfDamagedFilesStayInRange) {
  TraceText text;
  text.event(R"({"ph":"X","cat":"cpu_op","name":"late","pid":1,"tid":1,"ts":2305843009213693,"dur":2305843009213693})");
  text.event(R"({"ph":"X","cat":"cpu_op","name":"early","pid":1,"tid":1,"ts":-2305843009213693,"dur":5})");
  text.event(R"({"ph":"X","cat":"cpu_op","name":"back","pid":1,"tid":1,"ts":10,"dur":-5})");
  const auto model = open_model(text);
  const auto timeline = timeline_of(model);
  const Lane& lane = lane_of(*timeline, Group::framework);
  EXPECT_EQ(lane.slices.size(), 3u);
  for (uint32_t i = 0; i < lane.slices.size(); ++i) EXPECT_GE(lane.slices.dur(i), 0);
}

TEST(Navigate, StepsAlongRowsAndNesting) {
  const auto model = open_model(small_trace());
  const auto timeline = timeline_of(model);
  const auto name_after = [&](std::string_view from, Direction direction) -> std::string {
    const auto place = timeline->place_of({0, row_named(*model, from)});
    const Lane& lane = timeline->lanes()[place->lane];
    const auto spot = step_from(lane, place->row, place->index, direction);
    return spot ? std::string(timeline->names().text(spot->lane->names[spot->index])) : "";
  };
  EXPECT_EQ(name_after("aten::linear", Direction::down), "aten::addmm");
  EXPECT_EQ(name_after("aten::addmm", Direction::up), "aten::linear");
  EXPECT_EQ(name_after("ProfilerStep#3", Direction::up), "");
  EXPECT_EQ(name_after("cudaLaunchKernel", Direction::next), "cudaDeviceSynchronize");
  EXPECT_EQ(name_after("cudaDeviceSynchronize", Direction::first), "cudaLaunchKernel");
  EXPECT_EQ(name_after("cudaLaunchKernel", Direction::previous), "");
  const Lane& gaps = lane_of(*timeline, Group::hardware, LaneKind::gaps);
  EXPECT_EQ(gaps_lane(*timeline, lane_of(*timeline, Group::hardware)), &gaps);
  EXPECT_EQ(gaps_lane(*timeline, lane_of(*timeline, Group::framework)), &gaps);
  const auto first = step_at(gaps, 0, -1, Direction::next);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(gaps.slices.start[first->index], 0);
  EXPECT_FALSE(step_at(gaps, 0, -1, Direction::previous).has_value());
  EXPECT_FALSE(step_at(gaps, 9, 0, Direction::next).has_value());
}

TEST(Selection, SumsAndSearches) {
  const auto model = open_model(small_trace());
  const auto timeline = timeline_of(model);
  const auto count = [&](const std::string& text, bool regex) {
    const auto names = matching_names(timeline->names(), text, regex);
    EXPECT_TRUE(names.ok()) << names.status().to_string();
    return pick(*timeline, mask_of_names(*timeline, *names), 100, false).total;
  };
  EXPECT_EQ(count("aten", false), 2u);
  EXPECT_EQ(count("ATEN", false), 0u) << "capital letters count when there are some";
  EXPECT_EQ(count("profilerstep", false), 1u) << "not counted twice on the lane of steps";
  EXPECT_EQ(count("aten::*", false), 2u);
  EXPECT_EQ(count("^aten::(linear|mul)$", true), 1u);
  EXPECT_EQ(count("", false), 0u);
  EXPECT_EQ(matching_names(timeline->names(), "(", true).status().code(), StatusCode::invalid_argument);

  const EventId events[] = {{0, row_named(*model, "aten::linear")}, {0, row_named(*model, "aten::addmm")}, {0, row_named(*model, "gemm")}, {0, 77}};
  const Picked picked = pick(*timeline, mask_of_events(*timeline, events), 2, true);
  EXPECT_EQ(picked.total, 3u);
  EXPECT_EQ(picked.items.size(), 2u);
  EXPECT_EQ(picked.sum_ns, 200'000 + 180'000 + 300'000);
  EXPECT_EQ(picked.union_ns, 400'000);
  EXPECT_EQ(picked.first_ns, 100'000);
  EXPECT_EQ(picked.last_ns, 500'000);
  EXPECT_EQ(timeline->names().text(picked.by_name[0].name), "gemm");

  std::vector<uint32_t> lanes;
  for (uint32_t i = 0; i < timeline->lanes().size(); ++i) lanes.push_back(i);
  EXPECT_EQ(pick(*timeline, mask_of_box(*timeline, lanes, 100'000, 110'000), 9, false).total, 3u);  // step, Python, linear
}

TEST(Selection, TheStoreForgetsTheOldest) {
  MaskStore store;
  const auto masks = std::make_shared<const Masks>();
  const uint32_t first = store.add_selection(masks);
  EXPECT_EQ(store.selection(first), masks);
  for (int i = 0; i < 100; ++i) {
    store.add_selection(masks);
    store.keep("key " + std::to_string(i), Masks());
  }
  EXPECT_EQ(store.selection(first), nullptr);
  EXPECT_EQ(store.find("key 0"), nullptr);
  EXPECT_NE(store.find("key 99"), nullptr);
}

TEST(Chain, LeadsFromPythonToTheDevice) {
  const auto model = open_model(small_trace());
  const auto timeline = timeline_of(model);
  const auto chain = find_chain(*model, *timeline, {0, row_named(*model, "gemm")});
  ASSERT_TRUE(chain.ok());
  std::vector<std::string> roles;
  for (const auto& step : chain->steps) roles.push_back(step.role);
  EXPECT_EQ(roles, (std::vector<std::string>{"python", "op", "call", "device"}));
  ASSERT_EQ(chain->arrows.size(), 2u);
  EXPECT_EQ(arrow_kind_name(chain->arrows[0].kind), "runtime");
  EXPECT_EQ(arrow_kind_name(chain->arrows[1].kind), "launch");
  EXPECT_EQ(chain->arrows[1].method, "correlation");
  EXPECT_EQ(find_chain(*model, *timeline, {0, 9999}).status().code(), StatusCode::not_found);
}

TEST(Arrows, AreFoundBySpanKindAndLaneAndThinnedEvenly) {
  TraceText text;
  for (int i = 0; i < 3000; ++i) {
    text.call("cudaLaunchKernel", 100 * i, 100 * i + 10, i + 1);
    text.kernel("k", 100 * i + 50, 100 * i + 60, i + 1);
  }
  const auto model = open_model(text);
  const auto timeline = timeline_of(model);
  const ArrowIndex index(*model, *timeline);
  ASSERT_EQ(index.size(), 3000u);
  ArrowIndex::Query query;
  query.kinds.assign(static_cast<size_t>(ArrowKind::count), true);
  query.from = 0;
  query.to = 1'000'000'000;
  query.limit = 100;
  uint64_t total = 0;
  const auto all = index.find(query, &total);
  EXPECT_EQ(total, 3000u);
  ASSERT_EQ(all.size(), 100u);
  EXPECT_GT(timeline->start_of(all.back().from), 290'000'000) << "also the end of the span is shown";
  query.from = 100'020'000;  // touches none but the arrow under way at that moment
  query.to = 100'021'000;
  EXPECT_EQ(index.find(query, &total).size(), 1u);
  query.kinds.assign(static_cast<size_t>(ArrowKind::count), false);
  query.kinds[static_cast<size_t>(ArrowKind::autograd)] = true;
  index.find(query, &total);
  EXPECT_EQ(total, 0u);
  query.kinds.assign(static_cast<size_t>(ArrowKind::count), true);
  query.lanes.assign(timeline->lanes().size(), false);
  index.find(query, &total);
  EXPECT_EQ(total, 0u);
}

TEST(Flame, TopDownAndBottomUpHoldTheSameTime) {
  const auto model = open_model(small_trace());
  const auto timeline = timeline_of(model);
  FlameQuery query;
  for (uint32_t i = 0; i < timeline->lanes().size(); ++i) {
    const Lane& lane = timeline->lanes()[i];
    if (lane.group == Group::framework || lane.group == Group::runtime) query.lanes.push_back(i);
  }
  query.from = 0;
  query.to = 1'000'000;
  uint64_t left_out = 0;
  for (const bool bottom_up : {false, true}) {
    query.bottom_up = bottom_up;
    const auto nodes = make_flame(*timeline, query, &left_out);
    int64_t self = 0;
    std::map<std::string, int64_t> by_name;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const auto& node = nodes[i];
      ASSERT_LT(node.parent, static_cast<int32_t>(i));
      self += node.self_ns;
      by_name[std::string(timeline->names().text(node.name))] += node.self_ns;
    }
    EXPECT_EQ(self, 1'000'000);
    EXPECT_EQ(by_name["aten::addmm"], 160'000) << "the runtime call inside it is a node of its own";
    EXPECT_EQ(by_name["cudaLaunchKernel"], 20'000);
  }
  // Only what lies in the range counts.
  query.bottom_up = false;
  query.from = 150'000;
  query.to = 200'000;
  const auto nodes = make_flame(*timeline, query, &left_out);
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[3].self_ns, 50'000);
}

TEST(Flame, BelowTheDeepestLevelNoTimeIsLost) {
  TraceText text;
  const int deep = static_cast<int>(kMostFlameDepth) + 50;
  for (int i = 0; i < deep; ++i) text.op("f" + std::to_string(i), i, 2 * deep - i);
  const auto timeline = timeline_of(open_model(text));
  FlameQuery query;
  query.lanes = {0};
  query.to = timeline->end();
  uint64_t left_out = 0;
  int64_t self = 0;
  const auto nodes = make_flame(*timeline, query, &left_out);
  for (const auto& node : nodes) self += node.self_ns;
  EXPECT_EQ(nodes.size(), kMostFlameDepth);
  EXPECT_EQ(self, 2'000 * deep);
}

TEST(Flame, OfManyEqualNodesSomeStay) {
  TraceText text;
  const int count = static_cast<int>(kMostFlameNodes) + 100;
  for (int i = 0; i < count; ++i) text.op("f" + std::to_string(i), 2 * i, 2 * i + 1);
  const auto timeline = timeline_of(open_model(text));
  FlameQuery query;
  query.lanes = {0};
  query.to = timeline->end();
  uint64_t left_out = 0;
  EXPECT_EQ(make_flame(*timeline, query, &left_out).size(), kMostFlameNodes);
  EXPECT_EQ(left_out, 100u);
}

TEST(Masks, NoRegularExpressionTakesForEver) {
  Names names(nullptr);
  names.add_text("aten::add_");
  names.add_text("one\ntwo");
  names.add_text(std::string(100'000, 'a'));
  const auto hits = [&](const std::string& pattern) {
    const auto found = matching_names(names, pattern, true);
    EXPECT_TRUE(found.ok()) << found.status().to_string();
    return found.ok() ? std::vector<bool>(*found) : std::vector<bool>();
  };
  EXPECT_EQ(hits("^ATEN::"), (std::vector<bool>{false, false, false})) << "capital letters count";
  EXPECT_EQ(hits("^aten::[a-z]+_$"), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(hits("^one.two$|\\bADD"), (std::vector<bool>{false, true, false})) << "a line end is a character";
  EXPECT_EQ(hits("^two"), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(hits("(x+x+)+y"), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(hits(".*a.{200}b"), (std::vector<bool>{false, false, false}));
  for (const char* bad : {"a{1,1000}{1,1000}", "((((a{1,200}){1,200}){1,200}){1,200})", "(a*)\\1", "(", "[[:none:]]"}) {
    EXPECT_EQ(matching_names(names, bad, true).status().code(), StatusCode::invalid_argument) << bad;
  }
  const auto timeline = timeline_of(open_model(small_trace()));
  TileFilter filter;
  filter.name = std::string(401, 'x');
  EXPECT_EQ(mask_of_filter(*timeline, filter).status().code(), StatusCode::invalid_argument);
}

}  // namespace
}  // namespace lanewise::server::timeline
