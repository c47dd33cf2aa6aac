// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/reorder.h"

#include <algorithm>
#include <array>
#include <queue>

#include "base/status.h"
#include "compiler/emit/estimate.h"
#include "compiler/emit/interval_map.h"
#include "isa/sequencer.h"
#include "isa/table.h"

namespace lanewise::compiler::emit {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;

namespace {

class Scheduler {
 public:
  Scheduler(const Linear& linear, const std::vector<stage::Buffer>& buffers, const machine::Machine& machine)
      : linear_(linear), machine_(machine), size_(static_cast<int32_t>(linear.code.size())) {
    find_dependences(buffers);
    ready_at_.assign(size_, 0);
  }

  std::vector<int32_t> run() {
    for (int32_t i = 0; i < size_; ++i)
      if (waits_[i] == 0) arrive(i);
    std::vector<int32_t> order;
    order.reserve(size_);
    while (static_cast<int32_t>(order.size()) < size_) {
      const int32_t i = take();
      order.push_back(i);
      issue(i);
    }
    return order;
  }

 private:
  struct Lane {                       // an engine
    int64_t free = 0;
    int table = 0;                    // Scalar: loaded function tables
    // Instructions whose operands are scheduled: by the time they are there, then (once that time has come) by age.
    std::priority_queue<std::pair<int64_t, int32_t>, std::vector<std::pair<int64_t, int32_t>>, std::greater<>> coming;
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready, other_table;
  };

  void find_dependences(const std::vector<stage::Buffer>& buffers) {
    AccessLister lister(buffers);
    std::vector<IntervalMap> regions(lister.regions(), IntervalMap(IntervalMap::Merge::nothing));
    std::vector<std::pair<int32_t, int32_t>> edges;
    std::vector<int32_t> seen(size_, -1);
    waits_.assign(size_, 0);
    std::vector<int32_t> count(size_ + 1, 0);
    for (int32_t i = 0; i < size_; ++i) {
      const auto conflict = [&](const OpenAccess& earlier) {
        if (earlier.at == i || seen[earlier.at] == i) return;
        seen[earlier.at] = i;
        edges.emplace_back(earlier.at, i);
        ++waits_[i];
        ++count[earlier.at + 1];
      };
      for (const ByteAccess& access : lister.list(linear_.code[i], linear_.order[i])) regions[access.region].touch(access, 0, i, conflict);
    }
    for (int32_t i = 0; i < size_; ++i) count[i + 1] += count[i];
    first_ = count;
    followers_.resize(edges.size());
    for (const auto& [from, to] : edges) followers_[count[from]++] = to;
  }

  Lane& lane_of(int32_t i) { return lanes_[static_cast<int>(linear_.code[i].engine)]; }
  void arrive(int32_t i) { lane_of(i).coming.emplace(ready_at_[i], i); }

  static int table_of(const Instruction& i) { return i.fn == isa::ActFn::none ? 0 : isa::info(i.fn).table_set; }

  // The next instruction: on the engine that can start first, the oldest one that is ready then.
  int32_t take() {
    Lane* best = nullptr;
    int64_t start = INT64_MAX;
    for (Lane& lane : lanes_) {
      if (lane.ready.empty() && lane.other_table.empty() && lane.coming.empty()) continue;
      const bool waiting = lane.ready.empty() && lane.other_table.empty();
      const int64_t t = waiting ? std::max(lane.free, lane.coming.top().first) : lane.free;
      if (t < start) {
        start = t;
        best = &lane;
      }
    }
    LW_CHECK(best != nullptr, "instructions wait for each other in a circle");
    while (!best->coming.empty() && best->coming.top().first <= start) {
      const int32_t i = best->coming.top().second;
      best->coming.pop();
      const int table = table_of(linear_.code[i]);
      (table == 0 || table == best->table ? best->ready : best->other_table).push(i);
    }
    best->free = std::max(best->free, start);
    // A change of function tables is dear: only when nothing else is ready.
    if (best->ready.empty()) change_table(*best);
    const int32_t i = best->ready.top();
    best->ready.pop();
    return i;
  }

  void change_table(Lane& lane) {
    std::vector<int32_t> all;
    while (!lane.other_table.empty()) {
      all.push_back(lane.other_table.top());
      lane.other_table.pop();
    }
    lane.table = table_of(linear_.code[all.front()]);
    lane.free += machine_.scalar.table_load_ps;
    for (int32_t i : all) (table_of(linear_.code[i]) == lane.table ? lane.ready : lane.other_table).push(i);
  }

  void issue(int32_t i) {
    const Instruction& instruction = linear_.code[i];
    const Estimate e = estimate(instruction, machine_);
    Lane& lane = lane_of(i);
    const int64_t start = lane.free;
    lane.free += e.occupies_ps;
    int64_t finish = start + e.finishes_ps;
    if (instruction.op == Opcode::dma_copy) {
      dma_free_ = std::max(dma_free_, start) + e.transfer_ps;
      finish = dma_free_ + e.finishes_ps;
    }
    for (int32_t k = first_[i]; k < first_[i + 1]; ++k) {
      const int32_t next = followers_[k];
      // The PE accumulates in order without waiting for what it has just begun.
      const bool same_pe = instruction.engine == Engine::pe && linear_.code[next].engine == Engine::pe && instruction.op != Opcode::dma_copy;
      const int64_t across = isa::sequencer(machine_, instruction.engine).post_ps + isa::sequencer(machine_, linear_.code[next].engine).wake_ps;
      ready_at_[next] = std::max(ready_at_[next], same_pe ? lane.free : finish + across);
      if (--waits_[next] == 0) arrive(next);
    }
  }

  const Linear& linear_;
  const machine::Machine& machine_;
  const int32_t size_;
  std::vector<int32_t> waits_, first_, followers_;
  std::vector<int64_t> ready_at_;
  std::array<Lane, isa::kEngineCount> lanes_;
  int64_t dma_free_ = 0;
};

}  // namespace

std::vector<int32_t> reorder(const Linear& linear, const std::vector<stage::Buffer>& buffers, const machine::Machine& machine) {
  return Scheduler(linear, buffers, machine).run();
}

}  // namespace lanewise::compiler::emit
