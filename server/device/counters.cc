// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "server/device/counters.h"

#include <algorithm>
#include <map>
#include <string>

#include "trace/device_analysis/lifetimes.h"
#include "trace/device_analysis/traffic.h"

namespace lanewise::server::device {

using timeline::Group;
using timeline::Lane;
using timeline::Sample;
using trace::device::Space;

namespace {

Lane counter(const trace::device::DeviceProfile& profile, uint16_t core, Group group, std::string title, std::string subtitle) {
  Lane lane;
  lane.group = group;
  lane.kind = timeline::LaneKind::counter;
  lane.device = "nc" + std::to_string(profile.first_core + core);
  lane.pid = lane.device;
  lane.tid = title;
  lane.title = std::move(title);
  lane.subtitle = std::move(subtitle);
  if (profile.program.cores > 1) lane.subtitle = lane.device + ", " + lane.subtitle;
  lane.key = lane.device + "/" + std::string(group_name(group)) + "/" + lane.title;
  return lane;
}

// Values that begin and end, added up.
class Sum {
 public:
  void add(Picos begin, Picos end, double value) {
    if (end <= begin) return;
    changes_.emplace_back(begin.value, value, 1);
    changes_.emplace_back(end.value, -value, -1);
  }
  std::vector<Sample> samples() {
    std::sort(changes_.begin(), changes_.end());
    std::vector<Sample> out;
    double sum = 0;
    int running = 0;
    for (size_t i = 0; i < changes_.size();) {
      const int64_t at = std::get<0>(changes_[i]);
      for (; i < changes_.size() && std::get<0>(changes_[i]) == at; ++i) {
        sum += std::get<1>(changes_[i]);
        running += std::get<2>(changes_[i]);
      }
      if (running == 0) sum = 0;   // what rounding left
      out.push_back({at, sum});
    }
    return out;
  }

 private:
  std::vector<std::tuple<int64_t, double, int>> changes_;
};

void add_memory(const trace::device::DeviceProfile& profile, uint16_t cores, std::vector<Lane>* lanes) {
  const auto samples = trace::device_analysis::occupancy(profile);
  for (uint16_t core = 0; core < cores; ++core) {
    Lane sbuf = counter(profile, core, Group::counters, "SBUF", "bytes in use"), psum = counter(profile, core, Group::counters, "PSUM", "bytes in use");
    for (const auto& s : samples) {
      if (s.core != core) continue;
      sbuf.samples.push_back({s.at.value, static_cast<double>(s.sbuf)});
      psum.samples.push_back({s.at.value, static_cast<double>(s.psum)});
    }
    lanes->push_back(std::move(sbuf));
    lanes->push_back(std::move(psum));
  }
}

void add_traffic(const trace::device::DeviceProfile& profile, uint16_t cores, std::vector<Lane>* lanes) {
  const auto moved = trace::device_analysis::moved(profile);
  std::vector<Sum> hbm(cores), all(cores), pending(cores);
  for (size_t i = 0; i < profile.dmas.size(); ++i) {
    const auto& run = profile.dmas[i];
    const double length = static_cast<double>((run.end - run.begin).value) * 1e-12;
    if (length > 0) {
      const int64_t of_hbm = (moved[i].from == Space::hbm ? moved[i].read : 0) + (moved[i].to == Space::hbm ? moved[i].written : 0);
      hbm[run.core].add(run.begin, run.end, static_cast<double>(of_hbm) / length * 1e-9);
      all[run.core].add(run.begin, run.end, static_cast<double>(run.bytes) / length * 1e-9);
    }
    pending[run.core].add(run.triggered.value >= 0 ? run.triggered : run.begin, run.end, 1);
  }
  for (uint16_t core = 0; core < cores; ++core) {
    const auto put = [&](Sum& sum, const char* title, const char* subtitle) {
      Lane lane = counter(profile, core, Group::counters, title, subtitle);
      lane.samples = sum.samples();
      lanes->push_back(std::move(lane));
    };
    put(hbm[core], "HBM bandwidth", "GB/s");
    put(all[core], "DMA bandwidth", "GB/s");
    put(pending[core], "Pending DMAs", "ordered, not ended");
  }
}

void add_limit(const trace::device::DeviceProfile& profile, const machine::Machine& machine, uint16_t cores, std::vector<Lane>* lanes) {
  const double cold = 1.0 / static_cast<double>(std::max<int64_t>(1, machine.pe.throttle_factor));
  for (uint16_t core = 0; core < cores; ++core) {
    Lane lane = counter(profile, core, Group::counters, "PE utilisation limit", "of the full clock");
    for (const auto& change : profile.pe_limits) {
      if (change.core == core) lane.samples.push_back({change.at.value, change.limit});
    }
    const bool told = !lane.samples.empty();
    for (const auto& run : profile.instructions) {
      if (told) break;
      if (run.core != core || run.engine != isa::Engine::pe) continue;
      const double value = run.throttled ? cold : 1;
      if (lane.samples.empty() || lane.samples.back().value != value) lane.samples.push_back({run.begin.value, value});
    }
    // A tensor engine that did nothing has no clock that anybody saw.
    if (!lane.samples.empty()) lanes->push_back(std::move(lane));
  }
}

void add_semaphores(const trace::device::DeviceProfile& profile, std::vector<Lane>* lanes) {
  std::map<std::pair<uint16_t, int32_t>, Lane> found;
  for (const auto& run : profile.semaphores) {
    const auto [at, is_new] = found.try_emplace({run.core, run.semaphore});
    if (is_new) {
      at->second = counter(profile, run.core, Group::semaphores, "s" + std::to_string(run.semaphore), "value");
      at->second.hidden = true;
    }
    at->second.samples.push_back({run.at.value, static_cast<double>(run.value)});
  }
  for (auto& [key, lane] : found) {
    std::stable_sort(lane.samples.begin(), lane.samples.end(), [](const Sample& a, const Sample& b) { return a.at < b.at; });
    lanes->push_back(std::move(lane));
  }
}

}  // namespace

std::vector<Lane> counter_lanes(const trace::device::DeviceProfile& profile, const machine::Machine& machine, uint16_t cores) {
  std::vector<Lane> lanes;
  add_memory(profile, cores, &lanes);
  add_traffic(profile, cores, &lanes);
  add_limit(profile, machine, cores, &lanes);
  add_semaphores(profile, &lanes);
  return lanes;
}

}  // namespace lanewise::server::device
