// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "server/timeline/timeline.h"
#include "trace/analysis/annotations.h"
#include "trace/analysis/gaps.h"
#include "trace/analysis/memory.h"

namespace lanewise::server::timeline {

using trace::analysis::Model;
using trace::analysis::Table;
using trace::schema::EventId;

namespace {

Lane lane_of_part(const Model& model, uint32_t part, const std::string& key) {
  Lane lane;
  lane.part = part;
  lane.rank = model.rank(part);
  lane.key = std::to_string(part) + "/" + key;
  return lane;
}

// Sorts the spans and puts them into rows; ordinals are places in lane->own.
void fill(Lane* lane, std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), comes_before);
  lane->slices = make_slices(spans, 0);
  lane->repaired = lane->overhead = BitMask(lane->slices.size());
  for (const uint32_t place : lane->slices.ordinal) lane->names.push_back(lane->own[place].name);
}

Span span_of(int64_t begin_ns, int64_t end_ns, int64_t origin_ns, size_t place) {
  const int64_t start = from_origin(begin_ns, 0, origin_ns);
  return {start, std::max(start, from_origin(end_ns, 0, origin_ns)), static_cast<uint32_t>(place), 0};
}

void add_steps(const Model& model, int64_t origin_ns, Names* names, std::vector<Lane>* lanes) {
  const auto& steps = model.steps();
  for (size_t i = 0; i < steps.size();) {
    Lane lane = lane_of_part(model, steps[i].part, "steps");
    lane.group = Group::annotations;
    lane.kind = LaneKind::steps;
    lane.title = "steps";
    std::vector<Span> spans;
    const uint32_t part = steps[i].part;
    for (; i < steps.size() && steps[i].part == part; ++i) {
      spans.push_back(span_of(steps[i].start_ns, steps[i].end_ns, origin_ns, lane.own.size()));
      lane.own.push_back({names->add(model.events(part).name[steps[i].row]), EventId{part, steps[i].row}});
    }
    fill(&lane, std::move(spans));
    lanes->push_back(std::move(lane));
  }
}

void add_gaps(const Model& model, int64_t origin_ns, Names* names, std::vector<Lane>* lanes) {
  const auto report = trace::analysis::find_gaps(model);
  if (!report.ok()) return;  // only a selection can fail, and there is none
  for (const auto& gaps : report->devices) {
    const auto& device = model.devices()[gaps.device];
    Lane lane = lane_of_part(model, device.part, device.name + "/gaps");
    lane.group = Group::hardware;
    lane.kind = LaneKind::gaps;
    lane.device = device.name;
    lane.title = "idle";
    lane.subtitle = device.name + ", by cause";
    std::vector<Span> spans;
    for (const auto& gap : gaps.gaps) {
      spans.push_back(span_of(gap.start_ns, gap.start_ns + gap.dur_ns, origin_ns, lane.own.size()));
      OwnSlice own{names->add_text(trace::analysis::cause_name(gap.cause)), std::nullopt};
      if (gap.event != trace::analysis::kNoRow) own.event = EventId{gap.event_part, gap.event};
      lane.own.push_back(own);
    }
    fill(&lane, std::move(spans));
    lanes->push_back(std::move(lane));
  }
}

// Marked ranges of the host over the device work that they asked for, where the file has no such rows itself and one device.
void add_projections(const Model& model, int64_t origin_ns, const std::vector<bool>& projected_parts, Names* names, std::vector<Lane>* lanes) {
  const auto tables = trace::analysis::annotations_tables(model);
  if (!tables.ok()) return;
  for (const auto& file : model.files()) {
    const uint32_t part = file.part;
    const auto of_part = [&](const auto& device) { return device.part == part; };
    if (projected_parts[part] || file.repeats || std::count_if(model.devices().begin(), model.devices().end(), of_part) != 1) continue;
    const std::string device = std::find_if(model.devices().begin(), model.devices().end(), of_part)->name;
    Lane lane = lane_of_part(model, part, device + "/projected");
    lane.group = Group::annotations;
    lane.device = device;
    lane.title = "ranges on " + device;
    lane.subtitle = "from their first to their last device work";
    std::vector<Span> spans;
    for (const Table& table : *tables) {
      if (table.name() != "ranges") continue;
      const auto& begins = table["device_start"].integers;
      const auto& ends = table["device_end"].integers;
      const auto& events = table["event"].integers;
      for (size_t row = 0; row < table.rows(); ++row) {
        const EventId event = EventId::unpack(static_cast<uint64_t>(events[row]));
        if (event.part != part || begins[row] == trace::analysis::kNullInteger) continue;
        spans.push_back(span_of(begins[row] + model.begin_ns(), ends[row] + model.begin_ns(), origin_ns, lane.own.size()));
        lane.own.push_back({names->add(model.events(part).name[event.ordinal]), event});
      }
    }
    if (spans.empty()) continue;
    fill(&lane, std::move(spans));
    lanes->push_back(std::move(lane));
  }
}

void add_memory(const Model& model, int64_t origin_ns, std::vector<Lane>* lanes) {
  const auto filter = trace::analysis::Filter::make(model, {});
  if (!filter.ok()) return;
  for (const auto& memory : trace::analysis::find_memory(model, *filter)) {
    Lane allocated = lane_of_part(model, memory.part, memory.device + "/allocated");
    allocated.group = Group::counters;
    allocated.kind = LaneKind::counter;
    allocated.device = memory.device;
    allocated.subtitle = memory.from_calls ? "bytes, from the runtime's calls" : "bytes";
    Lane reserved = allocated;
    allocated.title = memory.device + " allocated";
    reserved.title = memory.device + " reserved";
    reserved.key = std::to_string(memory.part) + "/" + memory.device + "/reserved";
    for (const auto& event : memory.events) {
      const int64_t at = from_origin(event.at_ns, 0, origin_ns);
      allocated.samples.push_back({at, static_cast<double>(event.total)});
      if (event.reserved != trace::analysis::kNullInteger) reserved.samples.push_back({at, static_cast<double>(event.reserved)});
    }
    lanes->push_back(std::move(allocated));
    if (!reserved.samples.empty()) lanes->push_back(std::move(reserved));
  }
}

}  // namespace

std::vector<Lane> extra_lanes(const Model& model, int64_t origin_ns, const std::vector<bool>& projected_parts, Names* names) {
  std::vector<Lane> lanes;
  add_steps(model, origin_ns, names, &lanes);
  add_gaps(model, origin_ns, names, &lanes);
  add_projections(model, origin_ns, projected_parts, names, &lanes);
  add_memory(model, origin_ns, &lanes);
  add_counter_lanes(model, origin_ns, &lanes);
  return lanes;
}

}  // namespace lanewise::server::timeline
