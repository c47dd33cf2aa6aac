// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/device_perfetto.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "trace/device_analysis/counter_series.h"
#include "trace/device_analysis/dependencies.h"
#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/names.h"
#include "trace/export/perfetto_packets.h"

namespace lanewise::trace::exporting {
namespace {

using device::DmaRun;
using device::InstructionRun;
using device::kNone;

constexpr size_t kFlushBytes = size_t{1} << 20;
constexpr int64_t kPicosOfNano = 1000;

// Also of a time before the capture's begin, which only a damaged file has.
int64_t floor_ns(Picos at) { return at.value / kPicosOfNano - (at.value % kPicosOfNano < 0); }

// Engines come before DMAs; `number` is the engine, the queue or the DMA engine.
struct TrackKey {
  uint16_t core;
  enum class Kind : uint8_t { engine, queue, dma_engine } kind;
  uint32_t number;
  auto operator<=>(const TrackKey&) const = default;
};

TrackKey key_of(const InstructionRun& run) { return {run.core, TrackKey::Kind::engine, static_cast<uint32_t>(run.engine)}; }
TrackKey key_of(const DmaRun& run) {
  if (run.dma_engine != UINT16_MAX) return {run.core, TrackKey::Kind::dma_engine, run.dma_engine};
  return {run.core, TrackKey::Kind::queue, run.queue};
}

class DeviceExporter {
 public:
  DeviceExporter(const device::DeviceProfile& profile, const machine::Machine& machine, const DevicePerfettoOptions& options, const std::function<Status(std::string_view)>& write)
      : profile_(profile), write_(write), counters_(device_analysis::counter_series(profile, machine, device_analysis::core_count(profile))), packets_(false),
        directions_(profile.program.descriptors.size()) {
    if (options.semaphores) {
      auto semaphores = device_analysis::semaphore_series(profile);
      std::move(semaphores.begin(), semaphores.end(), std::back_inserter(counters_));
    }
    find_arrows(machine);
  }

  Result<DevicePerfettoReport> run() {
    int64_t first = 0;
    for (const auto& run : profile_.instructions) first = std::min(first, floor_ns(run.begin));
    for (const auto& run : profile_.dmas) first = std::min(first, floor_ns(run.begin));
    for (const auto& series : counters_) {
      if (!series.samples.empty()) first = std::min(first, floor_ns(series.samples.front().at));
    }
    moved_ns_ = -first;
    packets_.begin(0, &out_);
    describe_tracks();
    uint32_t node = 0;   // instructions, then DMAs: as Dependencies numbers them
    for (const auto& run : profile_.instructions) {
      open(run);
      describe(run);
      tie(node++);
      LW_RETURN_IF_ERROR(close(run.end));
      ++report_.instructions;
    }
    for (const auto& run : profile_.dmas) {
      open(run);
      describe(run);
      tie(node++);
      LW_RETURN_IF_ERROR(close(run.end));
      ++report_.dmas;
    }
    for (size_t i = 0; i < counters_.size(); ++i) LW_RETURN_IF_ERROR(write_counter(counters_[i], counter_tracks_[i]));
    LW_RETURN_IF_ERROR(write_(out_));
    return report_;
  }

 private:
  struct Track {
    uint64_t parent = 0;
    std::string name;
    struct Lane {
      uint64_t uuid;
      Picos end;
    };
    std::vector<Lane> lanes;
  };

  // All of them first and in order, so that a viewer lists them so.
  void describe_tracks() {
    for (const auto& run : profile_.instructions) tracks_[key_of(run)];
    for (const auto& run : profile_.dmas) tracks_[key_of(run)];
    std::optional<uint16_t> core;
    uint64_t group = 0;
    for (auto& [key, track] : tracks_) {
      if (core != key.core) {
        core = key.core;
        group = ++last_uuid_;
        packets_.describe({.uuid = group, .name = "nc " + std::to_string(profile_.first_core + key.core)}, &out_);
      }
      groups_[key.core] = group;
      track.parent = group;
      track.name = title(key);
      add_lane(track);
    }
    for (const auto& series : counters_) {
      const auto of_core = groups_.find(series.core);
      counter_tracks_.push_back(++last_uuid_);
      if (of_core == groups_.end() || series.samples.empty()) continue;   // of a core without a run, or nothing to show
      packets_.describe({.uuid = last_uuid_, .parent = of_core->second, .name = series.name + " (" + series.unit + ")", .counter = true}, &out_);
      ++report_.counters;
    }
  }

  // Each tie has a number; of node n those that begin there are from_[from_first_[n] ..], those that end there are one row of to_first_.
  void find_arrows(const machine::Machine& machine) {
    const device_analysis::Dependencies d(profile_, machine);
    const auto each = [&](const auto& use) {
      for (uint32_t node = 0; node < d.nodes(); ++node) {
        for (const auto& c : d.before(node)) {
          using device_analysis::Why;
          if (c.from != kNone && (c.why == Why::semaphore || c.why == Why::trigger)) use(c.from, node);
        }
      }
    };
    to_first_.assign(d.nodes() + 1, 0);
    from_first_.assign(d.nodes() + 1, 0);
    each([&](uint32_t from, uint32_t to) { ++from_first_[from + 1], ++to_first_[to + 1]; });
    for (size_t i = 1; i < to_first_.size(); ++i) to_first_[i] += to_first_[i - 1], from_first_[i] += from_first_[i - 1];
    from_.resize(from_first_.back());
    std::vector<uint32_t> next(from_first_.begin(), from_first_.end() - 1);
    uint32_t number = 0;
    each([&](uint32_t from, uint32_t) { from_[next[from]++] = ++number; });
  }

  void tie(uint32_t node) {
    for (uint32_t i = from_first_[node]; i < from_first_[node + 1]; ++i) packets_.flow(from_[i], false);
    for (uint32_t i = to_first_[node]; i < to_first_[node + 1]; ++i) packets_.flow(i + 1, true);
    report_.arrows += to_first_[node + 1] - to_first_[node];
  }

  Status write_counter(const device_analysis::CounterSeries& series, uint64_t track) {
    if (!groups_.contains(series.core)) return ok_status();
    for (size_t i = 0; i < series.samples.size(); ++i) {
      const int64_t at = floor_ns(series.samples[i].at);
      if (i + 1 < series.samples.size() && floor_ns(series.samples[i + 1].at) == at) continue;
      packets_.open(PerfettoPackets::kCounter, track, at + moved_ns_);
      packets_.counter(series.samples[i].value);
      packets_.finish(&out_);
      ++report_.samples;
      LW_RETURN_IF_ERROR(flush());
    }
    return ok_status();
  }

  std::string title(const TrackKey& key) const {
    switch (key.kind) {
      case TrackKey::Kind::engine: return std::string(device_analysis::lane_name(static_cast<isa::Engine>(key.number)));
      case TrackKey::Kind::dma_engine: return "DMA engine " + std::to_string(key.number);
      case TrackKey::Kind::queue: break;
    }
    return key.number == kNone ? "other DMAs" : profile_.program.queues[key.number].name;
  }

  Track::Lane& add_lane(Track& track) {
    const size_t beside = track.lanes.size();
    track.lanes.push_back({++last_uuid_, Picos(INT64_MIN)});
    packets_.describe({.uuid = last_uuid_, .parent = track.parent, .name = track.name + (beside > 0 ? " (overlap " + std::to_string(beside) + ")" : "")}, &out_);
    ++report_.tracks;
    return track.lanes.back();
  }

  // Runs come by begin, so the first lane whose last run is over is free.
  template <typename Run>
  void open(const Run& run) {
    Track& track = tracks_.find(key_of(run))->second;
    const auto free = std::find_if(track.lanes.begin(), track.lanes.end(), [&](const auto& lane) { return lane.end <= run.begin; });
    report_.other_lanes += free != track.lanes.begin();
    Track::Lane& lane = free != track.lanes.end() ? *free : add_lane(track);
    lane.end = std::max(run.begin, run.end);
    at_ = lane.uuid;
    packets_.open(PerfettoPackets::kBegin, at_, floor_ns(run.begin) + moved_ns_);
    begin_ = run.begin;
  }

  Status close(Picos end) {
    packets_.integer("begin_ps", begin_.value);
    packets_.integer("duration_ps", std::max(begin_, end).value - begin_.value);
    packets_.finish(&out_);
    packets_.open(PerfettoPackets::kEnd, at_, floor_ns(std::max(begin_, end)) + moved_ns_);
    packets_.finish(&out_);
    return flush();
  }

  Status flush() {
    if (out_.size() < kFlushBytes) return ok_status();
    LW_RETURN_IF_ERROR(write_(out_));
    out_.clear();
    return ok_status();
  }

  void text(std::string_view key, const std::string& value) {
    if (!value.empty()) packets_.text(key, value);
  }
  void count(std::string_view key, int64_t value) {
    if (value != 0) packets_.integer(key, value);
  }

  void describe(const InstructionRun& run) {
    if (run.instruction == kNone) {
      packets_.name("runtime", "setup");
      return;
    }
    const device::Instruction& in = profile_.program.instructions[run.instruction];
    packets_.name(in.opcode.empty() ? "?" : in.opcode, run.setup || in.setup ? "setup" : "instruction");
    packets_.integer("index", in.index);
    count("iteration", run.iteration);
    text("text", in.text);
    text("name", in.name);
    text("ir_op", in.ir_op);
    text("aten_node", in.aten_node);
    count("flops", in.flops);
    if (run.throttled) packets_.integer("throttled", 1);
  }

  void describe(const DmaRun& run) {
    packets_.name(direction(run), run.setup ? "setup" : "dma");
    packets_.integer("bytes", run.bytes);
    packets_.integer("descriptors", run.descriptors);
    count("iteration", run.iteration);
    if (run.queue != kNone) text("queue", profile_.program.queues[run.queue].name);
    if (run.trigger != kNone) {
      const device::Instruction& in = profile_.program.instructions[run.trigger];
      packets_.text("trigger", std::string(device_analysis::lane_name(in.engine)) + "[" + std::to_string(in.index) + "]");
      text("ir_op", in.ir_op);
      text("aten_node", in.aten_node);
    }
  }

  const std::string& direction(const DmaRun& run) {
    static const std::string kUnknown = "transfer";
    if (run.descriptor == kNone) return kUnknown;
    std::string& known = directions_[run.descriptor];
    if (known.empty()) known = device_analysis::direction_text(profile_, run);
    if (known.empty()) known = kUnknown;
    return known;
  }

  const device::DeviceProfile& profile_;
  const std::function<Status(std::string_view)>& write_;
  std::vector<device_analysis::CounterSeries> counters_;
  std::vector<uint64_t> counter_tracks_;   // by row of counters_
  std::map<uint16_t, uint64_t> groups_;    // by core
  std::vector<uint32_t> to_first_, from_first_, from_;   // arrows
  PerfettoPackets packets_;
  DevicePerfettoReport report_;
  std::map<TrackKey, Track> tracks_;
  std::vector<std::string> directions_;   // by descriptor, when asked for
  std::string out_;
  uint64_t last_uuid_ = 0, at_ = 0;
  int64_t moved_ns_ = 0;
  Picos begin_;
};

}  // namespace

Result<DevicePerfettoReport> write_device_perfetto(const device::DeviceProfile& profile, const machine::Machine& machine, const DevicePerfettoOptions& options,
                                                   const std::function<Status(std::string_view)>& write) {
  if (profile.instructions.empty() && profile.dmas.empty()) return failed_precondition("the profile has no run: there is nothing to draw");
  return DeviceExporter(profile, machine, options, write).run();
}

}  // namespace lanewise::trace::exporting
