// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/lifetimes.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <tuple>

#include "trace/device_analysis/intervals.h"

namespace lanewise::trace::device_analysis {
namespace {

using device::kNone;
using device::Space;

// One side of an instruction or descriptor. Made once for each, not for each run: a loop has few of the one and millions of the other.
struct Side {
  Box box;
  bool write;
};

struct Sides {
  std::vector<Side> all;
  std::vector<uint32_t> first;   // of row n: all[first[n] .. first[n + 1])

  void next() { first.push_back(static_cast<uint32_t>(all.size())); }
  void add(const device::Operand& o, bool write) {
    if (o.space != Space::sbuf && o.space != Space::psum) return;
    Box box = box_of(o);
    if (box.partition_end <= box.partition) return;
    box.tensor = {};   // places, not names
    all.push_back({box, write});
  }
  std::span<const Side> of(uint32_t row) const { return {all.data() + first[row], all.data() + first[row + 1]}; }
};

Sides sides_of_instructions(const device::Program& program) {
  Sides sides;
  sides.first.reserve(program.instructions.size() + 1);
  for (const device::Instruction& in : program.instructions) {
    sides.next();
    if (in.queue != kNone) continue;   // the DMA reads and writes, not its trigger
    for (const device::Operand& o : in.operands) sides.add(o, is_written(o));
  }
  sides.next();
  return sides;
}

Sides sides_of_descriptors(const device::Program& program) {
  Sides sides;
  sides.first.reserve(program.descriptors.size() + 1);
  for (const device::DmaDescriptor& d : program.descriptors) {
    sides.next();
    sides.add(d.from, false);
    sides.add(d.to, true);
  }
  sides.next();
  return sides;
}

struct Access {
  Picos begin, end;
  const Side& side;
  uint32_t instruction;
  bool by_dma;
};

// Live regions of one space of one core. They are kept by size, in classes of powers of two, and in each by their first byte: what overlaps
// a box begins less than the size of its class before it, so that one large region does not make every search a long one.
class Regions {
 public:
  template <typename Emit>
  void apply(uint16_t core, const Access& a, const Emit& emit) {
    const Box& box = a.side.box;
    find(box);
    if (!a.side.write) {
      for (const Hit& hit : hits_) {
        ++hit.at->second.life.reads;
        hit.at->second.life.end = std::max(hit.at->second.life.end, a.end);
      }
      return;
    }
    // By first byte, then age: who wrote first does not depend on the classes.
    if (hits_.size() > 1) std::sort(hits_.begin(), hits_.end(), [](const Hit& x, const Hit& y) { return older(*x.at, *y.at); });
    Lifetime life{core, box, a.begin, a.end, 1, 0, a.instruction, a.by_dma};
    for (const Hit& hit : hits_) {
      const Lifetime& old = hit.at->second.life;
      if (old.reads > 0 && old.end <= a.begin) {
        emit(old);   // it was read for the last time before
      } else {
        life.box = {box.space, {}, std::min(life.box.partition, old.box.partition), std::max(life.box.partition_end, old.box.partition_end),
                    std::min(life.box.begin, old.box.begin), std::max(life.box.end, old.box.end)};
        if (old.begin <= life.begin) life.writer = old.writer, life.by_dma = old.by_dma;
        life.begin = std::min(life.begin, old.begin);
        life.end = std::max(life.end, old.end);
        life.writes += old.writes;
        life.reads += old.reads;
      }
    }
    insert(life);
  }

  template <typename Emit>
  void finish(const Emit& emit) {
    hits_.clear();
    for (size_t c = 0; c < classes_.size(); ++c) {
      for (auto at = classes_[c].live.begin(); at != classes_[c].live.end(); ++at) hits_.push_back({c, at});
    }
    std::sort(hits_.begin(), hits_.end(), [](const Hit& x, const Hit& y) { return older(*x.at, *y.at); });
    for (const Hit& hit : hits_) emit(hit.at->second.life);
  }

 private:
  struct Living {
    Lifetime life;
    uint64_t age;
  };
  using Live = std::multimap<int64_t, Living>;
  struct Class {
    int bits;      // sizes below 2^bits bytes, and not below half of that
    Live live;
  };
  struct Hit {
    size_t of;     // index in classes_
    Live::iterator at;
  };
  static bool older(const Live::value_type& a, const Live::value_type& b) { return std::tie(a.first, a.second.age) < std::tie(b.first, b.second.age); }
  static int bits_of(const Box& box) { return std::min(62, static_cast<int>(std::bit_width(static_cast<uint64_t>(box.end - box.begin)))); }

  void find(const Box& box) {
    hits_.clear();
    for (size_t c = 0; c < classes_.size(); ++c) {
      Live& live = classes_[c].live;
      if (live.empty()) continue;
      const int64_t reach = int64_t{1} << classes_[c].bits;
      for (auto at = live.lower_bound(box.begin < INT64_MIN + reach ? INT64_MIN : box.begin - reach); at != live.end() && at->first < box.end; ++at) {
        if (at->second.life.box.overlaps(box)) hits_.push_back({c, at});
      }
    }
  }

  // In the place of the hits; the node of one of them is used again.
  void insert(const Lifetime& life) {
    Live::node_type node;
    for (const Hit& hit : hits_) node = classes_[hit.of].live.extract(hit.at);
    const int bits = bits_of(life.box);
    auto found = std::find_if(classes_.begin(), classes_.end(), [&](const Class& c) { return c.bits == bits; });
    if (found == classes_.end()) found = classes_.insert(classes_.end(), {bits, {}});
    const Living living{life, age_++};
    if (node.empty()) {
      found->live.emplace(life.box.begin, living);
    } else {
      node.key() = life.box.begin;
      node.mapped() = living;
      found->live.insert(std::move(node));
    }
  }

  std::vector<Class> classes_;   // those that were ever needed
  std::vector<Hit> hits_;
  uint64_t age_ = 0;
};

// Rows in order of begin: as they are, when a profile keeps its word, and sorted when it does not.
template <typename Run>
class InOrder {
 public:
  explicit InOrder(const std::vector<Run>& runs) : runs_(runs) {
    if (std::is_sorted(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; })) return;
    order_.resize(runs.size());
    for (size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<uint32_t>(i);
    std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return runs[a].begin < runs[b].begin; });
  }
  size_t size() const { return runs_.size(); }
  const Run& operator[](size_t i) const { return runs_[order_.empty() ? i : order_[i]]; }

 private:
  const std::vector<Run>& runs_;
  std::vector<uint32_t> order_;
};

// Every access in order of time. Reads first at equal times: an instruction reads before it overwrites.
template <typename Use>
void each_access(const device::DeviceProfile& profile, const Use& use) {
  const Sides of_instruction = sides_of_instructions(profile.program), of_descriptor = sides_of_descriptors(profile.program);
  const InOrder instructions(profile.instructions);
  const InOrder dmas(profile.dmas);
  for (size_t i = 0, d = 0; i < instructions.size() || d < dmas.size();) {
    Picos now(INT64_MAX);
    if (i < instructions.size()) now = instructions[i].begin;
    if (d < dmas.size()) now = std::min(now, dmas[d].begin);
    size_t i_end = i, d_end = d;
    for (const bool write : {false, true}) {
      for (i_end = i; i_end < instructions.size() && instructions[i_end].begin == now; ++i_end) {
        const device::InstructionRun& run = instructions[i_end];
        if (run.instruction == kNone) continue;
        for (const Side& side : of_instruction.of(run.instruction)) {
          if (side.write == write) use(run.core, Access{run.begin, run.end, side, run.instruction, false});
        }
      }
      for (d_end = d; d_end < dmas.size() && dmas[d_end].begin == now; ++d_end) {
        const device::DmaRun& run = dmas[d_end];
        if (run.descriptor == kNone) continue;
        for (const Side& side : of_descriptor.of(run.descriptor)) {
          if (side.write == write) use(run.core, Access{run.begin, run.end, side, run.trigger, true});
        }
      }
    }
    i = i_end;
    d = d_end;
  }
}

// emit(life), of each core in the order in which lives are known to have ended.
template <typename Emit>
void each_lifetime(const device::DeviceProfile& profile, const Emit& emit) {
  struct OfCore {
    Regions sbuf, psum;
  };
  std::vector<OfCore> cores(core_count(profile));
  each_access(profile, [&](uint16_t core, const Access& a) { (a.side.box.space == Space::sbuf ? cores[core].sbuf : cores[core].psum).apply(core, a, emit); });
  for (OfCore& core : cores) {
    core.sbuf.finish(emit);
    core.psum.finish(emit);
  }
}

struct Change {
  Picos at;
  int64_t bytes;
  uint16_t core;
  bool psum;
};

void add_changes(const Lifetime& life, std::vector<Change>* changes) {
  const bool psum = life.box.space != Space::sbuf;
  changes->push_back({life.begin, life.box.bytes(), life.core, psum});
  changes->push_back({life.end, -life.box.bytes(), life.core, psum});
}

std::vector<Occupancy> sum(std::vector<Change> changes) {
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.core != b.core ? a.core < b.core : a.at < b.at; });
  std::vector<Occupancy> out;
  for (const Change& c : changes) {
    const bool same_core = !out.empty() && out.back().core == c.core;
    if (!same_core) out.push_back({c.at, c.core, 0, 0});
    else if (out.back().at != c.at) out.push_back({c.at, c.core, out.back().sbuf, out.back().psum});
    (c.psum ? out.back().psum : out.back().sbuf) += c.bytes;
  }
  return out;
}

}  // namespace

std::vector<Lifetime> lifetimes(const device::DeviceProfile& profile) {
  std::vector<Lifetime> out;
  each_lifetime(profile, [&](const Lifetime& life) { out.push_back(life); });
  std::stable_sort(out.begin(), out.end(), [](const Lifetime& a, const Lifetime& b) { return a.begin != b.begin ? a.begin < b.begin : a.core < b.core; });
  return out;
}

std::vector<Occupancy> occupancy(const std::vector<Lifetime>& lifetimes) {
  std::vector<Change> changes;
  changes.reserve(2 * lifetimes.size());
  for (const Lifetime& life : lifetimes) add_changes(life, &changes);
  return sum(std::move(changes));
}

std::vector<Occupancy> occupancy(const device::DeviceProfile& profile) {
  std::vector<Change> changes;
  each_lifetime(profile, [&](const Lifetime& life) { add_changes(life, &changes); });
  return sum(std::move(changes));
}

}  // namespace lanewise::trace::device_analysis
