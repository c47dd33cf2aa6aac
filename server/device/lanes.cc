// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From runs to lanes of events; counters have a file of their own.
#include <algorithm>
#include <map>
#include <string>

#include "server/device/counters.h"
#include "server/device/device_view.h"
#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/names.h"
#include "trace/schema/event_table_builder.h"

namespace lanewise::server::device {

using timeline::Group;
using timeline::Lane;
using timeline::Span;
using timeline::Timeline;
using trace::device::kNone;
using trace::schema::EventTableBuilder;
using trace::store::StringId;
using trace::store::StringPool;

namespace {

// The tensor engine has two lanes, as its work has two kinds that overlap: what it loads and moves, and what writes PSUM.
struct EngineLane {
  isa::Engine engine;
  bool matrix;
  std::string_view title, subtitle;
};
constexpr EngineLane kEngineLanes[] = {
    {isa::Engine::sync, false, "Sync", ""},
    {isa::Engine::pe, false, "Tensor", "weight loads"},
    {isa::Engine::pe, true, "TensorMatrix", "matmuls"},
    {isa::Engine::vector, false, "Vector", ""},
    {isa::Engine::scalar, false, "Scalar", ""},
    {isa::Engine::gpsimd, false, "GpSimd", ""},
};
constexpr size_t kEngineLaneCount = std::size(kEngineLanes);

// A matmul accumulates into PSUM; nothing else of the tensor engine writes anywhere but its own array.
bool is_matrix(const trace::device::Instruction* in) {
  if (in == nullptr) return false;
  return in->flops > 0 || std::any_of(in->operands.begin(), in->operands.end(), [](const auto& o) { return o.space == trace::device::Space::psum; });
}

size_t engine_lane(isa::Engine engine, bool matrix) {
  for (size_t i = 0; i < kEngineLaneCount; ++i) {
    if (kEngineLanes[i].engine == engine && kEngineLanes[i].matrix == (engine == isa::Engine::pe && matrix)) return i;
  }
  return 0;
}

class Builder {
 public:
  explicit Builder(const DeviceView& view) : view_(view), profile_(view.profile()), cores_(trace::device_analysis::core_count(profile_)) {}

  std::shared_ptr<const Timeline> build(bool counters) {
    track_ = events_.track({pool_->intern("device"), pool_->intern("runs")});
    add_engines();
    add_dmas();
    for (Lane& lane : counters ? counter_lanes(profile_, view_.machine(), cores_) : std::vector<Lane>()) {
      for (timeline::Sample& sample : lane.samples) sample.at -= view_.zero().value;
      if (lane.group == Group::counters) lanes_.push_back({std::move(lane), {}});
      else semaphores_.push_back({std::move(lane), {}});
    }
    std::move(semaphores_.begin(), semaphores_.end(), std::back_inserter(lanes_));
    return Timeline::of_lanes(events_.publish(), std::move(lanes_), pool_, view_.time(Picos(0)), view_.time(trace::device_analysis::whole(profile_)));
  }

 private:
  StringId name(std::string_view text) { return pool_->intern(text.empty() ? std::string_view("?") : text); }

  void add_event(trace::schema::Row* row, StringId name, StringId category, Picos begin, Picos end, bool setup, std::vector<Span>* spans) {
    trace::schema::NewEvent event;
    event.ts_ns = view_.time(begin);
    event.dur_ns = std::max<int64_t>(0, (end - begin).value);
    event.name = name;
    event.category = category;
    event.track = track_;
    event.phase = 'X';
    event.role = setup ? trace::schema::Role::overhead : trace::schema::Role::other;
    *row = events_.append(event);
    spans->push_back({view_.time(begin), view_.time(std::max(begin, end)), *row, 0});
  }

  void add_engines() {
    const auto& program = profile_.program;
    const StringId category = pool_->intern("instruction");
    std::vector<StringId> names;
    std::vector<uint8_t> lane_of;
    for (const auto& in : program.instructions) {
      names.push_back(name(in.opcode));
      lane_of.push_back(static_cast<uint8_t>(engine_lane(in.engine, is_matrix(&in))));
    }
    const size_t first = lanes_.size();
    for (uint16_t core = 0; core < cores_; ++core) {
      for (const EngineLane& e : kEngineLanes) {
        Lane lane = lane_of_core(core, Group::engines, std::string(e.title));
        lane.subtitle = cores_ > 1 ? lane.device : std::string(e.subtitle);
        lanes_.push_back({std::move(lane), {}});
      }
    }
    for (const auto& run : profile_.instructions) {
      const bool known = run.instruction != kNone;
      const size_t lane = known ? lane_of[run.instruction] : engine_lane(run.engine, false);
      trace::schema::Row row = 0;
      add_event(&row, known ? names[run.instruction] : name("runtime"), category, run.begin, run.end, !known || program.instructions[run.instruction].setup,
                &lanes_[first + run.core * kEngineLaneCount + lane].spans);
    }
  }

  void add_dmas() {
    const auto& program = profile_.program;
    const StringId category = pool_->intern("dma");
    // A lane each queue or, where the capture tells the engine, each DMA engine.
    std::map<std::tuple<uint16_t, bool, uint32_t>, size_t> lane_of;
    for (const auto& run : profile_.dmas) lane_of.emplace(key_of(run), 0);
    for (auto& [key, index] : lane_of) {
      const auto [core, by_queue, number] = key;
      const bool named = by_queue && number != kNone;
      Lane lane = lane_of_core(core, Group::dma, !by_queue ? "E" + std::to_string(number) : named ? program.queues[number].name : "other DMAs");
      lane.subtitle = cores_ > 1 ? lane.device : named ? "queue of " + std::string(trace::device_analysis::lane_name(program.queues[number].engine)) : "";
      index = lanes_.size();
      lanes_.push_back({std::move(lane), {}});
    }
    std::vector<StringId> names(program.descriptors.size(), trace::store::kNoString);
    const StringId transfer = name("transfer");
    for (const auto& run : profile_.dmas) {
      StringId text = transfer;
      if (run.descriptor != kNone) {
        StringId& known = names[run.descriptor];
        if (known == trace::store::kNoString) {
          const std::string direction = trace::device_analysis::direction_text(profile_, run);
          known = direction.empty() ? transfer : name(direction);
        }
        text = known;
      }
      trace::schema::Row row = 0;
      add_event(&row, text, category, run.begin, run.end, run.setup, &lanes_[lane_of[key_of(run)]].spans);
    }
  }

  static std::tuple<uint16_t, bool, uint32_t> key_of(const trace::device::DmaRun& run) {
    const bool by_queue = run.dma_engine == UINT16_MAX;
    return {run.core, by_queue, by_queue ? run.queue : run.dma_engine};
  }

  Lane lane_of_core(uint16_t core, Group group, std::string title) const {
    Lane lane;
    lane.group = group;
    lane.device = "nc" + std::to_string(profile_.first_core + core);
    lane.pid = lane.device;
    lane.tid = title;
    lane.title = std::move(title);
    lane.key = lane.device + "/" + std::string(group_name(group)) + "/" + lane.title;
    return lane;
  }

  const DeviceView& view_;
  const trace::device::DeviceProfile& profile_;
  const uint16_t cores_;
  std::shared_ptr<StringPool> pool_ = std::make_shared<StringPool>();
  EventTableBuilder events_;
  uint32_t track_ = 0;
  std::vector<Timeline::MadeLane> lanes_, semaphores_;
};

}  // namespace

std::shared_ptr<const Timeline> make_timeline(const DeviceView& view, bool counters) { return Builder(view).build(counters); }

}  // namespace lanewise::server::device
