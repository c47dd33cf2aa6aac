// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Timeline: all lanes of a trace, immutable. Built from the tables of its files as far as they are read, so one can be made while
// an import still runs. Every slice with a time lies on exactly one lane of events; lanes of steps, gaps and projections
// repeat some of them in another form.
//
//   lane   one (file, pid, tid) and one of: host, runtime, device, waits, device annotations, overhead, profiler, other
//
// Runtime calls have a lane of their own, apart from files beside a system trace (ntrace.pb): there the system trace tells the
// runtime's side, and PyTorch's copies of its calls stay inside their operators. In a system trace a track of the device keeps
// all that is on it together: the parts of an execution are rows below it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/timeline/lane.h"
#include "server/timeline/names.h"
#include "trace/analysis/model.h"
#include "trace/schema/event_id.h"
#include "trace/schema/event_table.h"

namespace lanewise::server::timeline {

// One file, as far as it is there.
struct PartTables {
  uint32_t part = 0;
  uint32_t unit = 0;              // parts of one unit (a capture folder) stand together: the part whose work it repeats, else itself
  trace::schema::EventTable events;
  int64_t offset_ns = 0;          // from the file's times to session time
  std::optional<int64_t> rank;
  bool system_trace = false;      // repeats the device work of another part
  bool beside_system_trace = false;
  const trace::analysis::Nesting* nesting = nullptr;  // null: made here
};

struct Place {
  uint32_t lane = 0, row = 0, index = 0;  // index of the lane in `lanes`, row, place in its slices
};

class Timeline {
 public:
  // Every part's index is its number. `model`: null while importing. `names`: of the timeline before, or null.
  static std::shared_ptr<const Timeline> build(std::vector<PartTables> parts, std::shared_ptr<const trace::store::StringPool> strings,
                                               std::shared_ptr<const trace::analysis::Model> model, int64_t origin_ns,
                                               const Names* names);
  // Lanes in the order in which they are drawn, made elsewhere: of one file, from `begin` to `end`. A lane of events has `spans` of rows of
  // `events`, its slices and names are made here; a counter has samples and no spans.
  struct MadeLane {
    Lane lane;
    std::vector<Span> spans;
  };
  static std::shared_ptr<const Timeline> of_lanes(trace::schema::EventTable events, std::vector<MadeLane> lanes,
                                                  std::shared_ptr<const trace::store::StringPool> strings, int64_t begin, int64_t end);

  const std::vector<Lane>& lanes() const { return lanes_; }
  // Null when there is no such lane.
  const Lane* lane(uint32_t id) const;
  size_t index_of(const Lane& lane) const { return static_cast<size_t>(&lane - lanes_.data()); }
  const Names& names() const { return *names_; }
  // A text of the trace.
  std::string_view text_of(trace::store::StringId id) const { return strings_->text(id); }
  const std::vector<PartTables>& parts() const { return parts_; }
  const trace::schema::EventTable& events(uint32_t part) const { return parts_[part].events; }
  // Session time of offset 0.
  int64_t origin_ns() const { return origin_ns_; }
  // First start and last end of all lanes, from the origin.
  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }

  std::optional<Place> place_of(trace::schema::EventId event) const;
  // Index of the lane that an event lies on.
  std::optional<uint32_t> lane_index(trace::schema::EventId event) const;
  // Of a place in a lane.
  std::optional<trace::schema::EventId> event_at(const Lane& lane, uint32_t index) const;
  int64_t start_of(trace::schema::EventId event) const;

 private:
  friend class TimelineBuilder;
  Timeline() = default;
  std::vector<PartTables> parts_;
  std::vector<Lane> lanes_;
  std::vector<std::pair<uint32_t, uint32_t>> by_id_;  // id, index
  std::vector<std::vector<uint32_t>> lane_of_, row_of_;  // by part, by event row; kNowhere
  std::shared_ptr<const Names> names_;
  std::shared_ptr<const trace::store::StringPool> strings_;
  int64_t origin_ns_ = 0, begin_ = 0, end_ = 0;
};

// Lanes that need a whole model, apart from their id: steps, gaps, projected annotations, memory and counters.
// `projected_parts`: parts that have device annotations of their own.
std::vector<Lane> extra_lanes(const trace::analysis::Model& model, int64_t origin_ns, const std::vector<bool>& projected_parts, Names* names);
// Of one kind each; extra_lanes calls them.
void add_counter_lanes(const trace::analysis::Model& model, int64_t origin_ns, std::vector<Lane>* lanes);

// The same in every run: lanes are named by it in addresses and saved layouts. 31 bits, so it is a small number everywhere.
uint32_t lane_id(std::string_view key);

// A time of a damaged file can be anything: what lies further than 2^61 ns from the origin stands there.
int64_t from_origin(int64_t time_ns, int64_t offset_ns, int64_t origin_ns);

}  // namespace lanewise::server::timeline
