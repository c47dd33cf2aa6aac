// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/device/counters.h"

#include <string>

#include "trace/device_analysis/counter_series.h"

namespace lanewise::server::device {

using timeline::Group;
using timeline::Lane;
using trace::device_analysis::CounterSeries;

namespace {

Lane lane_of(const trace::device::DeviceProfile& profile, Group group, CounterSeries series) {
  Lane lane;
  lane.group = group;
  lane.kind = timeline::LaneKind::counter;
  lane.device = "nc" + std::to_string(profile.first_core + series.core);
  lane.pid = lane.device;
  lane.tid = series.name;
  lane.title = std::move(series.name);
  lane.subtitle = std::move(series.unit);
  if (profile.program.cores > 1) lane.subtitle = lane.device + ", " + lane.subtitle;
  lane.key = lane.device + "/" + std::string(group_name(group)) + "/" + lane.title;
  lane.hidden = group == Group::semaphores;
  lane.samples.reserve(series.samples.size());
  for (const auto& sample : series.samples) lane.samples.push_back({sample.at.value, sample.value});
  return lane;
}

}  // namespace

std::vector<Lane> counter_lanes(const trace::device::DeviceProfile& profile, const machine::Machine& machine, uint16_t cores) {
  std::vector<Lane> lanes;
  for (CounterSeries& series : trace::device_analysis::counter_series(profile, machine, cores)) lanes.push_back(lane_of(profile, Group::counters, std::move(series)));
  for (CounterSeries& series : trace::device_analysis::semaphore_series(profile)) lanes.push_back(lane_of(profile, Group::semaphores, std::move(series)));
  return lanes;
}

}  // namespace lanewise::server::device
