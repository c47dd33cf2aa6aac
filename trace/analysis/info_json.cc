// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/analysis/info_json.h"

#include <algorithm>
#include <map>

namespace lanewise::trace::analysis {
namespace {

using schema::Ledger;
using session::Session;
using session::SessionFile;

void write_counts(JsonWriter& w, std::string_view name, const std::map<std::string, uint64_t>& counts) {
  w.key(name).begin_object();
  for (const auto& [key, count] : counts) w.member(key, count);
  w.end_object();
}

void write_ledger(JsonWriter& w, const Ledger& ledger, const FileInfo& info) {
  w.key("ledger").begin_object();
  w.member("read", ledger.read).member("kept", ledger.kept).member("repaired", ledger.repaired);
  w.member("dropped", ledger.dropped).member("unattributed", info.unattributed).member("overlapping", info.overlapping);
  w.member("clipped", ledger.clipped).member("truncated", ledger.truncated).member("unpaired", ledger.unpaired);
  w.key("bytes").begin_object();
  w.member("input", ledger.input_bytes).member("events", ledger.event_bytes);
  w.member("structure", ledger.structure_bytes).member("skipped", ledger.skipped_bytes).end_object();
  w.key("reasons").begin_array();
  for (const auto& reason : ledger.reasons) {
    w.begin_object().member("kind", reason.kind).member("count", reason.count).member("bytes", reason.bytes);
    w.key("offsets").begin_array();
    for (const uint64_t offset : reason.offsets) w.value(offset);
    w.end_array().member("text", reason.text).end_object();
  }
  w.end_array().end_object();
}

void write_one(JsonWriter& w, const Ledger& ledger, const FileInfo& info) {
  write_ledger(w, ledger, info);
  w.key("events").begin_object().member("total", info.total);
  write_counts(w, "by_phase", info.by_phase);
  write_counts(w, "by_category", info.by_category);
  w.end_object();
  w.key("flows").begin_object().member("ids", info.flows.ids).member("paired", info.flows.paired);
  w.member("start_only", info.flows.start_only).member("end_only", info.flows.end_only).member("reused", info.flows.reused);
  w.end_object();
  w.key("correlation").begin_object().member("runtime", info.correlation.runtime);
  w.member("device", info.correlation.device).member("both", info.correlation.both).end_object();
  w.member("overlapping_device", info.overlapping_device).member("cut_fractions", info.cut_fractions);
  w.member("span_ns", info.span_ns);
  w.key("device").begin_object();
  for (const auto& [name, time] : info.devices) {
    w.key(name).begin_object().member("events", time.events).member("sum_ns", time.sum_ns).member("busy_ns", time.busy_ns);
    w.member("first_ns", time.first_ns).member("last_ns", time.last_ns).end_object();
  }
  w.end_object();
}

void write_file(JsonWriter& w, const SessionFile& entry) {
  const auto& file = entry.file;
  w.key("file").begin_object().member("path", file.path).member("part", entry.part).member("format", file.format);
  w.member("compression", file.compression).member("bytes", file.file_bytes);
  w.member("base_time_ns", file.base_time_ns).member("offset_ns", entry.offset_ns).member("skew_ns", entry.skew_ns);
  w.member("skew_method", entry.skew_method);
  entry.repeats_part ? w.member("repeats_part", *entry.repeats_part) : w.key("repeats_part").null();
  w.member("display_time_unit", file.display_time_unit).member("backend", file.backend);
  file.rank ? w.member("rank", *file.rank) : w.key("rank").null();
  file.world_size ? w.member("world_size", *file.world_size) : w.key("world_size").null();
  w.key("devices").begin_array();
  for (const auto& device : file.devices) w.begin_object().member("id", device.id).member("name", device.name).end_object();
  w.end_array().key("producers").begin_array();
  for (const std::string& producer : file.producers) w.value(producer);
  w.end_array().end_object();
}

// Sums over files; names of devices get the part in front.
void add_info(FileInfo* all, const FileInfo& one, uint32_t part) {
  all->total += one.total;
  for (const auto& [key, count] : one.by_phase) all->by_phase[key] += count;
  for (const auto& [key, count] : one.by_category) all->by_category[key] += count;
  all->flows.ids += one.flows.ids, all->flows.paired += one.flows.paired, all->flows.reused += one.flows.reused;
  all->flows.start_only += one.flows.start_only, all->flows.end_only += one.flows.end_only;
  all->correlation.runtime += one.correlation.runtime, all->correlation.device += one.correlation.device;
  all->correlation.both += one.correlation.both;
  all->unattributed += one.unattributed, all->overlapping += one.overlapping;
  all->overlapping_device += one.overlapping_device, all->cut_fractions += one.cut_fractions;
  all->span_ns = std::max(all->span_ns, one.span_ns);
  for (const auto& [name, time] : one.devices) all->devices[std::to_string(part) + ":" + name] = time;
}

}  // namespace

void write_info(JsonWriter& w, const Session& session, const std::vector<FileInfo>& infos) {
  w.begin_object().member("schema", 1);
  if (infos.size() == 1) {
    write_file(w, session.files()[0]);
    write_one(w, session.files()[0].file.ledger, infos[0]);
  } else {
    FileInfo all;
    Ledger ledger;
    for (size_t i = 0; i < infos.size(); ++i) {
      add_info(&all, infos[i], static_cast<uint32_t>(i));
      ledger.merge(session.files()[i].file.ledger);
    }
    write_one(w, ledger, all);
    w.key("files").begin_array();
    for (size_t i = 0; i < infos.size(); ++i) {
      w.begin_object();
      write_file(w, session.files()[i]);
      write_one(w, session.files()[i].file.ledger, infos[i]);
      w.end_object();
    }
    w.end_array();
  }
  w.key("unread").begin_array();
  for (const auto& [path, reason] : session.unread()) w.begin_object().member("path", path).member("reason", reason).end_object();
  w.end_array().end_object();
}

}  // namespace lanewise::trace::analysis
