// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/semaphore_history.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/device_analysis/intervals.h"

namespace lanewise::trace::device_analysis {

using device::kNone;

SemaphoreHistory::SemaphoreHistory(const device::DeviceProfile& profile) : profile_(profile) {
  const auto& all = profile.semaphores;
  std::vector<uint32_t> by_time(all.size());
  for (size_t i = 0; i < all.size(); ++i) by_time[i] = static_cast<uint32_t>(i);
  const auto earlier = [&](uint32_t a, uint32_t b) { return all[a].at < all[b].at; };
  if (!std::is_sorted(by_time.begin(), by_time.end(), earlier)) std::stable_sort(by_time.begin(), by_time.end(), earlier);
  find_runs();
  position_.resize(all.size());
  for (const uint32_t u : by_time) {
    Track& track = tracks_[key(all[u].core, all[u].semaphore)];
    const auto at = static_cast<uint32_t>(track.updates.size());
    position_[u] = at;
    const bool falls = at > 0 && all[u].value < all[track.updates.back()].value;
    track.rise.push_back(at == 0 ? 0 : falls ? at : track.rise.back());
    track.updates.push_back(u);
  }
  for (auto& [name, track] : tracks_) {
    std::map<uint32_t, std::vector<uint32_t>> sources;
    for (size_t at = 0; at < track.updates.size(); ++at) {
      const device::SemaphoreRun& u = all[track.updates[at]];
      const uint32_t run = run_[track.updates[at]];
      const uint32_t queue = u.by_dma && run != kNone ? profile.dmas[run].queue : kNone;
      sources[u.by_dma ? 1000 + (queue == kNone ? 0 : queue + 1) : static_cast<uint32_t>(u.engine)].push_back(static_cast<uint32_t>(at));
    }
    for (auto& [source, positions] : sources) track.sources.push_back(std::move(positions));
  }
}

void SemaphoreHistory::find_runs() {
  run_.resize(profile_.semaphores.size(), kNone);
  bool all_known = true;
  for (size_t u = 0; u < run_.size(); ++u) {
    run_[u] = profile_.semaphores[u].run;
    all_known &= run_[u] != kNone;
  }
  if (all_known) return;
  // (core, engine, semaphore) -> runs that update it, by end; DMAs of a core by done.
  struct Ended {
    Picos at;
    uint32_t run;
  };
  std::map<std::tuple<uint16_t, int, int32_t>, std::vector<Ended>> by_engine;
  std::map<uint16_t, std::vector<Ended>> by_dma;
  for (size_t i = 0; i < profile_.instructions.size(); ++i) {
    const device::InstructionRun& r = profile_.instructions[i];
    if (r.instruction == kNone) continue;
    const device::Instruction& in = profile_.program.instructions[r.instruction];
    for (const device::Semaphore& s : in.updates) by_engine[{r.core, static_cast<int>(r.engine), s.number}].push_back({r.end, static_cast<uint32_t>(i)});
  }
  for (size_t i = 0; i < profile_.dmas.size(); ++i) by_dma[profile_.dmas[i].core].push_back({done(profile_.dmas[i]), static_cast<uint32_t>(i)});
  const auto earlier = [](const Ended& a, const Ended& b) { return a.at < b.at; };
  for (auto& [name, ended] : by_engine) std::stable_sort(ended.begin(), ended.end(), earlier);
  for (auto& [name, ended] : by_dma) std::stable_sort(ended.begin(), ended.end(), earlier);
  for (size_t u = 0; u < run_.size(); ++u) {
    if (run_[u] != kNone) continue;
    const device::SemaphoreRun& s = profile_.semaphores[u];
    const std::vector<Ended>& ended = s.by_dma ? by_dma[s.core] : by_engine[{s.core, static_cast<int>(s.engine), s.semaphore}];
    const auto after = std::upper_bound(ended.begin(), ended.end(), Ended{s.at, 0}, earlier);
    if (after != ended.begin()) run_[u] = std::prev(after)->run;
  }
}

uint32_t SemaphoreHistory::reached(uint16_t core, const device::Semaphore& wait, Picos begin) const {
  const auto found = tracks_.find(key(core, wait.number));
  if (found == tracks_.end()) return kNone;
  const Track& track = found->second;
  const auto& all = profile_.semaphores;
  const auto after = std::upper_bound(track.updates.begin(), track.updates.end(), begin, [&](Picos t, uint32_t u) { return t < all[u].at; });
  if (after == track.updates.begin()) return kNone;
  const auto last = static_cast<size_t>(after - track.updates.begin() - 1);
  if (wait.relation == "<" || wait.relation == "<=" || wait.relation == "!=") return track.updates[last];
  // Values rise from track.rise[last] to `last`: the first one that is high enough.
  const uint32_t wanted = wait.relation == ">" ? wait.value + 1 : wait.value;
  const auto first = track.updates.begin() + track.rise[last];
  const auto at = std::lower_bound(first, after, wanted, [&](uint32_t u, uint32_t value) { return all[u].value < value; });
  return at == after ? kNone : *at;
}

void SemaphoreHistory::last_of_each_source(uint32_t update, std::vector<uint32_t>* out) const {
  const device::SemaphoreRun& s = profile_.semaphores[update];
  const Track& track = tracks_.at(key(s.core, s.semaphore));
  out->clear();
  for (const std::vector<uint32_t>& positions : track.sources) {
    const auto after = std::upper_bound(positions.begin(), positions.end(), position_[update]);
    if (after == positions.begin()) continue;
    const uint32_t at = *std::prev(after);
    // Before the semaphore was last set back it counted for another wait.
    if (at >= track.rise[position_[update]]) out->push_back(track.updates[at]);
  }
}

}  // namespace lanewise::trace::device_analysis
