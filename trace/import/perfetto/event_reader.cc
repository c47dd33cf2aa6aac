// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/perfetto/event_reader.h"

#include <algorithm>
#include <limits>

#include "base/json_writer.h"
#include "trace/import/perfetto/arg_columns.h"
#include "trace/import/perfetto/fields.h"
#include "trace/import/perfetto/wire.h"
#include "trace/schema/encoded_id.h"

namespace lanewise::trace::perfetto {
namespace {

namespace p = fields::packet;
namespace e = fields::event;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kLatest = std::numeric_limits<int64_t>::max();

}  // namespace

bool EventReader::read_header(const Packet& packet, Header* header) const {
  WireReader reader(packet.bytes);
  while (reader.next()) {
    switch (reader.field()) {
      case p::timestamp: header->stamp = reader.value(), header->has_stamp = true; break;
      case p::timestamp_clock_id: header->clock = reader.value(); break;
      case p::trusted_packet_sequence_id: header->sequence = reader.value(); break;
      case p::sequence_flags: header->flags |= reader.value(); break;
      case p::incremental_state_cleared:
        if (reader.value() != 0) header->flags |= p::flag_state_cleared;
        break;
      case p::track_event: header->event = reader.data(); break;
      case p::track_descriptor: header->descriptor = reader.data(); break;
      case p::interned_data: header->interned = reader.data(); break;
      case p::trace_packet_defaults: header->defaults = reader.data(); break;
      case p::clock_snapshot: header->snapshot = reader.data(); break;
      default: break;
    }
  }
  return reader.ok();
}

bool EventReader::read_event(std::string_view message, const Sequence& sequence, Event* event) const {
  event->track = sequence.default_track;
  WireReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case e::type: event->type = reader.value(); break;
      case e::track_uuid: event->track = reader.value(); break;
      case e::name_iid: event->name = Sequence::find(sequence.names, reader.value()); break;
      case e::name: event->name = reader.data(); break;
      case e::category_iids:
        if (event->category.empty()) event->category = Sequence::find(sequence.categories, reader.value());
        break;
      case e::categories:
        if (event->category.empty()) event->category = reader.data();
        break;
      case e::timestamp_absolute_us: event->absolute_us = reader.value(); break;
      case e::flow_ids:
      case e::flow_ids_old: event->flows.emplace_back(reader.value(), false); break;
      case e::terminating_flow_ids:
      case e::terminating_flow_ids_old: event->flows.emplace_back(reader.value(), true); break;
      case e::counter_value: event->args.emplace_back("value", std::to_string(reader.integer())); break;
      case e::double_counter_value: {
        JsonWriter number;
        number.value(reader.number());
        event->args.emplace_back("value", number.text());
        break;
      }
      case e::debug_annotations:
        if (!add_annotation(reader.data(), sequence, &event->args)) return false;
        break;
      default: break;
    }
  }
  return reader.ok();
}

void EventReader::drop(std::string_view kind, const Packet& packet) {
  ++ledger_.read;
  ++ledger_.dropped;
  ledger_.skipped_bytes += packet.length;
  ledger_.add(kind, packet.offset, packet.length);
}

Status EventReader::add(const Packet& packet) {
  if (rows() >= schema::EventTableBuilder::kMaxRows) return resource_exhausted("a trace file holds more events than a table can");
  Header header;
  if (!read_header(packet, &header)) return drop("bad_packet", packet), ok_status();
  Sequence& sequence = sequences_[header.sequence];
  if (header.flags & p::flag_state_cleared) sequence.clear();
  bool ok = header.defaults.empty() || sequence.set_defaults(header.defaults);
  ok = ok && (header.interned.empty() || sequence.add_interned(header.interned));
  ok = ok && (header.snapshot.empty() || clocks_.add_snapshot(header.snapshot, header.sequence));
  ok = ok && (header.descriptor.empty() || tracks_.add(header.descriptor));
  if (!ok) return drop("bad_packet", packet), ok_status();
  if (!header.event.empty()) {
    if ((header.flags & p::flag_needs_state) && !sequence.valid()) return drop("missing_state", packet), ok_status();
    Event event;
    if (!read_event(header.event, sequence, &event)) return drop("bad_packet", packet), ok_status();
    if (header.clock == 0) header.clock = sequence.default_clock;
    add_event(event, header, packet);
  } else if (!header.descriptor.empty()) {
    add_names(header.descriptor, packet);
  } else {
    ledger_.structure_bytes += packet.length;
  }
  return ok_status();
}

int64_t EventReader::time_of(const Event& event, const Header& header, const Packet& packet, uint8_t* flags) {
  uint64_t stamp = header.stamp;
  if (!header.has_stamp) {
    if (!event.absolute_us) return *flags |= schema::kNoTime, 0;
    if (__builtin_mul_overflow(*event.absolute_us, uint64_t{1000}, &stamp)) return clipped(packet, flags);
  }
  const uint64_t clock = header.clock != 0 ? header.clock : clocks_.primary();
  const auto real = clocks_.to_realtime(clock, header.sequence, stamp);
  if (!realtime_) {
    realtime_ = real.has_value();
    if (real) base_ns_ = *real / kSecond * kSecond;
  }
  int64_t at_ns = 0;
  if (*realtime_ && real) return __builtin_sub_overflow(*real, base_ns_, &at_ns) ? clipped(packet, flags) : at_ns;
  if (*realtime_) ledger_.add("unknown_clock", packet.offset, 0);
  return stamp > static_cast<uint64_t>(kLatest) ? clipped(packet, flags) : static_cast<int64_t>(stamp);
}

int64_t EventReader::clipped(const Packet& packet, uint8_t* flags) {
  *flags |= schema::kClipped;
  ++ledger_.clipped;
  ledger_.add("clipped_time", packet.offset, 0);
  return kLatest;
}

uint32_t EventReader::table_track(uint64_t uuid) {
  const auto [at, added] = table_tracks_.try_emplace(uuid, 0);
  if (added) {
    const TrackTree::Names names = tracks_.names(uuid);
    const store::StringId pid = names.has_pid ? strings_.intern(names.pid) : store::kNoString;
    at->second = builder_.track({pid, names.has_tid ? strings_.intern(names.tid) : store::kNoString});
  }
  return at->second;
}

schema::Row EventReader::add_row(schema::NewEvent row, const Args& args) {
  const schema::Row at = builder_.append(row);
  if (!args.empty()) {
    set_arg_columns(args, at, strings_, builder_);
    args_->add(at, args_json(args));
  }
  ++ledger_.read;
  ++ledger_.kept;
  return at;
}

void EventReader::add_event(const Event& event, const Header& header, const Packet& packet) {
  schema::NewEvent row;
  row.ts_ns = time_of(event, header, packet, &row.flags);
  row.offset = packet.offset;
  row.length = static_cast<uint32_t>(packet.length);
  if (event.type == e::slice_end) {
    marks_[event.track].push_back({row.ts_ns, false, 0, packet.offset});
    ledger_.event_bytes += packet.length;
    return;
  }
  switch (event.type) {
    case e::slice_begin: row.phase = 'X'; break;
    case e::counter: row.phase = 'C'; break;
    case e::instant: row.phase = 'i'; break;
    // Also events of the older form, whose phase is in a field that is not read.
    default: return drop("not_an_event", packet);
  }
  row.name = text(event.name);
  row.category = text(event.category);
  row.track = table_track(event.track);
  if (const schema::CategoryRule* rule = producers_.category(event.category)) {
    row.role = rule->role_of(event.name);
    producer_names_.insert(rule->producer);
  }
  if (row.phase == 'C') row.role = schema::Role::counter;
  const schema::Row at = add_row(row, event.args);
  ledger_.event_bytes += packet.length;
  if (event.type == e::slice_begin && (row.flags & schema::kNoTime) == 0) {
    marks_[event.track].push_back({row.ts_ns, true, at, packet.offset});
  }
  for (const auto& [id, terminating] : event.flows) flows_.push_back({id, row.ts_ns, at, terminating});
}

// Names of processes and threads, as the rows that JSON traces have for them.
void EventReader::add_names(std::string_view descriptor, const Packet& packet) {
  uint64_t uuid = 0;
  for (WireReader reader(descriptor); reader.next();) {
    if (reader.field() == fields::descriptor::uuid) uuid = reader.value();
  }
  const TrackTree::Entry& entry = tracks_.entries().at(uuid);
  const std::string& label = entry.is_process ? entry.process_name : entry.is_thread ? entry.thread_name : entry.name;
  if (label.empty()) {
    ledger_.structure_bytes += packet.length;
    return;
  }
  schema::NewEvent row;
  row.phase = 'M';
  row.role = schema::Role::metadata;
  row.flags = schema::kNoTime;
  row.name = strings_.intern(entry.is_process ? "process_name" : "thread_name");
  row.track = table_track(uuid);
  row.offset = packet.offset;
  row.length = static_cast<uint32_t>(packet.length);
  JsonWriter quoted;
  quoted.value(label);
  add_row(row, {{"name", quoted.text()}});
  ledger_.event_bytes += packet.length;
}

void EventReader::add_flows() {
  std::stable_sort(flows_.begin(), flows_.end(), [](const FlowEnd& a, const FlowEnd& b) {
    return a.id != b.id ? a.id < b.id : a.ts_ns < b.ts_ns;
  });
  const schema::EventTable events = builder_.publish();
  const store::StringId name = flows_.empty() ? store::kNoString : strings_.intern("flow");
  for (size_t i = 0; i < flows_.size(); ++i) {
    const FlowEnd& end = flows_[i];
    const bool first = i == 0 || flows_[i - 1].id != end.id;
    schema::NewEvent row;
    row.ts_ns = end.ts_ns;
    row.phase = end.terminating ? 'f' : first ? 's' : 't';
    row.name = name;
    row.track = events.track[end.row];
    row.role = schema::Role::launch_flow;
    row.flags = schema::kBindEnclosing;
    row.offset = events.offset[end.row];
    row.length = events.length[end.row];
    const schema::Row at = add_row(row, {});
    const auto id = static_cast<int64_t>(end.id);
    builder_.set(schema::OptionalColumn::id, at, id < 0 ? schema::text_id(strings_.intern(std::to_string(end.id))) : id);
  }
}

void EventReader::finish(schema::TraceFile* file) {
  for (auto& [uuid, marks] : marks_) {
    const SlicePairs pairs = pair_marks(std::move(marks));
    for (const auto& pair : pairs.pairs) {
      builder_.set_duration(pair.row, pair.dur_ns);
      if (pair.dur_ns != kLatest) continue;
      builder_.set_flags(pair.row, schema::kClipped);
      ++ledger_.clipped;
    }
    for (const Mark& mark : pairs.unpaired) {
      ++ledger_.unpaired;
      ledger_.add(mark.begin ? "unpaired_begin" : "unpaired_end", mark.offset, 0);
      if (mark.begin) {
        builder_.set_flags(mark.row, schema::kUnpaired | schema::kNoDuration);
      } else {
        ++ledger_.read;
        ++ledger_.dropped;
      }
    }
  }
  add_flows();
  file->events = builder_.publish();
  file->args = args_;
  file->base_time_ns = base_ns_;
  file->producers.assign(producer_names_.begin(), producer_names_.end());
}

}  // namespace lanewise::trace::perfetto
