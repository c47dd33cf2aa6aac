// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/perfetto_export.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "trace/export/perfetto_packets.h"
#include "trace/schema/encoded_id.h"
#include "trace/session/args_reader.h"

namespace lanewise::trace::exporting {
namespace {

using schema::ArgKey;
using schema::EventTable;
using schema::Row;
using session::Session;
using session::SessionFile;

constexpr size_t kFlushBytes = size_t{1} << 20;

uint64_t fnv(std::initializer_list<uint64_t> words) {
  uint64_t h = 14695981039346656037ull;
  for (const uint64_t word : words) {
    for (int byte = 0; byte < 8; ++byte) h = (h ^ (word >> (8 * byte) & 0xff)) * 1099511628211ull;
  }
  return h == 0 ? 1 : h;
}

// A number that a process or thread can have, or -1.
int64_t system_id(std::string_view text) {
  int32_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 ? value : -1;
}

// A time of a damaged file can be anything; one that is no time would move all others.
bool has_time(const EventTable& events, Row row) {
  return !events.has(row, schema::kNoTime) && events.ts_ns[row] <= schema::kLargestTime && events.ts_ns[row] >= -schema::kLargestTime;
}

struct Slice {
  Row row;
  int64_t start, end;
};
// The start, step or end of an arrow, and the slice that it is at.
struct FlowPoint {
  Row row;
  int64_t at;
  Row slice = 0;
  int64_t slice_start = 0;
  int order = 0;      // at one moment: start, step, end
  uint64_t kind = 0;  // the same for all points of (category, name, id)
};
struct FlowAt {
  Row slice;
  uint64_t id;
  bool terminating;
};

class Exporter {
 public:
  Exporter(const Session& session, const std::function<Status(std::string_view)>& write)
      : session_(session), write_(write), packets_(session.origin_ns() != 0) {}

  Result<PerfettoReport> run() {
    int64_t first = std::numeric_limits<int64_t>::max();
    for (const SessionFile& file : session_.files()) {
      const EventTable& events = file.file.events;
      for (Row row = 0; row < events.rows(); ++row) {
        if (events.phase[row] != 'M' && has_time(events, row)) first = std::min(first, events.ts_ns[row] + file.offset_ns);
      }
    }
    if (first == std::numeric_limits<int64_t>::max()) return failed_precondition("no event has a time: there is nothing to draw");
    shift_ = session_.origin_ns();
    if (first + shift_ < 0) {
      report_.moved_ns = -(first + shift_);
      shift_ += report_.moved_ns;
    }
    packets_.begin(first + shift_, &out_);
    for (const SessionFile& file : session_.files()) LW_RETURN_IF_ERROR(one_file(file));
    LW_RETURN_IF_ERROR(write_(out_));
    return report_;
  }

 private:
  struct TrackRows {
    std::vector<Slice> slices;
    std::vector<FlowPoint> flows;
    std::vector<Row> instants;
    std::string name;  // of the thread
    bool named = false;
  };

  Status flush() {
    if (out_.size() < kFlushBytes) return ok_status();
    LW_RETURN_IF_ERROR(write_(out_));
    out_.clear();
    return ok_status();
  }

  int64_t time_of(const SessionFile& file, Row row) const { return file.file.events.ts_ns[row] + file.offset_ns + shift_; }

  Status one_file(const SessionFile& file) {
    const EventTable& events = file.file.events;
    std::vector<TrackRows> tracks(events.tracks());
    std::map<store::StringId, std::string> process_names;
    std::vector<Row> counters;
    for (Row row = 0; row < events.rows(); ++row) {
      TrackRows& track = tracks[events.track[row]];
      const uint8_t phase = events.phase[row];
      if (phase == 'M') {
        const int64_t label = events.arg(ArgKey::label).find(row);
        if (label == store::null_value<int64_t>()) continue;
        const std::string text(session_.text(static_cast<store::StringId>(label)));
        const std::string_view name = session_.text(events.name[row]);
        if (name == "process_name") process_names[events.track_of(row).pid] = text;
        if (name == "thread_name") track.name = text, track.named = true;
        if (name == "process_name" || name == "thread_name") ++report_.names;
        continue;
      }
      if (!has_time(events, row)) {
        ++report_.without_time;
        continue;
      }
      const int64_t at = time_of(file, row);
      if (events.is_slice(row)) {
        int64_t end = at;
        if (events.dur_ns[row] > 0 && __builtin_add_overflow(at, events.dur_ns[row], &end)) end = std::numeric_limits<int64_t>::max();
        track.slices.push_back({row, at, end});
      } else if (phase == 'i' || phase == 'I') {
        track.instants.push_back(row);
      } else if (phase == 'C') {
        counters.push_back(row);
      } else if (phase == 's' || phase == 't' || phase == 'f') {
        track.flows.push_back({row, at});
      } else if (phase != 'E' || events.has(row, schema::kUnpaired)) {
        ++report_.other_phases;
      }
    }
    std::vector<FlowPoint> points;
    for (TrackRows& track : tracks) {
      std::sort(track.slices.begin(), track.slices.end(), [](const Slice& a, const Slice& b) {
        return a.start != b.start ? a.start < b.start : a.end != b.end ? a.end > b.end : a.row < b.row;
      });
      bind_flows(track, &points);
    }
    pair_flows(file, std::move(points));
    keys_.clear();
    for (size_t i = 0; i < schema::kArgKeys; ++i) {
      if (events.args[i].size() > 0) keys_.push_back(static_cast<ArgKey>(i));
    }
    top_tracks_.clear();
    for (uint32_t i = 0; i < tracks.size(); ++i) {
      TrackRows& track = tracks[i];
      if (track.slices.empty() && track.instants.empty() && !track.named) continue;
      LW_RETURN_IF_ERROR(one_track(file, i, track, process_names));
    }
    return write_counters(file, counters, process_names);
  }

  // The track that stands for a pid of a file, 0 when the events have none.
  uint64_t top_track(const SessionFile& file, store::StringId pid, const std::map<store::StringId, std::string>& process_names) {
    if (pid == store::kNoString) return 0;
    const auto [at, added] = top_tracks_.try_emplace(pid, fnv({1, file.part, pid}));
    if (!added) return at->second;
    const std::string text(session_.text(pid));
    const auto name = process_names.find(pid);
    if (several()) {
      std::string label = file.file.rank ? "rank " + std::to_string(*file.file.rank) : std::filesystem::path(file.file.path).filename().string();
      label += " pid " + text + (name != process_names.end() ? " " + name->second : "");
      packets_.describe({.uuid = at->second, .name = label}, &out_);
    } else if (const int64_t number = system_id(text); number >= 0) {
      packets_.describe({.uuid = at->second, .name = name != process_names.end() ? name->second : "", .pid = number}, &out_);
    } else {
      packets_.describe({.uuid = at->second, .name = text}, &out_);
    }
    return at->second;
  }
  bool several() const { return session_.files().size() > 1; }

  Status one_track(const SessionFile& file, uint32_t index, TrackRows& track, const std::map<store::StringId, std::string>& process_names) {
    const schema::Track ids{file.file.events.track_pid[index], file.file.events.track_tid[index]};
    const uint64_t parent = top_track(file, ids.pid, process_names);
    const std::string tid(session_.text(ids.tid));
    const uint64_t uuid = fnv({2, file.part, index, 0});
    const int64_t pid_number = several() ? -1 : system_id(session_.text(ids.pid)), tid_number = system_id(tid);
    if (pid_number >= 0 && tid_number >= 0) {
      packets_.describe({.uuid = uuid, .parent = parent, .name = track.name, .pid = pid_number, .tid = tid_number}, &out_);
    } else {
      packets_.describe({.uuid = uuid, .parent = parent, .name = several() && track.named ? tid + " (" + track.name + ")" : tid}, &out_);
    }
    for (const Row row : track.instants) {
      packets_.open(PerfettoPackets::kInstant, uuid, time_of(file, row));
      describe_event(file, row);
      packets_.finish(&out_);
      ++report_.instants;
      LW_RETURN_IF_ERROR(flush());
    }
    const auto lanes = lanes_of(track.slices);
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
      uint64_t at = uuid;
      if (lane > 0) {
        at = fnv({2, file.part, index, lane});
        packets_.describe({.uuid = at, .parent = parent, .name = tid + " (overlap " + std::to_string(lane) + ")"}, &out_);
        report_.other_lanes += lanes[lane].size();
      }
      LW_RETURN_IF_ERROR(write_lane(file, at, lanes[lane]));
    }
    return ok_status();
  }

  // Slices that nest, lane by lane; each goes to the first lane where it crosses nothing.
  static std::vector<std::vector<Slice>> lanes_of(const std::vector<Slice>& slices) {
    std::vector<std::vector<Slice>> lanes;
    std::vector<std::vector<int64_t>> open;
    for (const Slice& slice : slices) {
      size_t lane = 0;
      for (;; ++lane) {
        if (lane == lanes.size()) lanes.emplace_back(), open.emplace_back();
        while (!open[lane].empty() && open[lane].back() <= slice.start) open[lane].pop_back();
        if (open[lane].empty() || slice.end <= open[lane].back()) break;
      }
      open[lane].push_back(slice.end);
      lanes[lane].push_back(slice);
    }
    return lanes;
  }

  Status write_lane(const SessionFile& file, uint64_t uuid, const std::vector<Slice>& slices) {
    std::vector<int64_t> open;
    const auto close_until = [&](int64_t at) {
      while (!open.empty() && open.back() <= at) {
        packets_.open(PerfettoPackets::kEnd, uuid, open.back());
        packets_.finish(&out_);
        open.pop_back();
      }
    };
    for (const Slice& slice : slices) {
      close_until(slice.start);
      packets_.open(PerfettoPackets::kBegin, uuid, slice.start);
      describe_event(file, slice.row);
      auto flow = std::lower_bound(flows_.begin(), flows_.end(), slice.row, [](const FlowAt& f, Row row) { return f.slice < row; });
      for (; flow != flows_.end() && flow->slice == slice.row; ++flow) packets_.flow(flow->id, flow->terminating);
      packets_.finish(&out_);
      open.push_back(slice.end);
      ++report_.slices;
      LW_RETURN_IF_ERROR(flush());
    }
    close_until(std::numeric_limits<int64_t>::max());
    return ok_status();
  }

  // An arrow's end belongs to the slice around its moment that started last.
  void bind_flows(TrackRows& track, std::vector<FlowPoint>* points) {
    std::stable_sort(track.flows.begin(), track.flows.end(), [](const FlowPoint& a, const FlowPoint& b) { return a.at < b.at; });
    std::vector<const Slice*> open;
    size_t next = 0;
    for (FlowPoint& point : track.flows) {
      for (; next < track.slices.size() && track.slices[next].start <= point.at; ++next) open.push_back(&track.slices[next]);
      std::erase_if(open, [&](const Slice* slice) { return slice->end < point.at; });
      if (open.empty()) {
        ++report_.loose_flows;
        continue;
      }
      point.slice = open.back()->row, point.slice_start = open.back()->start;
      points->push_back(point);
      ++report_.flows;
    }
    track.flows = {};
  }

  // Perfetto joins the slices that carry one flow id in the order of their starts, and a terminating one closes the id. So each
  // arrow gets an id of its own: a start with hundreds of ends (the replay of a graph) carries one for each. An end belongs to the
  // last start before it; with none before it (clocks that disagree), to the first.
  void pair_flows(const SessionFile& file, std::vector<FlowPoint> points) {
    const EventTable& events = file.file.events;
    for (FlowPoint& point : points) {
      const uint8_t phase = events.phase[point.row];
      point.order = phase == 's' ? 0 : phase == 't' ? 1 : 2;
      point.kind = fnv({3, file.part, events.category[point.row], events.name[point.row], static_cast<uint64_t>(events.id[point.row])});
    }
    std::sort(points.begin(), points.end(), [](const FlowPoint& a, const FlowPoint& b) {
      return std::tie(a.kind, a.at, a.order, a.row) < std::tie(b.kind, b.at, b.order, b.row);
    });
    flows_.clear();
    const auto arrow = [&](const FlowPoint& from, const FlowPoint& to, uint64_t id) {
      const bool backward = to.slice_start < from.slice_start;
      report_.backward_flows += backward;
      flows_.push_back({from.slice, id, backward});
      flows_.push_back({to.slice, id, !backward});
    };
    for (size_t i = 0; i < points.size();) {
      size_t after = i;
      const FlowPoint* first = nullptr;
      for (; after < points.size() && points[after].kind == points[i].kind; ++after) {
        if (first == nullptr && points[after].order == 0) first = &points[after];
      }
      // The last start or step so far.
      const FlowPoint* from = nullptr;
      const FlowPoint* used = nullptr;  // the last one that led somewhere
      uint64_t arrows = 0;
      for (; i < after; ++i) {
        const FlowPoint& point = points[i];
        if (point.order == 2) {
          const FlowPoint* start = from != nullptr ? from : first;
          if (start != nullptr) arrow(*start, point, fnv({point.kind, arrows++}));
          else flows_.push_back({point.slice, fnv({point.kind, arrows++}), true});
          used = start;
          continue;
        }
        if (point.order == 1 && from != nullptr) arrow(*from, point, fnv({point.kind, arrows++}));
        from = &point;
      }
      if (from != used && from != nullptr) flows_.push_back({from->slice, fnv({from->kind, arrows}), false});  // leads nowhere
    }
    std::stable_sort(flows_.begin(), flows_.end(), [](const FlowAt& a, const FlowAt& b) { return a.slice < b.slice; });
  }

  void describe_event(const SessionFile& file, Row row) {
    const EventTable& events = file.file.events;
    packets_.name(session_.text(events.name[row]), session_.text(events.category[row]));
    const auto id = [&](std::string_view key, int64_t value) {
      if (value == schema::kNoId) return;
      schema::is_text_id(value) ? packets_.text(key, session_.id_text(value)) : packets_.integer(key, value);
    };
    id("correlation", events.correlation[row]);
    id("External id", events.external_id[row]);
    id("device", events.device[row]);
    id("stream", events.stream[row]);
    for (const ArgKey key : keys_) {
      const int64_t value = events.arg(key).find(row);
      if (value == store::null_value<int64_t>()) continue;
      const schema::ArgColumn& column = schema::arg_column(key);
      column.kind == schema::ArgKind::number ? packets_.integer(column.key, value)
                                             : packets_.text(column.key, session_.text(static_cast<store::StringId>(value)));
    }
  }

  // A counter event holds one value a series: each series is a track.
  Status write_counters(const SessionFile& file, const std::vector<Row>& rows, const std::map<store::StringId, std::string>& process_names) {
    if (rows.empty()) return ok_status();
    const EventTable& events = file.file.events;
    session::ArgsReader reader(file.file);
    std::map<std::pair<uint64_t, std::string>, uint64_t> known;
    for (const Row row : rows) {
      LW_ASSIGN_OR_RETURN(const auto args, reader.args(row));
      bool any = false;
      for (const auto& [key, json] : args) {
        double number = 0;
        int64_t integer = 0;
        const char *begin = json.data(), *end = begin + json.size();
        const bool whole = std::from_chars(begin, end, integer).ptr == end;
        if (!whole && std::from_chars(begin, end, number).ptr != end) continue;
        any = true;
        const std::string name(session_.text(events.name[row]));
        const auto [at, added] = known.try_emplace({uint64_t{events.track[row]} << 32 | events.name[row], key},
                                                   fnv({4, file.part, events.track[row], events.name[row], known.size()}));
        if (added) {
          packets_.describe({.uuid = at->second, .parent = top_track(file, events.track_of(row).pid, process_names),
                             .name = key == "value" ? name : name + " " + key, .counter = true}, &out_);
        }
        packets_.open(PerfettoPackets::kCounter, at->second, time_of(file, row));
        packets_.name(name, session_.text(events.category[row]));
        whole ? packets_.counter(integer) : packets_.counter(number);
        packets_.finish(&out_);
        LW_RETURN_IF_ERROR(flush());
      }
      ++(any ? report_.counters : report_.odd_counters);
    }
    return ok_status();
  }

  const Session& session_;
  const std::function<Status(std::string_view)>& write_;
  PerfettoPackets packets_;
  PerfettoReport report_;
  int64_t shift_ = 0;
  std::string out_;
  std::vector<ArgKey> keys_;                         // that the file has values of
  std::vector<FlowAt> flows_;                        // of the file, by slice
  std::map<store::StringId, uint64_t> top_tracks_;   // of the file, by pid
};

}  // namespace

Result<PerfettoReport> write_perfetto(const Session& session, const std::function<Status(std::string_view)>& write) {
  return Exporter(session, write).run();
}

}  // namespace lanewise::trace::exporting
