// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/whatif.h"

#include <cmath>
#include <cstdio>
#include <map>

#include "machine/machine.h"
#include "sim/chip/chip.h"
#include "trace/device_analysis/critical_path.h"
#include "trace/device_analysis/metrics.h"
#include "trace/device_analysis/names.h"
#include "trace/device_analysis/roofline.h"
#include "trace/device_analysis/stalls.h"
#include "trace/import/lanewise_pair/pair.h"
#include "trace/import/lanewise_pair/program.h"

namespace lanewise::lab {
namespace {

using namespace trace::device_analysis;
using trace::device::DeviceProfile;

trace::record::DeviceProfile runs_of(const sim::Timing& timing) {
  trace::record::DeviceProfile out;
  out.duration_ps = timing.duration.value;
  for (const sim::InstructionRecord& r : timing.records)
    out.instructions.push_back({r.engine, r.throttled, r.index, r.iteration, r.ready.value, r.begin.value, r.end.value, r.table_load.value});
  for (const sim::DmaRecord& r : timing.dma_records)
    out.dmas.push_back({r.engine, r.queue, r.index, r.iteration, r.trigger.value, r.begin.value, r.end.value, r.visible.value, r.bytes, r.descriptors});
  return out;
}

struct Side {
  DeviceProfile profile;
  machine::Machine machine;
  std::map<std::string, Picos> parts;   // of the critical path
  Metrics metrics;
  RooflinePoint program;
  StallReport stalls;
};

Result<Side> measure(const isa::Program& program, const std::string& spec) {
  Side side;
  LW_ASSIGN_OR_RETURN(side.machine, machine::load_machine(spec));
  LW_ASSIGN_OR_RETURN(side.profile, timed_profile(program, spec));
  const Subject subject{side.profile, side.machine};
  const Dependencies d(side.profile, side.machine);
  for (const Piece& p : critical_path(d)) side.parts[part_name(d, p)] += p.end - p.begin;
  side.metrics = metrics(subject);
  side.program = roofline(subject)[0];
  side.stalls = find_stalls(d);
  return side;
}

double ratio(double after, double before) { return before == 0 ? std::nan("") : after / before; }

Table totals_table(const Side& a, const Side& b) {
  Table table("totals", {{"metric", ColumnType::text}, {"before", ColumnType::real}, {"after", ColumnType::real}, {"delta", ColumnType::real}, {"ratio", ColumnType::real}, {"unit", ColumnType::text}});
  const auto row = [&](std::string_view name, double before, double after, std::string_view unit) {
    auto r = table.row();
    r.text(name).real(before).real(after).real(after - before);
    before == 0 ? r.null() : r.real(ratio(after, before));
    r.text(unit);
  };
  const auto us = [](Picos t) { return static_cast<double>(t.value) * 1e-6; };
  row("total_time", us(a.metrics.total_time), us(b.metrics.total_time), "us");
  row("with_overhead", us(a.metrics.total_time + a.metrics.overhead), us(b.metrics.total_time + b.metrics.overhead), "us");
  row("mfu", mfu(a.metrics, a.machine, a.metrics.total_time), mfu(b.metrics, b.machine, b.metrics.total_time), "of 1");
  row("mbu_of_share", mbu_of_share(a.metrics, a.machine, a.metrics.total_time), mbu_of_share(b.metrics, b.machine, b.metrics.total_time), "of 1");
  row("headroom", a.program.headroom, b.program.headroom, "x");
  return table;
}

Table parts_table(const Side& a, const Side& b) {
  std::map<std::string, std::pair<Picos, Picos>> parts;
  for (const auto& [part, time] : a.parts) parts[part].first = time;
  for (const auto& [part, time] : b.parts) parts[part].second = time;
  Table table("parts", {{"part", ColumnType::text}, {"before_ps", ColumnType::ps}, {"after_ps", ColumnType::ps}, {"delta_ps", ColumnType::ps}, {"size_ps", ColumnType::ps}});
  for (const auto& [part, times] : parts) {
    const int64_t delta = (times.second - times.first).value;
    table.row().text(part).integer(times.first.value).integer(times.second.value).integer(delta).integer(std::abs(delta));
  }
  table.sort(4, true);
  return table;
}

Table engines_table(const Side& a, const Side& b) {
  Table table("engines", {{"engine", ColumnType::text}, {"busy_before_ps", ColumnType::ps}, {"busy_after_ps", ColumnType::ps}, {"stall_before_ps", ColumnType::ps},
                          {"stall_after_ps", ColumnType::ps}, {"idle_before_ps", ColumnType::ps}, {"idle_after_ps", ColumnType::ps}});
  for (size_t i = 0; i < a.stalls.engines.size() && i < b.stalls.engines.size(); ++i) {
    const EngineTime &x = a.stalls.engines[i], &y = b.stalls.engines[i];
    table.row().text(lane_name(x.engine)).integer(x.busy.value).integer(y.busy.value).integer(x.stall.value).integer(y.stall.value).integer(x.idle.value).integer(y.idle.value);
  }
  return table;
}

std::string sentence_of(const Side& a, const Side& b, const Table& parts) {
  char text[320];
  const double before = static_cast<double>(a.profile.duration.value) * 1e-6, after = static_cast<double>(b.profile.duration.value) * 1e-6;
  std::snprintf(text, sizeof(text), "%.3f us become %.3f us (%.3fx)", before, after, ratio(after, before));
  std::string out = text;
  if (parts.rows() > 0 && parts["size_ps"].integers[0] > 0) {
    std::snprintf(text, sizeof(text), "; most of it: %s %+.3f us", std::string(parts["part"].texts[0]).c_str(), static_cast<double>(parts["delta_ps"].integers[0]) * 1e-6);
    out += text;
  } else {
    out += "; no part of the critical path changed";
  }
  if (a.program.bound != b.program.bound) out += "; bound by " + b.program.bound + " instead of " + a.program.bound;
  else out += "; still bound by " + b.program.bound;
  return out;
}

}  // namespace

Result<DeviceProfile> timed_profile(const isa::Program& program, const std::string& spec) {
  LW_ASSIGN_OR_RETURN(const machine::Machine machine, machine::load_machine(spec));
  LW_ASSIGN_OR_RETURN(const sim::Timing timing, sim::time_program(program, machine, {.records = true}));
  LW_ASSIGN_OR_RETURN(DeviceProfile profile, trace::lanewise_pair::join(trace::lanewise_pair::program_of(program, isa::program_hash(program)), runs_of(timing), machine));
  profile.simulator_version = sim::simulator_version();
  return profile;
}

std::string changed_spec(const std::string& base, const std::string& machine, const std::vector<std::string>& changes) {
  std::string spec = machine.empty() ? base : machine;
  for (const std::string& change : changes) spec += "," + change;
  return spec;
}

Result<WhatIf> what_if(const isa::Program& program, const std::string& before_spec, const std::string& after_spec) {
  LW_ASSIGN_OR_RETURN(const Side before, measure(program, before_spec));
  LW_ASSIGN_OR_RETURN(const Side after, measure(program, after_spec));
  WhatIf out;
  out.tables.push_back(totals_table(before, after));
  out.tables.push_back(parts_table(before, after));
  out.tables.push_back(engines_table(before, after));
  out.sentence = sentence_of(before, after, out.tables[1]);
  out.before = before.profile;
  out.after = after.profile;
  return out;
}

}  // namespace lanewise::lab
