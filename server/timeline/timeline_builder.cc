// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From event tables to lanes. Two passes over each file: which lane an event is on, then the spans of each lane; lanes are sorted
// and put into rows side by side on all cores.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "server/timeline/timeline.h"
#include "trace/analysis/parallel.h"
#include "trace/analysis/time_limits.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::server::timeline {

using trace::analysis::Model;
using trace::schema::EventTable;
using trace::schema::Role;
using trace::schema::Row;
using trace::store::StringId;
using trace::store::StringPool;

namespace {

constexpr uint32_t kNowhere = ~uint32_t{0};

enum class LaneClass : uint8_t { host, runtime, device, waits, projected, overhead, profiler, other, count };
constexpr size_t kClasses = static_cast<size_t>(LaneClass::count);

LaneClass class_of(Role role, const PartTables& part, bool device_track) {
  const bool all_together = part.system_trace && device_track;
  switch (role) {
    case Role::cpu_op:
    case Role::annotation:
    case Role::python: return LaneClass::host;
    case Role::runtime: return part.beside_system_trace ? LaneClass::host : LaneClass::runtime;
    case Role::kernel:
    case Role::memcpy:
    case Role::memset: return LaneClass::device;
    case Role::sync:
    case Role::wait: return part.system_trace ? LaneClass::device : LaneClass::waits;
    case Role::device_annotation: return all_together ? LaneClass::device : LaneClass::projected;
    case Role::overhead: return all_together ? LaneClass::device : LaneClass::overhead;
    case Role::span: return LaneClass::profiler;
    default: return LaneClass::other;
  }
}

constexpr std::array<std::string_view, kClasses> kClassNames = {"host", "runtime", "device", "waits", "projected", "overhead", "profiler", "other"};

Group group_of(LaneClass kind, bool device_track) {
  switch (kind) {
    case LaneClass::runtime: return Group::runtime;
    case LaneClass::device:
    case LaneClass::waits: return Group::hardware;
    case LaneClass::projected: return Group::annotations;
    case LaneClass::other: return device_track ? Group::hardware : Group::framework;
    default: return Group::framework;
  }
}

uint32_t inside_rank(Role role) { return role == Role::runtime ? 2 : role == Role::cpu_op ? 1 : 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

// Names that metadata events give to threads and processes.
struct Labels {
  std::map<std::pair<StringId, StringId>, std::string> threads;
  std::map<StringId, std::string> processes;
};

Labels read_labels(const EventTable& events, const StringPool& strings) {
  Labels labels;
  const auto& texts = events.arg(trace::schema::ArgKey::label);
  for (size_t i = 0; i < texts.size(); ++i) {
    const Row row = texts.row(i);
    if (row >= events.rows() || events.phase[row] != 'M') continue;
    const std::string_view kind = strings.text(events.name[row]);
    const std::string text(trimmed(strings.text(static_cast<StringId>(texts.value(i)))));
    const auto track = events.track_of(row);
    if (kind == "thread_name") labels.threads[{track.pid, track.tid}] = text;
    else if (kind == "process_name") labels.processes[track.pid] = text;
  }
  return labels;
}

}  // namespace

class TimelineBuilder {
 public:
  TimelineBuilder(std::vector<PartTables> parts, std::shared_ptr<const StringPool> strings, std::shared_ptr<const Model> model, int64_t origin_ns,
                  const Names* names)
      : strings_(std::move(strings)), model_(std::move(model)) {
    out_->parts_ = std::move(parts);
    out_->origin_ns_ = origin_ns;
    out_->strings_ = strings_;
    names_ = names ? std::make_shared<Names>(*names) : std::make_shared<Names>(strings_);
  }

  std::shared_ptr<const Timeline> build() {
    names_->add_text({});
    for (PartTables& part : out_->parts_) add_part(part);
    make_rows();
    if (model_ != nullptr) add_extra();
    order_lanes();
    out_->names_ = names_;
    return out_;
  }

 private:
  struct Draft {
    Lane lane;
    LaneClass kind = LaneClass::other;
    uint32_t slot = 0, part = 0;
    std::vector<Span> spans;
    bool sorted = false;
    std::vector<uint32_t> rows;
    int64_t first = std::numeric_limits<int64_t>::max();
    bool system_trace = false;
  };

  void add_part(const PartTables& part) {
    const EventTable& events = part.events;
    const size_t rows = events.rows(), tracks = events.tracks();
    std::vector<bool> device_track(tracks);
    for (Row row = 0; row < rows; ++row) {
      if (is_device(events.role_of(row))) device_track[events.track[row]] = true;
    }
    std::vector<uint32_t> count(tracks * kClasses);
    std::vector<uint32_t>& lane_of = out_->lane_of_.emplace_back(rows, kNowhere);
    out_->row_of_.emplace_back(rows, kMaxRows);
    for (Row row = 0; row < rows; ++row) {
      if (!trace::analysis::has_span(events, row)) continue;
      const uint32_t track = events.track[row];
      const LaneClass kind = class_of(events.role_of(row), part, device_track[track]);
      const uint32_t slot = track * static_cast<uint32_t>(kClasses) + static_cast<uint32_t>(kind);
      lane_of[row] = slot;
      ++count[slot];
      names_->add(events.name[row]);
    }
    const Labels labels = read_labels(events, *strings_);
    std::vector<uint32_t> draft_of(count.size(), kNowhere);
    for (uint32_t slot = 0; slot < count.size(); ++slot) {
      if (count[slot] == 0) continue;
      draft_of[slot] = static_cast<uint32_t>(drafts_.size());
      Draft& draft = drafts_.emplace_back();
      draft.slot = slot;
      draft.part = part.part;
      draft.kind = static_cast<LaneClass>(slot % kClasses);
      draft.system_trace = part.system_trace;
      draft.spans.reserve(count[slot]);
      describe(part, labels, slot / static_cast<uint32_t>(kClasses), device_track, &draft);
    }
    const auto add = [&](Row row) {
      const int64_t start = from_origin(events.ts_ns[row], part.offset_ns, out_->origin_ns_);
      const int64_t end = from_origin(trace::analysis::slice_end(events, row), part.offset_ns, out_->origin_ns_);
      drafts_[draft_of[lane_of[row]]].spans.push_back({start, std::max(start, end), row, inside_rank(events.role_of(row))});
    };
    if (part.nesting != nullptr) {
      // Host slices lie there as they nest.
      for (const Row row : part.nesting->order) add(row);
    }
    for (Row row = 0; row < rows; ++row) {
      if (lane_of[row] == kNowhere) continue;
      if (part.nesting == nullptr || !is_host_slice(events.role_of(row))) add(row);
      lane_of[row] = draft_of[lane_of[row]];
    }
    for (Draft& draft : drafts_) {
      if (draft.part == part.part) draft.sorted = part.nesting != nullptr && (draft.kind == LaneClass::host || draft.kind == LaneClass::runtime);
    }
    const int64_t tick = part.nesting ? part.nesting->tick_ns : trace::analysis::tick_of(events);
    ticks_.push_back(tick);
  }

  void describe(const PartTables& part, const Labels& labels, uint32_t track, const std::vector<bool>& device_track, Draft* draft) {
    const EventTable& events = part.events;
    const StringId pid = events.track_pid[track], tid = events.track_tid[track];
    Lane& lane = draft->lane;
    lane.part = part.part;
    lane.rank = part.rank;
    lane.pid = strings_->text(pid);
    lane.tid = strings_->text(tid);
    lane.group = group_of(draft->kind, device_track[track]);
    lane.key = std::to_string(part.part) + "/" + lane.pid + "/" + lane.tid + "/" + std::string(kClassNames[static_cast<size_t>(draft->kind)]);
    const auto thread = labels.threads.find({pid, tid});
    std::string title = thread != labels.threads.end() && !thread->second.empty() ? thread->second : "";
    const bool number = !lane.tid.empty() && lane.tid.find_first_not_of("0123456789") == lane.tid.npos;
    const bool on_device = lane.group == Group::hardware || draft->kind == LaneClass::projected;
    if (title.empty()) title = !number ? lane.tid : (on_device ? "stream " : "thread ") + lane.tid;
    const auto process_label = labels.processes.find(pid);
    if (process_label != labels.processes.end() && title == process_label->second && number) title += " " + lane.tid;
    switch (draft->kind) {
      case LaneClass::waits: title += ", waits"; break;
      case LaneClass::projected: title += ", annotations"; break;
      case LaneClass::overhead: title = "profiler's overhead"; break;
      case LaneClass::profiler: title = "profiler: " + title; break;
      case LaneClass::other: title += ", other"; break;
      default: break;
    }
    lane.title = title;
    if (process_label != labels.processes.end()) lane.subtitle = process_label->second + " ";
    if (!on_device && !lane.pid.empty()) lane.subtitle += "pid " + lane.pid;
    lane.subtitle = std::string(trimmed(lane.subtitle));
  }

  void make_rows() {
    trace::analysis::parallel_for(drafts_.size(), 0, [&](size_t i) {
      Draft& draft = drafts_[i];
      if (!draft.sorted && !std::is_sorted(draft.spans.begin(), draft.spans.end(), comes_before)) {
        std::sort(draft.spans.begin(), draft.spans.end(), comes_before);
      }
      Lane& lane = draft.lane;
      lane.slices = make_slices(draft.spans, ticks_[draft.part], &draft.rows);
      for (size_t k = 0; k < draft.spans.size(); ++k) {
        out_->row_of_[draft.part][draft.spans[k].ordinal] = draft.rows[k];
        draft.first = std::min(draft.first, draft.spans[k].start);
      }
      finish_lane(&draft);
      draft.spans = {};
      draft.rows = {};
    });
  }

  // What a frame tells about single slices, and the device of the lane.
  void finish_lane(Draft* draft) {
    Lane& lane = draft->lane;
    const EventTable& events = out_->parts_[draft->part].events;
    lane.repaired = BitMask(lane.slices.size());
    lane.overhead = BitMask(lane.slices.size());
    lane.names.resize(lane.slices.size());
    for (uint32_t i = 0; i < lane.slices.size(); ++i) {
      const Row row = lane.slices.ordinal[i];
      lane.names[i] = names_->index_of(events.name[row]);
      if ((events.flags[row] & (trace::schema::kRepaired | trace::schema::kClipped)) != 0) lane.repaired.set(i);
      if (events.role_of(row) == Role::overhead) lane.overhead.set(i);
    }
    lane.repaired.freeze();
    lane.overhead.freeze();
    const bool on_device = draft->kind == LaneClass::device || draft->kind == LaneClass::waits || draft->kind == LaneClass::projected;
    if (!on_device || lane.slices.size() == 0) return;
    const Row row = lane.slices.ordinal[0];
    lane.device = model_ ? model_->device_name(draft->part, row) : lane.pid;
    const int64_t stream = events.stream[row];
    if (stream != trace::schema::kNoId) {
      lane.stream = trace::schema::is_text_id(stream) ? std::string(strings_->text(trace::schema::text_of_id(stream))) : std::to_string(stream);
    } else {
      lane.stream = lane.tid;
    }
    if (out_->parts_[draft->part].beside_system_trace) lane.subtitle = lane.device + ", as PyTorch's profiler has it";
    else lane.subtitle = lane.device + (lane.subtitle.empty() ? "" : " · " + lane.subtitle);
  }

  void add_extra() {
    std::vector<bool> projected(out_->parts_.size());
    for (const Draft& draft : drafts_) {
      if (draft.kind == LaneClass::projected) projected[draft.part] = true;
    }
    for (Lane& lane : extra_lanes(*model_, out_->origin_ns_, projected, names_.get())) {
      Draft& draft = drafts_.emplace_back();
      draft.part = lane.part;
      draft.kind = lane.group == Group::hardware ? LaneClass::other : LaneClass::host;
      draft.first = 0;
      draft.lane = std::move(lane);
    }
  }

  void order_lanes() {
    std::vector<uint32_t> order(drafts_.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto number = [](const std::string& text) {
      int64_t value = 0;
      for (const char c : text) {
        if (c < '0' || c > '9' || value > (int64_t{1} << 50)) return std::numeric_limits<int64_t>::max();
        value = value * 10 + (c - '0');
      }
      return text.empty() ? std::numeric_limits<int64_t>::max() : value;
    };
    const auto key = [&](uint32_t i) {
      const Draft& d = drafts_[i];
      const PartTables& part = out_->parts_[d.part];
      const bool hardware = d.lane.group == Group::hardware;
      const int64_t stream = hardware ? number(d.lane.stream.empty() ? d.lane.tid : d.lane.stream) : 0;
      return std::tuple(part.rank.value_or(std::numeric_limits<int64_t>::max()), part.unit, d.lane.group,
                        hardware ? (d.system_trace ? 0 : 1) : d.lane.kind == LaneKind::steps ? 0 : 1, hardware ? d.lane.device : std::string(),
                        d.lane.kind == LaneKind::gaps ? 1 : 0, stream, d.kind, d.lane.pid == d.lane.tid ? 0 : 1, d.first, i);
    };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    std::vector<uint32_t> place(order.size());
    std::map<uint32_t, bool> taken;
    int64_t begin = std::numeric_limits<int64_t>::max(), end = std::numeric_limits<int64_t>::min();
    for (uint32_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      Lane& lane = out_->lanes_.emplace_back(std::move(drafts_[order[i]].lane));
      lane.id = lane_id(lane.key);
      while (!taken.emplace(lane.id, true).second) lane.id = (lane.id + 1) & 0x7fffffffu;
      out_->by_id_.emplace_back(lane.id, i);
      for (uint32_t row = 0; row < lane.slices.rows(); ++row) {
        const uint32_t first = lane.slices.row_begin[row], after = lane.slices.row_begin[row + 1];
        if (first == after) continue;
        begin = std::min(begin, lane.slices.start[first]);
        end = std::max(end, lane.slices.end(after - 1));
      }
    }
    std::sort(out_->by_id_.begin(), out_->by_id_.end());
    for (auto& lanes : out_->lane_of_) {
      for (uint32_t& lane : lanes) {
        if (lane != kNowhere) lane = place[lane];
      }
    }
    if (begin <= end) out_->begin_ = begin, out_->end_ = end;
  }

  std::shared_ptr<const StringPool> strings_;
  std::shared_ptr<const Model> model_;
  std::shared_ptr<Names> names_;
  std::vector<Draft> drafts_;
  std::vector<int64_t> ticks_;
  std::shared_ptr<Timeline> out_{new Timeline};
};

std::shared_ptr<const Timeline> Timeline::build(std::vector<PartTables> parts, std::shared_ptr<const StringPool> strings,
                                                std::shared_ptr<const Model> model, int64_t origin_ns, const Names* names) {
  return TimelineBuilder(std::move(parts), std::move(strings), std::move(model), origin_ns, names).build();
}

}  // namespace lanewise::server::timeline
