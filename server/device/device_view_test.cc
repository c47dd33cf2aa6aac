// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/device/device_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "server/device/fields.h"
#include "server/device/select.h"
#include "server/device/steps.h"
#include "trace/device_analysis/profile_fixture.h"

namespace lanewise::server::device {
namespace {

using timeline::Group;
using timeline::Lane;
using timeline::LaneKind;
using trace::device_analysis::ProfileBuilder;
using trace::schema::EventId;

// A load, a matmul of what it brought, a copy out of PSUM, a store.
//
//   sync    ..load(0-10)                         store(900-910)
//   dma          100 ------ 300                            1000 --- 1200
//   tensor                      ldweights 320-350, matmul 400-600
//   vector                                             copy 700-850
std::shared_ptr<const DeviceView> sample(uint16_t dma_engine = UINT16_MAX) {
  ProfileBuilder b;
  const auto load = b.run(isa::Engine::sync, "dma_copy", 0, 0, 10'000);
  b.dma(load, 100'000, 300'000, 310'000, 4096, ProfileBuilder::hbm("src0", "x", 1024), ProfileBuilder::sbuf("dst", 0, 8));
  const auto weights = b.run(isa::Engine::pe, "load_stationary", 0, 320'000, 350'000, {ProfileBuilder::sbuf("src0", 0, 8)}, {{1, ">=", 1}});
  auto psum = ProfileBuilder::sbuf("dst", 0, 8);
  psum.space = trace::device::Space::psum;
  const auto matmul = b.run(isa::Engine::pe, "matmul", 0, 400'000, 600'000, {psum, ProfileBuilder::sbuf("src0", 0, 8)}, {}, {{2, "+", 1}});
  auto& program = b.profile.program;
  program.instructions[matmul].flops = 1000;
  program.instructions[matmul].ir_op = "%2";
  program.instructions[matmul].aten_node = "mm";
  b.profile.instructions[weights].throttled = true;
  auto source = psum;
  source.role = "src0";
  b.run(isa::Engine::vector, "tensor_copy", 0, 700'000, 850'000, {ProfileBuilder::sbuf("dst", 64, 8), source}, {{2, ">=", 1}});
  const auto store = b.run(isa::Engine::sync, "dma_copy", 0, 900'000, 910'000);
  b.dma(store, 1'000'000, 1'200'000, 1'210'000, 4096, ProfileBuilder::sbuf("src0", 64, 8), ProfileBuilder::hbm("dst", "y", 1024));
  b.update(310'000, 1, 1, true, 0);
  b.update(600'000, 2, 1, false, matmul, isa::Engine::pe);
  for (auto& run : b.profile.dmas) run.dma_engine = dma_engine;
  auto made = DeviceView::make(std::move(b.profile));
  EXPECT_TRUE(made.ok()) << made.status().to_string();
  return *made;
}

const Lane* lane_called(const timeline::Timeline& t, const std::string& title) {
  const auto at = std::find_if(t.lanes().begin(), t.lanes().end(), [&](const Lane& lane) { return lane.title == title; });
  return at == t.lanes().end() ? nullptr : &*at;
}

uint32_t event_called(const DeviceView& view, const timeline::Timeline& t, std::string_view name) {
  for (uint32_t event = 0; event < view.events(); ++event) {
    if (t.text_of(t.events(0).name[event]) == name) return event;
  }
  ADD_FAILURE() << "no event " << name;
  return 0;
}

TEST(DeviceTimeline, HasALaneEachEngineAndTheTensorEngineTwo) {
  const auto view = sample();
  const auto t = make_timeline(*view);
  std::vector<std::string> engines;
  for (const Lane& lane : t->lanes()) {
    if (lane.group == Group::engines) engines.push_back(lane.title + " " + std::to_string(lane.slices.size()));
  }
  EXPECT_EQ(engines, (std::vector<std::string>{"Sync 2", "Tensor 1", "TensorMatrix 1", "Vector 1", "Scalar 0", "GpSimd 0"}));
  EXPECT_EQ(lane_called(*t, "q")->slices.size(), 2u) << "the queue of the DMAs";
  EXPECT_EQ(t->begin(), 0);
  EXPECT_EQ(t->end(), 1'210'000) << "in ps";
  uint64_t on_lanes = 0;
  for (const Lane& lane : t->lanes()) on_lanes += lane.kind == LaneKind::slices ? lane.slices.size() : 0;
  EXPECT_EQ(on_lanes, view->events()) << "every run lies on exactly one lane";
  for (uint32_t event = 0; event < view->events(); ++event) {
    const auto place = t->place_of(EventId{0, event});
    ASSERT_TRUE(place) << event;
    EXPECT_EQ(t->event_at(t->lanes()[place->lane], place->index), (EventId{0, event}));
  }
}

TEST(DeviceTimeline, HasTheSameLanesOfRunsBeforeItsCounters) {
  const auto view = sample();
  const auto early = make_timeline(*view, false), whole = make_timeline(*view);
  ASSERT_LT(early->lanes().size(), whole->lanes().size());
  for (const Lane& lane : early->lanes()) {
    ASSERT_NE(whole->lane(lane.id), nullptr) << lane.title;
    EXPECT_EQ(whole->lane(lane.id)->slices.size(), lane.slices.size());
    EXPECT_EQ(whole->lane(lane.id)->names, lane.names);
  }
  EXPECT_EQ(early->end(), whole->end());
}

TEST(DeviceTimeline, ShowsDmaEnginesWhereTheCaptureTellsThem) {
  const auto t = make_timeline(*sample(67));
  EXPECT_EQ(lane_called(*t, "q"), nullptr);
  ASSERT_NE(lane_called(*t, "E67"), nullptr);
  EXPECT_EQ(lane_called(*t, "E67")->slices.size(), 2u);
}

TEST(DeviceTimeline, CountsBytesBandwidthAndTheClock) {
  const auto t = make_timeline(*sample());
  const Lane* hbm = lane_called(*t, "HBM bandwidth");
  ASSERT_NE(hbm, nullptr);
  ASSERT_EQ(hbm->samples.size(), 4u);
  EXPECT_EQ(hbm->samples[0].at, 100'000);
  EXPECT_NEAR(hbm->samples[0].value, 4096 / 200e-9 * 1e-9, 1e-9) << "GB/s: 4096 bytes in 200 ns";
  EXPECT_EQ(hbm->samples[1].value, 0);
  const Lane* limit = lane_called(*t, "PE utilisation limit");
  ASSERT_NE(limit, nullptr);
  EXPECT_LT(limit->samples[0].value, 1);
  EXPECT_EQ(limit->samples[1].value, 1);
  const Lane* semaphore = lane_called(*t, "s2");
  ASSERT_NE(semaphore, nullptr);
  EXPECT_TRUE(semaphore->hidden);
  EXPECT_FALSE(hbm->hidden);
  const Lane* sbuf = lane_called(*t, "SBUF");
  ASSERT_NE(sbuf, nullptr);
  EXPECT_GT(std::max_element(sbuf->samples.begin(), sbuf->samples.end(), [](auto a, auto b) { return a.value < b.value; })->value, 0);
}

TEST(DeviceSteps, TellWhoSetTheSemaphoreAndWhoWaits) {
  const auto view = sample();
  const auto t = make_timeline(*view);
  const uint32_t copy = event_called(*view, *t, "tensor_copy"), matmul = event_called(*view, *t, "matmul");
  const auto chain = find_steps(*view, copy);
  ASSERT_EQ(chain.steps.size(), 2u);
  EXPECT_EQ(chain.steps[0].role, "before_semaphore");
  EXPECT_EQ(chain.steps[0].event, (EventId{0, matmul}));
  EXPECT_EQ(chain.steps[0].text, "s2>=1");
  EXPECT_EQ(chain.steps[0].after, 100'000) << "set at 600 ns, begun at 700 ns";
  EXPECT_EQ(chain.steps[1].role, "this");
  ASSERT_EQ(chain.arrows.size(), 1u);
  EXPECT_EQ(chain.arrows[0].from_at, 600'000);
  EXPECT_EQ(chain.arrows[0].to_at, 700'000);

  const auto of_matmul = find_steps(*view, matmul);
  EXPECT_EQ(of_matmul.steps.back().role, "after_semaphore");
  EXPECT_EQ(of_matmul.steps.back().event, (EventId{0, copy}));

  // A DMA: ordered by its trigger; the weights waited for it.
  const auto load = static_cast<uint32_t>(view->profile().instructions.size());
  const auto of_load = find_steps(*view, load);
  EXPECT_EQ(of_load.steps.front().role, "before_trigger");
  EXPECT_EQ(of_load.steps.back().role, "after_semaphore");
  EXPECT_EQ(of_load.steps.back().event, (EventId{0, event_called(*view, *t, "load_stationary")}));
}

TEST(DeviceArrows, AreThoseOfAllSteps) {
  const auto view = sample();
  const auto t = make_timeline(*view);
  const timeline::ArrowIndex index(view->ties(), *t);
  timeline::ArrowIndex::Query query;
  query.from = 0;
  query.to = t->end();
  query.limit = 100;
  query.kinds.assign(static_cast<size_t>(timeline::ArrowKind::count), true);
  uint64_t total = 0;
  const auto arrows = index.find(query, &total);
  EXPECT_EQ(total, index.size());
  EXPECT_EQ(std::count_if(arrows.begin(), arrows.end(), [](const auto& a) { return a.kind == timeline::ArrowKind::trigger; }), 2);
  EXPECT_EQ(std::count_if(arrows.begin(), arrows.end(), [](const auto& a) { return a.kind == timeline::ArrowKind::semaphore; }), 2);
}

TEST(DeviceSelect, FindsRunsByWhatTheyAre) {
  const auto view = sample();
  const auto t = make_timeline(*view);
  const auto names = [&](const Where& where) {
    std::vector<std::string> found;
    for (const uint32_t event : find_events(*view, where)) found.emplace_back(t->text_of(t->events(0).name[event]));
    return found;
  };
  Where where;
  where.opcode = "dma_copy";
  EXPECT_EQ(names(where), (std::vector<std::string>{"dma_copy", "dma_copy"}));
  where.with_dmas = true;
  EXPECT_EQ(names(where), (std::vector<std::string>{"dma_copy", "dma_copy", "x -> SBUF", "SBUF -> y"}));
  where.index = 1;
  EXPECT_EQ(names(where), (std::vector<std::string>{"dma_copy", "SBUF -> y"}));
  where = {};
  where.aten_node = "mm";
  EXPECT_EQ(names(where), (std::vector<std::string>{"matmul"}));
  where.aten_node = "-";
  EXPECT_EQ(names(where).size(), 4u);
  where = {};
  where.tensor = "y";
  EXPECT_EQ(names(where), (std::vector<std::string>{"SBUF -> y"}));
  where = {};
  where.run = "tensor[1]";
  EXPECT_EQ(names(where), (std::vector<std::string>{"matmul"}));
  where.run = "DMA of sync[0]";
  EXPECT_EQ(names(where), (std::vector<std::string>{"x -> SBUF"}));
  // The runtime's own work is in no binary: it has an engine and nothing else.
  auto profile = view->profile();
  profile.instructions.push_back(profile.instructions.back());
  profile.instructions.back().instruction = trace::device::kNone;
  profile.dmas.clear();
  const auto with_runtime = DeviceView::make(std::move(profile));
  ASSERT_TRUE(with_runtime.ok());
  Where runtime;
  runtime.engine = "sync";
  runtime.opcode = "-";
  EXPECT_EQ(find_events(**with_runtime, runtime), (std::vector<uint32_t>{5}));
  where.run = "nobody";
  EXPECT_TRUE(names(where).empty());
}

// As a launch of a compiled graph tells it: the matmul came from a line, everything else from nobody.
std::shared_ptr<const DeviceView> with_sources() {
  auto profile = sample()->profile();
  profile.program.frames = {{"/m/model.py", "forward", 12}, {"/x/torch/f.py", "linear", 3}};
  profile.program.sources = {{"mm_1", "aten.mm.default", "Net.fc", "Linear", true, 1, {1, 0}}};
  for (auto& in : profile.program.instructions)
    if (in.opcode == "matmul") in.source = 0;
  return *DeviceView::make(std::move(profile));
}

TEST(DeviceSelect, FindsRunsByModuleAndLine) {
  const auto view = with_sources();
  const auto t = make_timeline(*view);
  const auto count = [&](const Where& where) { return find_events(*view, where).size(); };
  const std::vector<uint32_t> matmul = {event_called(*view, *t, "matmul")};
  Where where;
  where.file = "/m/model.py";
  EXPECT_EQ(find_events(*view, where), matmul);
  where.line = 12;
  EXPECT_EQ(find_events(*view, where), matmul);
  where.line = 13;
  EXPECT_EQ(count(where), 0u);
  where = {};
  where.module = "Net.fc";
  EXPECT_EQ(find_events(*view, where), matmul);
  where.module = "unknown";   // as the table calls the rest
  EXPECT_EQ(count(where), view->profile().instructions.size() - 1);
  where.file = "unknown";
  EXPECT_EQ(count(where), view->profile().instructions.size() - 1);
  where = {};
  where.node = "mm_1";
  EXPECT_EQ(find_events(*view, where), matmul);
}

TEST(DeviceFields, TellTheModuleAndTheStackOfTheNode) {
  const auto view = with_sources();
  const auto t = make_timeline(*view);
  const uint32_t matmul = event_called(*view, *t, "matmul");
  JsonWriter fields, stack, none;
  fields.begin_object();
  write_fields(fields, *view, matmul);
  fields.end_object();
  EXPECT_NE(fields.text().find(R"("source_node":"mm_1","module":"Net.fc","module_class":"Linear","backward":true)"), std::string::npos) << fields.text();
  write_stack(stack, *view, matmul);
  EXPECT_EQ(stack.text(), R"([{"name":"linear","file":"/x/torch/f.py","line":3},{"name":"forward","file":"/m/model.py","line":12}])");
  write_stack(none, *view, matmul == 0 ? 1 : 0);
  EXPECT_EQ(none.text(), "[]");
}

TEST(DeviceFields, TellOperandsSemaphoresAndAmounts) {
  const auto view = sample();
  const auto t = make_timeline(*view);
  const auto json = [&](uint32_t event) {
    JsonWriter w;
    w.begin_object();
    write_fields(w, *view, event);
    w.end_object();
    return w.text();
  };
  const std::string matmul = json(event_called(*view, *t, "matmul"));
  EXPECT_NE(matmul.find(R"("aten_node":"mm")"), matmul.npos) << matmul;
  EXPECT_NE(matmul.find("PSUM 0x0, partitions 0-127: 128 x 8 float32"), matmul.npos) << matmul;
  EXPECT_NE(matmul.find(R"("updates":["s2 + 1"])"), matmul.npos) << matmul;
  EXPECT_NE(matmul.find(R"("flops":1000)"), matmul.npos) << matmul;
  const std::string dma = json(event_called(*view, *t, "SBUF -> y"));
  EXPECT_NE(dma.find(R"("bytes":4096)"), dma.npos) << dma;
  EXPECT_NE(dma.find(R"("to":"y + 0x0: 1024 float32")"), dma.npos) << dma;
  EXPECT_NE(dma.find(R"("ordered_by":{"engine":"sync","index":1)"), dma.npos) << dma;
}

}  // namespace
}  // namespace lanewise::server::device
