// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_info.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "base/json_writer.h"
#include "tools/trace_input.h"
#include "trace/analysis/info.h"

namespace lanewise::tools {
namespace {

using trace::analysis::FileInfo;
using trace::schema::Ledger;
using trace::session::Session;
using trace::session::SessionFile;

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

void write_info(JsonWriter& w, const Ledger& ledger, const FileInfo& info) {
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

void print_json(const Session& session, const std::vector<FileInfo>& infos) {
  JsonWriter w(1);
  w.begin_object().member("schema", 1);
  if (infos.size() == 1) {
    write_file(w, session.files()[0]);
    write_info(w, session.files()[0].file.ledger, infos[0]);
  } else {
    FileInfo all;
    Ledger ledger;
    for (size_t i = 0; i < infos.size(); ++i) {
      add_info(&all, infos[i], static_cast<uint32_t>(i));
      ledger.merge(session.files()[i].file.ledger);
    }
    write_info(w, ledger, all);
    w.key("files").begin_array();
    for (size_t i = 0; i < infos.size(); ++i) {
      w.begin_object();
      write_file(w, session.files()[i]);
      write_info(w, session.files()[i].file.ledger, infos[i]);
      w.end_object();
    }
    w.end_array();
  }
  w.end_object();
  std::printf("%s\n", w.text().c_str());
}

std::string milliseconds(int64_t ns) {
  char text[48];
  std::snprintf(text, sizeof(text), "%.3f ms", static_cast<double>(ns) / 1e6);
  return text;
}

void print_text(const SessionFile& entry, const FileInfo& info) {
  const auto& file = entry.file;
  const Ledger& ledger = file.ledger;
  const auto n = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf("%s\n", file.path.c_str());
  std::printf("  format      %s%s%s, %.1f MB, text %.1f MB\n", file.format.c_str(), file.compression.empty() ? "" : ", ",
              file.compression.c_str(), static_cast<double>(file.file_bytes) / 1e6, static_cast<double>(ledger.input_bytes) / 1e6);
  if (file.rank) {
    std::printf("  rank        %lld of %lld (%s)\n", static_cast<long long>(*file.rank),
                static_cast<long long>(file.world_size.value_or(0)), file.backend.c_str());
  }
  if (!entry.skew_method.empty()) {
    std::printf("  clock       %s ahead of the first file (%s)\n", milliseconds(entry.skew_ns).c_str(), entry.skew_method.c_str());
  }
  std::string producers;
  for (const std::string& producer : file.producers) producers += (producers.empty() ? "" : ", ") + producer;
  std::printf("  producers   %s\n", producers.empty() ? "none that is known" : producers.c_str());
  for (const auto& device : file.devices) {
    std::printf("  device      %lld %s\n", static_cast<long long>(device.id), device.name.c_str());
  }
  std::printf("  span        %s\n", milliseconds(info.span_ns).c_str());
  std::printf("  events      %llu read = %llu kept + %llu dropped; %llu repaired\n", n(ledger.read), n(ledger.kept), n(ledger.dropped),
              n(ledger.repaired));
  std::printf("  bytes       %llu = %llu events + %llu structure + %llu skipped\n", n(ledger.input_bytes), n(ledger.event_bytes),
              n(ledger.structure_bytes), n(ledger.skipped_bytes));
  for (const auto& reason : ledger.reasons) {
    std::printf("  problem     %s: %llu times", reason.text.c_str(), n(reason.count));
    if (!reason.offsets.empty()) std::printf(", first at byte %llu", n(reason.offsets.front()));
    std::printf("\n");
  }
  std::printf("  phases     ");
  for (const auto& [phase, count] : info.by_phase) std::printf(" %s %llu", phase.c_str(), n(count));
  std::printf("\n");
  for (const auto& [category, count] : info.by_category) std::printf("  category    %-24s %llu\n", category.c_str(), n(count));
  std::printf("  flows       %llu, %llu with both ends\n", n(info.flows.ids), n(info.flows.paired));
  std::printf("  unattributed %llu device events without a runtime call of their correlation\n", n(info.unattributed));
  std::printf("  overlapping %llu (%llu of devices)\n", n(info.overlapping), n(info.overlapping_device));
  for (const auto& [name, time] : info.devices) {
    std::printf("  device %-4s %llu events, busy %s, sum %s\n", name.c_str(), n(time.events), milliseconds(time.busy_ns).c_str(),
                milliseconds(time.sum_ns).c_str());
  }
}

}  // namespace

int run_info(const InfoArguments& arguments) {
  auto input = open_trace({arguments.path}, arguments.producers);
  if (!input.ok()) return exit_code_of(input.status());
  const Session& session = *input->session;
  std::vector<FileInfo> infos;
  for (const SessionFile& entry : session.files()) infos.push_back(trace::analysis::file_info(session, entry.part));
  if (arguments.json) {
    print_json(session, infos);
  } else {
    for (size_t i = 0; i < infos.size(); ++i) print_text(session.files()[i], infos[i]);
  }
  const bool damaged = report_damage(session);
  return damaged && arguments.strict ? kExitUsage : kExitDone;
}

}  // namespace lanewise::tools
