// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/perfetto_writer.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <map>

namespace lanewise::trace::record {
namespace {

// Field numbers of perfetto/trace/trace_packet.proto and track_event/*.proto.
namespace trace { constexpr uint32_t packet = 1; }
namespace packet {
constexpr uint32_t clock_snapshot = 6, timestamp = 8, sequence_id = 10, track_event = 11, interned_data = 12,
                   sequence_flags = 13, timestamp_clock_id = 58, track_descriptor = 60;
}
namespace track {
constexpr uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, child_ordering = 11, sibling_rank = 12;
constexpr uint64_t order_explicit = 3;
}
namespace event {
constexpr uint32_t category_iids = 3, debug_annotations = 4, type = 9, name_iid = 10, track_uuid = 11, flow_ids = 47,
                   terminating_flow_ids = 48;
constexpr uint64_t slice_begin = 1, slice_end = 2;
}
namespace annotation { constexpr uint32_t name_iid = 1, uint_value = 3, string_value_iid = 17; }
namespace clock { constexpr uint32_t clocks = 1, primary = 2, id = 1, timestamp = 2; }
constexpr uint64_t kRealtime = 1, kMonotonic = 3, kBoottime = 6;
constexpr uint64_t kSequence = 1;
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;

constexpr std::array<std::string_view, 14> kKeyNames = {
    "launch_id", "nc_idx", "stream", "external_id", "name", "program_hash", "bytes", "exec_id", "exec_before_ns",
    "capture_before_ns", "exec_after_ns", "capture_after_ns", "count", "site"};

int64_t clock_ns(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return t.tv_sec * 1'000'000'000ll + t.tv_nsec;
}

std::string thread_name(int pid, uint32_t tid) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/comm"), name);
  return name;
}

}  // namespace

ClockPair read_clocks() { return {clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_BOOTTIME)}; }

// --- packets ---------------------------------------------------------------------------------------------------------

void PerfettoWriter::start_packet(int64_t at_ns) {
  packet_.clear();
  track_event_.clear();
  interned_.clear();
  packet_.uint(packet::timestamp, static_cast<uint64_t>(std::max<int64_t>(at_ns, 0)));
  packet_.uint(packet::timestamp_clock_id, kRealtime);
}

void PerfettoWriter::finish_packet(std::string* out) {
  if (!interned_.empty()) packet_.message(packet::interned_data, interned_);
  if (!track_event_.empty()) packet_.message(packet::track_event, track_event_);
  packet_.uint(packet::sequence_id, kSequence);
  packet_.uint(packet::sequence_flags, state_cleared_ ? kNeedsState : kStateCleared);
  state_cleared_ = true;
  packet_.append_to(out, trace::packet);
}

uint64_t PerfettoWriter::interned_id(InternedSet& set, std::string_view text) {
  if (const auto known = set.ids.find(text); known != set.ids.end()) return known->second;
  const uint64_t id = set.ids.size() + 1;
  set.ids.emplace(text, id);
  ProtoMessage entry;   // EventCategory, EventName, DebugAnnotationName, InternedString: iid = 1, text = 2
  entry.uint(1, id).text(2, text);
  interned_.message(set.field, entry);
  return id;
}

void PerfettoWriter::annotate(Key key, uint64_t value) {
  track_event_.pair(event::debug_annotations, annotation::name_iid, key_id(key), annotation::uint_value, value);
}

void PerfettoWriter::annotate_text(Key key, std::string_view value) {
  // A field number of 16 or more takes two bytes, so not `pair`.
  scratch_.clear();
  scratch_.uint(annotation::name_iid, key_id(key)).uint(annotation::string_value_iid, interned_id(texts_, value));
  track_event_.message(event::debug_annotations, scratch_);
}

uint64_t PerfettoWriter::key_id(Key key) {
  uint64_t& id = key_ids_[static_cast<size_t>(key)];
  if (id == 0) id = interned_id(annotation_names_, kKeyNames[static_cast<size_t>(key)]);
  return id;
}

// --- tracks ----------------------------------------------------------------------------------------------------------

uint64_t PerfettoWriter::uuid(TrackKind kind, uint64_t number, uint64_t lane) const {
  uint64_t h = salt_;   // FNV-1a over the words: traces of several processes can be put together
  for (uint64_t word : {static_cast<uint64_t>(kind), number, lane}) {
    for (int byte = 0; byte < 8; ++byte) h = (h ^ (word >> (8 * byte) & 0xff)) * 1099511628211ull;
  }
  return h == 0 ? 1 : h;
}

void PerfettoWriter::descriptor(uint64_t id, uint64_t parent, std::string_view name, int rank, std::string* out) {
  ProtoMessage d;
  d.uint(track::uuid, id).text(track::name, name).uint(track::parent_uuid, parent);
  d.uint(track::child_ordering, track::order_explicit).integer(track::sibling_rank, rank);
  packet_.clear();
  track_event_.clear();
  interned_.clear();
  packet_.message(packet::track_descriptor, d);
  finish_packet(out);
}

void PerfettoWriter::begin(const TracedProcess& process, std::string* out) {
  pid_ = process.pid;
  salt_ = 14695981039346656037ull ^ (static_cast<uint64_t>(process.pid) << 32) ^
          static_cast<uint64_t>(process.clocks.realtime_ns);

  start_packet(process.clocks.realtime_ns);
  ProtoMessage snapshot;
  const std::pair<uint64_t, int64_t> clocks[] = {{kRealtime, process.clocks.realtime_ns},
                                                 {kMonotonic, process.clocks.monotonic_ns},
                                                 {kBoottime, process.clocks.boottime_ns}};
  for (auto [id, ns] : clocks) {
    ProtoMessage c;
    c.uint(clock::id, id).uint(clock::timestamp, static_cast<uint64_t>(ns));
    snapshot.message(clock::clocks, c);
  }
  snapshot.uint(clock::primary, kRealtime);
  packet_.message(packet::clock_snapshot, snapshot);
  finish_packet(out);

  ProtoMessage p;   // ProcessDescriptor: pid = 1, process_name = 6, process_labels = 8
  p.uint(1, static_cast<uint64_t>(process.pid)).text(6, process.name);
  for (const std::string& label : process.labels) p.text(8, label);
  ProtoMessage d;
  d.uint(track::uuid, uuid(TrackKind::process, 0, 0)).text(track::name, process.name).message(track::process, p);
  packet_.clear();
  track_event_.clear();
  interned_.clear();
  packet_.message(packet::track_descriptor, d);
  finish_packet(out);
}

uint64_t PerfettoWriter::thread_track(uint32_t thread, uint64_t lane, std::string* out) {
  const uint64_t id = uuid(TrackKind::thread, thread, lane);
  if (!known_tracks_.insert(id).second) return id;
  const std::string name = thread_name(pid_, thread);
  if (lane > 0) {
    descriptor(id, uuid(TrackKind::process, 0, 0), name + " (overlap " + std::to_string(lane) + ")", 0, out);
    return id;
  }
  ProtoMessage t;   // ThreadDescriptor: pid = 1, tid = 2, thread_name = 5
  t.uint(1, static_cast<uint64_t>(pid_)).uint(2, thread);
  if (!name.empty()) t.text(5, name);
  ProtoMessage d;
  d.uint(track::uuid, id).uint(track::parent_uuid, uuid(TrackKind::process, 0, 0)).message(track::thread, t);
  packet_.clear();
  track_event_.clear();
  interned_.clear();
  packet_.message(packet::track_descriptor, d);
  finish_packet(out);
  return id;
}

uint64_t PerfettoWriter::core_track(uint16_t nc, std::string* out) {
  const uint64_t id = uuid(TrackKind::core, nc, 0);
  if (known_tracks_.insert(id).second)
    descriptor(id, uuid(TrackKind::process, 0, 0), "neuron:" + std::to_string(nc), nc, out);
  return id;
}

uint64_t PerfettoWriter::hardware_lane(TrackKind kind, uint16_t nc, const Slice& slice, std::string* out) {
  std::vector<Lane>& lanes = lanes_[uuid(kind, nc, 0)];
  for (Lane& lane : lanes) {
    if (lane.last_end_ns > slice.start_ns) continue;
    lane.last_end_ns = slice.end_ns;
    return lane.uuid;
  }
  std::string name = "NC" + std::to_string(nc);
  switch (kind) {
    case TrackKind::exec: name += " nc_exec_running"; break;
    case TrackKind::dma: name += " dma"; break;
    case TrackKind::lag: name += " sim_lag"; break;
    default: name += " events lost"; break;
  }
  if (!lanes.empty()) name += " (" + std::to_string(lanes.size() + 1) + ")";
  const uint64_t id = uuid(kind, nc, lanes.size());
  const int rank = static_cast<int>(kind) * 64 + static_cast<int>(std::min<size_t>(lanes.size(), 63));
  descriptor(id, core_track(nc, out), name, rank, out);
  lanes.push_back({id, slice.end_ns});
  return id;
}

// --- slices ----------------------------------------------------------------------------------------------------------

void PerfettoWriter::open_slice(uint64_t track_id, const Event& e, int64_t at_ns, std::string* out) {
  const bool hardware = is_hardware(e.kind);
  start_packet(at_ns);
  track_event_.uint(event::type, event::slice_begin)
      .uint(event::track_uuid, track_id)
      .uint(event::name_iid, interned_id(names_, event_kind_name(e.kind)))
      .uint(event::category_iids, interned_id(categories_, hardware ? "neuron_hw" : "neuron_rt"));
  if (e.launch_id != 0) {
    track_event_.fixed64(hardware ? event::terminating_flow_ids : event::flow_ids, e.launch_id);
    annotate(Key::launch_id, e.launch_id);
  }
  annotate(Key::nc_idx, e.nc);
  annotate(Key::stream, e.stream);
  if (e.external_id != 0) annotate(Key::external_id, e.external_id);
  if (e.name != 0) annotate_text(Key::name, interned(e.name));
  if (e.program_hash != 0) annotate(Key::program_hash, e.program_hash);
  if (e.site != 0) annotate(Key::site, e.site);
  if (e.bytes != 0) annotate(Key::bytes, static_cast<uint64_t>(e.bytes));
  if (e.kind == EventKind::nc_exec_running) {
    annotate(Key::exec_id, ++executions_[e.nc]);
    annotate(Key::exec_before_ns, static_cast<uint64_t>(e.exec_before_ns));
    annotate(Key::capture_before_ns, static_cast<uint64_t>(e.capture_before_ns));
    annotate(Key::exec_after_ns, static_cast<uint64_t>(e.exec_after_ns));
    annotate(Key::capture_after_ns, static_cast<uint64_t>(e.capture_after_ns));
  }
  finish_packet(out);
}

void PerfettoWriter::part(uint64_t track_id, std::string_view name, int64_t start_ns, int64_t end_ns,
                          std::string* out) {
  start_packet(start_ns);
  track_event_.uint(event::type, event::slice_begin)
      .uint(event::track_uuid, track_id)
      .uint(event::name_iid, interned_id(names_, name))
      .uint(event::category_iids, interned_id(categories_, "neuron_hw_part"));
  finish_packet(out);
  close_slice(track_id, end_ns, out);
}

void PerfettoWriter::close_slice(uint64_t track_id, int64_t at_ns, std::string* out) {
  start_packet(at_ns);
  track_event_.uint(event::type, event::slice_end).uint(event::track_uuid, track_id);
  finish_packet(out);
}

void PerfettoWriter::thread_slices(uint32_t thread, std::vector<Slice>& slices, std::string* out) {
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  // A slice that begins inside the one on top and ends after it goes to the next lane.
  struct Open { uint64_t track; std::vector<int64_t> ends; };   // ends of the open slices, outermost first
  std::vector<Open> lanes;
  for (const Slice& s : slices) {
    size_t lane = 0;
    for (;; ++lane) {
      if (lane == lanes.size()) lanes.push_back({thread_track(thread, lane, out), {}});
      Open& open = lanes[lane];
      while (!open.ends.empty() && open.ends.back() <= s.start_ns) {
        close_slice(open.track, open.ends.back(), out);
        open.ends.pop_back();
      }
      if (open.ends.empty() || s.end_ns <= open.ends.back()) break;
    }
    open_slice(lanes[lane].track, *s.event, s.start_ns, out);
    lanes[lane].ends.push_back(s.end_ns);
  }
  for (Open& open : lanes) {
    for (; !open.ends.empty(); open.ends.pop_back()) close_slice(open.track, open.ends.back(), out);
  }
}

void PerfettoWriter::hardware_slices(TrackKind kind, uint16_t nc, std::vector<Slice>& slices, std::string* out) {
  std::stable_sort(slices.begin(), slices.end(),
                   [](const Slice& a, const Slice& b) { return a.start_ns < b.start_ns; });
  for (const Slice& s : slices) {
    const Event& e = *s.event;
    const uint64_t id = hardware_lane(kind, nc, s, out);
    open_slice(id, e, s.start_ns, out);
    if (kind == TrackKind::exec) {
      const int64_t program = std::min(s.start_ns + e.exec_before_ns + e.capture_before_ns, s.end_ns);
      const int64_t after = std::max(s.end_ns - e.exec_after_ns - e.capture_after_ns, program);
      if (program > s.start_ns) part(id, "overhead_before", s.start_ns, program, out);
      part(id, "program", program, after, out);
      if (after < s.end_ns) part(id, "overhead_after", after, s.end_ns, out);
    }
    close_slice(id, s.end_ns, out);
  }
}

void PerfettoWriter::append(const std::vector<Event>& events, std::string* out) {
  std::map<uint32_t, std::vector<Slice>> threads;
  std::map<std::pair<uint16_t, TrackKind>, std::vector<Slice>> hardware;
  for (const Event& e : events) {
    const Slice slice{&e, e.start_ns, std::max(e.start_ns, e.end_ns)};
    if (!is_hardware(e.kind)) {
      threads[e.thread].push_back(slice);
      continue;
    }
    const TrackKind kind = e.kind == EventKind::nc_exec_running ? TrackKind::exec
                           : e.kind == EventKind::sim_lag       ? TrackKind::lag
                                                                : TrackKind::dma;
    hardware[{e.nc, kind}].push_back(slice);
  }
  for (auto& [thread, slices] : threads) thread_slices(thread, slices, out);
  for (auto& [key, slices] : hardware) hardware_slices(key.second, key.first, slices, out);
}

void PerfettoWriter::lost(uint16_t nc, uint64_t count, int64_t begin_ns, int64_t end_ns, std::string* out) {
  const Slice slice{nullptr, begin_ns, std::max(begin_ns, end_ns)};
  const uint64_t id = hardware_lane(TrackKind::lost, nc, slice, out);
  start_packet(slice.start_ns);
  track_event_.uint(event::type, event::slice_begin)
      .uint(event::track_uuid, id)
      .uint(event::name_iid, interned_id(names_, "events lost"))
      .uint(event::category_iids, interned_id(categories_, "neuron_capture"));
  annotate(Key::nc_idx, nc);
  annotate(Key::count, count);
  finish_packet(out);
  close_slice(id, slice.end_ns, out);
}

}  // namespace lanewise::trace::record
