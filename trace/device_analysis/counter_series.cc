// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/counter_series.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "trace/device_analysis/lifetimes.h"
#include "trace/device_analysis/traffic.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::Space;

// Values that begin and end, added up.
class Sum {
 public:
  void add(Picos begin, Picos end, double value) {
    if (end <= begin) return;
    changes_.emplace_back(begin.value, value, 1);
    changes_.emplace_back(end.value, -value, -1);
  }
  std::vector<CounterSample> samples() {
    std::sort(changes_.begin(), changes_.end());
    std::vector<CounterSample> out;
    double sum = 0;
    int running = 0;
    for (size_t i = 0; i < changes_.size();) {
      const int64_t at = std::get<0>(changes_[i]);
      for (; i < changes_.size() && std::get<0>(changes_[i]) == at; ++i) {
        sum += std::get<1>(changes_[i]);
        running += std::get<2>(changes_[i]);
      }
      if (running == 0) sum = 0;   // what rounding left
      out.push_back({Picos(at), sum});
    }
    return out;
  }

 private:
  std::vector<std::tuple<int64_t, double, int>> changes_;
};

void add_memory(const device::DeviceProfile& profile, uint16_t cores, std::vector<CounterSeries>* series) {
  const auto samples = occupancy(profile);
  for (uint16_t core = 0; core < cores; ++core) {
    CounterSeries sbuf{core, "SBUF", "bytes in use", {}}, psum{core, "PSUM", "bytes in use", {}};
    for (const auto& s : samples) {
      if (s.core != core) continue;
      sbuf.samples.push_back({s.at, static_cast<double>(s.sbuf)});
      psum.samples.push_back({s.at, static_cast<double>(s.psum)});
    }
    series->push_back(std::move(sbuf));
    series->push_back(std::move(psum));
  }
}

void add_traffic(const device::DeviceProfile& profile, uint16_t cores, std::vector<CounterSeries>* series) {
  const std::vector<Moved> all_moved = moved(profile);
  std::vector<Sum> hbm(cores), all(cores), pending(cores);
  for (size_t i = 0; i < profile.dmas.size(); ++i) {
    const auto& run = profile.dmas[i];
    const double length = static_cast<double>((run.end - run.begin).value) * 1e-12;
    if (length > 0) {
      const int64_t of_hbm = (all_moved[i].from == Space::hbm ? all_moved[i].read : 0) + (all_moved[i].to == Space::hbm ? all_moved[i].written : 0);
      hbm[run.core].add(run.begin, run.end, static_cast<double>(of_hbm) / length * 1e-9);
      all[run.core].add(run.begin, run.end, static_cast<double>(run.bytes) / length * 1e-9);
    }
    pending[run.core].add(run.triggered.value >= 0 ? run.triggered : run.begin, run.end, 1);
  }
  for (uint16_t core = 0; core < cores; ++core) {
    const auto put = [&](Sum& sum, const char* title, const char* unit) {
      series->push_back({core, title, unit, sum.samples()});
    };
    put(hbm[core], "HBM bandwidth", "GB/s");
    put(all[core], "DMA bandwidth", "GB/s");
    put(pending[core], "Pending DMAs", "ordered, not ended");
  }
}

void add_limit(const device::DeviceProfile& profile, const machine::Machine& machine, uint16_t cores, std::vector<CounterSeries>* series) {
  const double cold = 1.0 / static_cast<double>(std::max<int64_t>(1, machine.pe.throttle_factor));
  for (uint16_t core = 0; core < cores; ++core) {
    CounterSeries limit{core, "PE utilisation limit", "of the full clock", {}};
    for (const auto& change : profile.pe_limits) {
      if (change.core == core) limit.samples.push_back({change.at, change.limit});
    }
    const bool told = !limit.samples.empty();
    for (const auto& run : profile.instructions) {
      if (told) break;
      if (run.core != core || run.engine != isa::Engine::pe) continue;
      const double value = run.throttled ? cold : 1;
      if (limit.samples.empty() || limit.samples.back().value != value) limit.samples.push_back({run.begin, value});
    }
    // A tensor engine that did nothing has no clock that anybody saw.
    if (!limit.samples.empty()) series->push_back(std::move(limit));
  }
}

}  // namespace

std::vector<CounterSeries> counter_series(const device::DeviceProfile& profile, const machine::Machine& machine, uint16_t cores) {
  std::vector<CounterSeries> series;
  add_memory(profile, cores, &series);
  add_traffic(profile, cores, &series);
  add_limit(profile, machine, cores, &series);
  return series;
}

std::vector<CounterSeries> semaphore_series(const device::DeviceProfile& profile) {
  std::map<std::pair<uint16_t, int32_t>, CounterSeries> found;
  for (const auto& run : profile.semaphores) {
    const auto [at, is_new] = found.try_emplace({run.core, run.semaphore});
    if (is_new) at->second = {run.core, "s" + std::to_string(run.semaphore), "value", {}};
    at->second.samples.push_back({run.at, static_cast<double>(run.value)});
  }
  std::vector<CounterSeries> series;
  for (auto& [key, one] : found) {
    std::stable_sort(one.samples.begin(), one.samples.end(), [](const CounterSample& a, const CounterSample& b) { return a.at < b.at; });
    series.push_back(std::move(one));
  }
  return series;
}

}  // namespace lanewise::trace::device_analysis
