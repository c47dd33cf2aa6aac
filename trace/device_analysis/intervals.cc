// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/intervals.h"

#include <algorithm>

namespace lanewise::trace::device_analysis {

std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const Interval& i : intervals) {
    if (i.end <= i.begin) continue;
    if (kept > 0 && i.begin <= intervals[kept - 1].end) intervals[kept - 1].end = std::max(intervals[kept - 1].end, i.end);
    else intervals[kept++] = i;
  }
  intervals.resize(kept);
  return intervals;
}

Picos total(const std::vector<Interval>& merged) {
  Picos sum;
  for (const Interval& i : merged) sum += i.end - i.begin;
  return sum;
}

Picos total_overlap(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  Picos sum;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Picos begin = std::max(a[i].begin, b[j].begin), end = std::min(a[i].end, b[j].end);
    if (end > begin) sum += end - begin;
    a[i].end < b[j].end ? ++i : ++j;
  }
  return sum;
}

uint16_t core_count(const device::DeviceProfile& profile) {
  uint16_t cores = std::max<uint16_t>(1, profile.program.cores);
  for (const auto& run : profile.instructions) cores = std::max<uint16_t>(cores, run.core + 1);
  for (const auto& run : profile.dmas) cores = std::max<uint16_t>(cores, run.core + 1);
  return cores;
}

int64_t active_cores(const device::DeviceProfile& profile) {
  std::vector<bool> active(core_count(profile));
  for (const auto& run : profile.instructions) active[run.core] = true;
  for (const auto& run : profile.dmas) active[run.core] = true;
  return std::max<int64_t>(1, std::count(active.begin(), active.end(), true));
}

std::vector<Lane> lanes(const device::DeviceProfile& profile) {
  std::vector<Lane> out;
  for (uint16_t core = 0; core < core_count(profile); ++core) {
    for (int e = 0; e < isa::kEngineCount; ++e) out.push_back({core, static_cast<isa::Engine>(e), {}});
  }
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const device::InstructionRun& run = profile.instructions[i];
    out[run.core * isa::kEngineCount + static_cast<int>(run.engine)].runs.push_back(static_cast<uint32_t>(i));
  }
  return out;
}

std::vector<Interval> busy(const device::DeviceProfile& profile, const Lane& lane) {
  std::vector<Interval> spans;
  for (const uint32_t r : lane.runs) spans.push_back({profile.instructions[r].begin, profile.instructions[r].end});
  return merged(std::move(spans));
}

std::vector<Interval> dma_busy(const device::DeviceProfile& profile, uint16_t core) {
  std::vector<Interval> spans;
  for (const device::DmaRun& run : profile.dmas) {
    if (run.core == core) spans.push_back({run.begin, run.end});
  }
  return merged(std::move(spans));
}

Picos whole(const device::DeviceProfile& profile) {
  Picos end = profile.duration;
  for (const auto& run : profile.instructions) end = std::max(end, run.end);
  for (const auto& run : profile.dmas) end = std::max(end, done(run));
  return end;
}

}  // namespace lanewise::trace::device_analysis
