// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/export/perfetto_packets.h"

namespace lanewise::trace::exporting {
namespace {

using record::ProtoMessage;

constexpr uint32_t kPacket = 1;
namespace packet {
constexpr uint32_t clock_snapshot = 6, timestamp = 8, sequence_id = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
                   timestamp_clock_id = 58, track_descriptor = 60;
}
namespace event {
constexpr uint32_t category_iids = 3, debug_annotations = 4, type = 9, name_iid = 10, track_uuid = 11, counter_value = 30,
                   double_counter_value = 44, flow_ids = 47, terminating_flow_ids = 48;
}
namespace interned_data { constexpr uint32_t categories = 1, names = 2, annotation_names = 3, annotation_texts = 29; }
namespace annotation { constexpr uint32_t name_iid = 1, int_value = 4, string_value_iid = 17; }
namespace track { constexpr uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8; }
constexpr uint64_t kRealtime = 1, kBoottime = 6;
constexpr uint64_t kSequence = 1, kStateCleared = 1, kNeedsState = 2;

}  // namespace

void PerfettoPackets::begin(int64_t first_ns, std::string* out) {
  packet_.clear();
  if (realtime_) {
    ProtoMessage clock, snapshot;  // Clock: clock_id = 1, timestamp = 2; ClockSnapshot: clocks = 1, primary_trace_clock = 2
    clock.uint(1, kRealtime).uint(2, static_cast<uint64_t>(first_ns));
    snapshot.message(1, clock);
    // A trace viewer needs one more clock to place the primary one; the two are the same here.
    clock.clear();
    clock.uint(1, kBoottime).uint(2, static_cast<uint64_t>(first_ns));
    snapshot.message(1, clock).uint(2, kRealtime);
    packet_.message(packet::clock_snapshot, snapshot);
  }
  finish(out);
}

void PerfettoPackets::describe(const Track& described, std::string* out) {
  ProtoMessage d;
  d.uint(track::uuid, described.uuid);
  if (described.parent != 0) d.uint(track::parent_uuid, described.parent);
  if (described.tid >= 0) {
    ProtoMessage t;  // ThreadDescriptor: pid = 1, tid = 2, thread_name = 5
    t.integer(1, described.pid).integer(2, described.tid);
    if (!described.name.empty()) t.text(5, described.name);
    d.message(track::thread, t);
  } else if (described.pid >= 0) {
    ProtoMessage p;  // ProcessDescriptor: pid = 1, process_name = 6
    p.integer(1, described.pid);
    if (!described.name.empty()) p.text(6, described.name);
    d.message(track::process, p);
  } else {
    d.text(track::name, described.name);
  }
  if (described.counter) d.text(track::counter, "");
  packet_.clear();
  event_.clear();
  interned_.clear();
  packet_.message(packet::track_descriptor, d);
  finish(out);
}

void PerfettoPackets::open(uint64_t type, uint64_t track, int64_t at_ns) {
  packet_.clear();
  event_.clear();
  interned_.clear();
  packet_.uint(packet::timestamp, static_cast<uint64_t>(at_ns)).uint(packet::timestamp_clock_id, realtime_ ? kRealtime : kBoottime);
  event_.uint(event::type, type).uint(event::track_uuid, track);
}

void PerfettoPackets::name(std::string_view name, std::string_view category) {
  if (!category.empty()) event_.uint(event::category_iids, interned(categories_, interned_data::categories, category));
  event_.uint(event::name_iid, interned(names_, interned_data::names, name));
}

void PerfettoPackets::flow(uint64_t id, bool terminating) {
  event_.fixed64(terminating ? event::terminating_flow_ids : event::flow_ids, id);
}

void PerfettoPackets::integer(std::string_view key, int64_t value) {
  scratch_.clear();
  scratch_.uint(annotation::name_iid, interned(keys_, interned_data::annotation_names, key)).integer(annotation::int_value, value);
  event_.message(event::debug_annotations, scratch_);
}

void PerfettoPackets::text(std::string_view key, std::string_view value) {
  scratch_.clear();
  scratch_.uint(annotation::name_iid, interned(keys_, interned_data::annotation_names, key));
  scratch_.uint(annotation::string_value_iid, interned(texts_, interned_data::annotation_texts, value));
  event_.message(event::debug_annotations, scratch_);
}

void PerfettoPackets::counter(double value) { event_.number(event::double_counter_value, value); }
void PerfettoPackets::counter(int64_t value) { event_.integer(event::counter_value, value); }

void PerfettoPackets::finish(std::string* out) {
  if (!interned_.empty()) packet_.message(packet::interned_data, interned_);
  if (!event_.empty()) packet_.message(packet::track_event, event_);
  packet_.uint(packet::sequence_id, kSequence).uint(packet::sequence_flags, cleared_ ? kNeedsState : kStateCleared);
  cleared_ = true;
  packet_.append_to(out, kPacket);
}

uint64_t PerfettoPackets::interned(Ids& ids, uint32_t field, std::string_view text) {
  const auto [at, added] = ids.try_emplace(std::string(text), ids.size() + 1);
  if (added) {
    ProtoMessage entry;  // iid = 1, the text = 2 in all four kinds
    entry.uint(1, at->second).text(2, text);
    interned_.message(field, entry);
  }
  return at->second;
}

}  // namespace lanewise::trace::exporting
