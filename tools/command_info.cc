// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/command_info.h"

#include <cstdio>
#include <vector>

#include "base/json_writer.h"
#include "tools/table_text.h"
#include "tools/trace_input.h"
#include "trace/analysis/info.h"
#include "trace/analysis/info_json.h"

namespace lanewise::tools {
namespace {

using trace::analysis::FileInfo;
using trace::schema::Ledger;
using trace::session::Session;
using trace::session::SessionFile;

void print_json(const Session& session, const std::vector<FileInfo>& infos) {
  JsonWriter w(1);
  trace::analysis::write_info(w, session, infos);
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
  std::printf("%s\n", printable(file.path).c_str());
  std::printf("  format      %s%s%s, %.1f MB, text %.1f MB\n", file.format.c_str(), file.compression.empty() ? "" : ", ",
              file.compression.c_str(), static_cast<double>(file.file_bytes) / 1e6, static_cast<double>(ledger.input_bytes) / 1e6);
  if (file.rank) {
    std::printf("  rank        %lld of %lld (%s)\n", static_cast<long long>(*file.rank),
                static_cast<long long>(file.world_size.value_or(0)), printable(file.backend).c_str());
  }
  if (!entry.skew_method.empty()) {
    std::printf("  clock       %s ahead of the first file (%s)\n", milliseconds(entry.skew_ns).c_str(), entry.skew_method.c_str());
  }
  std::string producers;
  for (const std::string& producer : file.producers) producers += (producers.empty() ? "" : ", ") + producer;
  std::printf("  producers   %s\n", producers.empty() ? "none that is known" : producers.c_str());
  for (const auto& device : file.devices) {
    std::printf("  device      %lld %s\n", static_cast<long long>(device.id), printable(device.name).c_str());
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
  for (const auto& [phase, count] : info.by_phase) std::printf(" %s %llu", printable(phase).c_str(), n(count));
  std::printf("\n");
  for (const auto& [category, count] : info.by_category) std::printf("  category    %-24s %llu\n", printable(category).c_str(), n(count));
  std::printf("  flows       %llu, %llu with both ends\n", n(info.flows.ids), n(info.flows.paired));
  std::printf("  unattributed %llu device events without a runtime call of their correlation\n", n(info.unattributed));
  std::printf("  overlapping %llu (%llu of devices)\n", n(info.overlapping), n(info.overlapping_device));
  for (const auto& [name, time] : info.devices) {
    std::printf("  device %-4s %llu events, busy incl. overhead %s, sum %s\n", printable(name).c_str(), n(time.events), milliseconds(time.busy_ns).c_str(),
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
    for (const auto& [path, reason] : session.unread()) std::printf("%s\n  not read    %s\n", printable(path).c_str(), printable(reason).c_str());
  }
  const bool damaged = report_damage(session);
  return damaged && arguments.strict ? kExitUsage : kExitDone;
}

}  // namespace lanewise::tools
