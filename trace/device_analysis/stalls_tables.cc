// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/stalls.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;

std::string wait_text(const device::DeviceProfile& profile, const Stall& s) {
  if (s.update == kNone) return "";
  const device::InstructionRun& run = profile.instructions[s.run];
  const int32_t number = profile.semaphores[s.update].semaphore;
  if (run.instruction != kNone) {
    for (const device::Semaphore& w : profile.program.instructions[run.instruction].waits) {
      if (w.number == number) return "s" + std::to_string(number) + w.relation + std::to_string(w.value);
    }
  }
  return "s" + std::to_string(number);
}

Table engines_table(const StallReport& report, Picos all) {
  std::vector<analysis::ColumnSpec> columns = {{"core", ColumnType::integer}, {"engine", ColumnType::text}, {"whole_ps", ColumnType::ps}, {"busy_ps", ColumnType::ps},
                                               {"stall_ps", ColumnType::ps}, {"idle_ps", ColumnType::ps}};
  for (int r = 0; r < kStallReasons; ++r) columns.push_back({"reasons." + std::string(stall_reason_name(static_cast<StallReason>(r))) + "_ps", ColumnType::ps});
  Table table("engines", std::move(columns));
  for (const EngineTime& e : report.engines) {
    auto row = table.row();
    row.integer(e.core).text(lane_name(e.engine)).integer(all.value).integer(e.busy.value).integer(e.stall.value).integer(e.idle.value);
    for (const Picos t : e.by_reason) row.integer(t.value);
  }
  return table;
}

std::string_view opcode(const Dependencies& d, uint32_t node) {
  const device::Instruction* in = node == kNone ? nullptr : d.instruction(node);
  return in == nullptr ? std::string_view("") : in->opcode;
}

Table causes_table(const Dependencies& d, const StallReport& report) {
  struct Sum {
    int64_t stalls = 0;
    Picos time, longest;
  };
  std::map<std::tuple<uint16_t, int, int, std::string_view, std::string_view>, Sum> sums;
  for (const Stall& s : report.stalls) {
    Sum& sum = sums[{s.core, static_cast<int>(s.engine), static_cast<int>(s.reason), opcode(d, s.run), opcode(d, s.setter)}];
    ++sum.stalls;
    sum.time += s.end - s.begin;
    sum.longest = std::max(sum.longest, s.end - s.begin);
  }
  Table table("causes", {{"core", ColumnType::integer}, {"engine", ColumnType::text}, {"reason", ColumnType::text}, {"opcode", ColumnType::text}, {"set_by", ColumnType::text},
                         {"stalls", ColumnType::count}, {"time_ps", ColumnType::ps}, {"longest_ps", ColumnType::ps}});
  for (const auto& [key, sum] : sums) {
    const auto& [core, engine, reason, waits, sets] = key;
    table.row().integer(core).text(lane_name(static_cast<isa::Engine>(engine))).text(stall_reason_name(static_cast<StallReason>(reason))).text(waits).text(sets)
        .integer(sum.stalls).integer(sum.time.value).integer(sum.longest.value);
  }
  table.sort(6, true);
  return table;
}

Table stalls_table(const Dependencies& d, const StallReport& report) {
  Table table("stalls", {{"core", ColumnType::integer}, {"engine", ColumnType::text}, {"begin_ps", ColumnType::ps}, {"dur_ps", ColumnType::ps}, {"reason", ColumnType::text},
                         {"run", ColumnType::text}, {"opcode", ColumnType::text}, {"wait", ColumnType::text}, {"set_by", ColumnType::text}, {"set_by_opcode", ColumnType::text},
                         {"ir_op", ColumnType::text}, {"aten_node", ColumnType::text}});
  for (const Stall& s : report.stalls) {
    const device::Instruction* in = d.instruction(s.run);
    table.row().integer(s.core).text(lane_name(s.engine)).integer(s.begin.value).integer((s.end - s.begin).value).text(stall_reason_name(s.reason))
        .text(node_text(d, s.run)).text(opcode(d, s.run)).text(wait_text(d.profile(), s)).text(s.setter == kNone ? "" : node_text(d, s.setter))
        .text(opcode(d, s.setter)).text(in == nullptr ? "" : in->ir_op).text(in == nullptr ? "" : in->aten_node);
  }
  table.sort(3, true);
  return table;
}

}  // namespace

Result<std::vector<Table>> stalls_tables(const Subject& subject) {
  const Dependencies d(subject.profile, subject.machine);
  const Interval looked_at = subject.looked_at();
  const StallReport report = subject.range ? report_within(find_stalls(d), subject.profile, looked_at) : find_stalls(d);
  std::vector<Table> tables;
  tables.push_back(engines_table(report, looked_at.end - looked_at.begin));
  tables.push_back(causes_table(d, report));
  tables.push_back(stalls_table(d, report));
  return tables;
}

}  // namespace lanewise::trace::device_analysis
