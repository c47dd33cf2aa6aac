// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/lifetimes.h"

#include <algorithm>
#include <map>

#include "trace/device_analysis/intervals.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;
using device::Space;

struct Access {
  Picos begin, end;
  Box box;
  bool write;
  uint32_t instruction;
  bool by_dma;
};

// Live regions of one space of one core, by the first byte of their boxes. What is asked for is found by walking back from
// the last box that begins before its end; `reach` bounds the walk.
class Regions {
 public:
  explicit Regions(std::vector<Lifetime>* out) : out_(out) {}

  void apply(uint16_t core, const Access& a) {
    hits_.clear();
    for (auto at = live_.lower_bound(a.box.begin - reach_); at != live_.end() && at->first < a.box.end; ++at) {
      if (at->second.box.overlaps(a.box)) hits_.push_back(at);
    }
    if (!a.write) {
      for (const auto at : hits_) {
        ++at->second.reads;
        at->second.end = std::max(at->second.end, a.end);
      }
      return;
    }
    Lifetime life{core, a.box, a.begin, a.end, 1, 0, a.instruction, a.by_dma};
    for (const auto at : hits_) {
      Lifetime& old = at->second;
      if (old.reads > 0 && old.end <= a.begin) {
        out_->push_back(old);   // it was read for the last time before
      } else {
        life.box = {a.box.space, {}, std::min(life.box.partition, old.box.partition), std::max(life.box.partition_end, old.box.partition_end),
                    std::min(life.box.begin, old.box.begin), std::max(life.box.end, old.box.end)};
        if (old.begin <= life.begin) life.writer = old.writer, life.by_dma = old.by_dma;
        life.begin = std::min(life.begin, old.begin);
        life.end = std::max(life.end, old.end);
        life.writes += old.writes;
        life.reads += old.reads;
      }
      live_.erase(at);
    }
    reach_ = std::max(reach_, life.box.end - life.box.begin);
    live_.emplace(life.box.begin, life);
  }

  void finish() {
    for (const auto& [begin, life] : live_) out_->push_back(life);
  }

 private:
  std::vector<Lifetime>* out_;
  std::multimap<int64_t, Lifetime> live_;
  std::vector<std::multimap<int64_t, Lifetime>::iterator> hits_;
  int64_t reach_ = 0;
};

void collect(const device::Operand& o, bool write, Picos begin, Picos end, uint32_t instruction, bool by_dma, std::vector<Access>* out) {
  if (o.space != Space::sbuf && o.space != Space::psum) return;
  Box box = box_of(o);
  if (box.partition_end <= box.partition) return;
  box.tensor = {};   // places, not names
  out->push_back({begin, end, box, write, instruction, by_dma});
}

std::vector<Access> accesses(const device::DeviceProfile& profile, uint16_t core) {
  std::vector<Access> out;
  for (const device::InstructionRun& run : profile.instructions) {
    if (run.core != core || run.instruction == kNone) continue;
    const device::Instruction& in = profile.program.instructions[run.instruction];
    if (in.queue != kNone) continue;   // the DMA reads and writes, not its trigger
    for (const device::Operand& o : in.operands) collect(o, is_written(o), run.begin, run.end, run.instruction, false, &out);
  }
  for (const device::DmaRun& run : profile.dmas) {
    if (run.core != core || run.descriptor == kNone) continue;
    const device::DmaDescriptor& d = profile.program.descriptors[run.descriptor];
    collect(d.from, false, run.begin, run.end, run.trigger, true, &out);
    collect(d.to, true, run.begin, run.end, run.trigger, true, &out);
  }
  // Reads first at equal times: an instruction reads before it overwrites.
  std::stable_sort(out.begin(), out.end(), [](const Access& a, const Access& b) { return a.begin != b.begin ? a.begin < b.begin : a.write < b.write; });
  return out;
}

}  // namespace

std::vector<Lifetime> lifetimes(const device::DeviceProfile& profile) {
  std::vector<Lifetime> out;
  for (uint16_t core = 0; core < core_count(profile); ++core) {
    Regions sbuf(&out), psum(&out);
    for (const Access& a : accesses(profile, core)) (a.box.space == Space::sbuf ? sbuf : psum).apply(core, a);
    sbuf.finish();
    psum.finish();
  }
  std::stable_sort(out.begin(), out.end(), [](const Lifetime& a, const Lifetime& b) { return a.begin < b.begin; });
  return out;
}

std::vector<Occupancy> occupancy(const std::vector<Lifetime>& lifetimes) {
  std::map<std::pair<uint16_t, int64_t>, std::pair<int64_t, int64_t>> changes;   // (core, ps) -> SBUF, PSUM
  for (const Lifetime& life : lifetimes) {
    for (const auto& [at, bytes] : {std::pair(life.begin, life.box.bytes()), std::pair(life.end, -life.box.bytes())}) {
      auto& change = changes[{life.core, at.value}];
      (life.box.space == Space::sbuf ? change.first : change.second) += bytes;
    }
  }
  std::vector<Occupancy> out;
  for (const auto& [key, change] : changes) {
    Occupancy o{Picos(key.second), key.first, change.first, change.second};
    if (!out.empty() && out.back().core == o.core) {
      o.sbuf += out.back().sbuf;
      o.psum += out.back().psum;
    }
    out.push_back(o);
  }
  return out;
}

}  // namespace lanewise::trace::device_analysis
