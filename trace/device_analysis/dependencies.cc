// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/dependencies.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "isa/sequencer.h"
#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/operands.h"
#include "trace/device_analysis/semaphore_history.h"

namespace lanewise::trace::device_analysis {

using device::kNone;

struct Dependencies::Builder {
  Dependencies& d;
  const device::DeviceProfile& profile = d.profile_;
  const machine::Machine& machine = d.machine_;
  SemaphoreHistory history{profile};
  std::vector<uint32_t> previous;              // run before it on its engine
  std::vector<uint32_t> runs_first, runs;      // of instruction n, by iteration: runs[runs_first[n] .. runs_first[n + 1])
  std::vector<uint32_t> queue_before;          // by DMA: the one before it on its queue and DMA engine
  std::vector<bool> into_psum;                 // by instruction of the program
  std::vector<uint32_t> setters;

  void add(uint32_t node, Constraint c) {
    c.allowed = std::min(c.allowed, d.begin_[node]);
    d.constraints_.push_back(c);
  }

  Picos latest(uint32_t node) const {
    Picos t(INT64_MIN);
    for (size_t i = d.first_[node]; i < d.constraints_.size(); ++i) t = std::max(t, d.constraints_[i].allowed);
    return t;
  }

  void order_of_engines() {
    previous.resize(d.instructions_);
    std::vector<uint32_t> last(size_t{core_count(profile)} * isa::kEngineCount, kNone);
    for (uint32_t i = 0; i < d.instructions_; ++i) {
      const device::InstructionRun& r = profile.instructions[i];
      previous[i] = std::exchange(last[r.core * isa::kEngineCount + static_cast<size_t>(r.engine)], i);
    }
    for (const device::Instruction& in : profile.program.instructions) {
      into_psum.push_back(device_analysis::fills_psum(in));
    }
  }

  void find_runs() {
    runs_first.assign(profile.program.instructions.size() + 1, 0);
    for (const device::InstructionRun& r : profile.instructions) {
      if (r.instruction != kNone) ++runs_first[r.instruction + 1];
    }
    for (size_t n = 1; n < runs_first.size(); ++n) runs_first[n] += runs_first[n - 1];
    runs.resize(runs_first.back());
    std::vector<uint32_t> next(runs_first.begin(), runs_first.end() - 1);
    for (uint32_t i = 0; i < d.instructions_; ++i) {
      const uint32_t row = profile.instructions[i].instruction;
      if (row != kNone) runs[next[row]++] = i;
    }
    const auto earlier = [&](uint32_t a, uint32_t b) { return profile.instructions[a].iteration < profile.instructions[b].iteration; };
    for (size_t n = 0; n + 1 < runs_first.size(); ++n) {
      const auto begin = runs.begin() + runs_first[n], end = runs.begin() + runs_first[n + 1];
      if (!std::is_sorted(begin, end, earlier)) std::stable_sort(begin, end, earlier);
    }
  }

  // The first run of that instruction that says to be this iteration; kNone: there is none.
  uint32_t run_of(uint32_t instruction, uint32_t iteration) const {
    if (instruction == kNone) return kNone;
    const auto end = runs.begin() + runs_first[instruction + 1];
    const auto at = std::lower_bound(runs.begin() + runs_first[instruction], end, iteration,
                                     [&](uint32_t run, uint32_t wanted) { return profile.instructions[run].iteration < wanted; });
    return at == end || profile.instructions[*at].iteration != iteration ? kNone : *at;
  }

  void order_of_queues() {
    queue_before.assign(profile.dmas.size(), kNone);
    std::map<std::tuple<uint16_t, uint32_t, uint16_t>, uint32_t> last;
    std::map<std::pair<uint16_t, uint32_t>, uint32_t> last_visible;
    for (uint32_t i = 0; i < profile.dmas.size(); ++i) {
      const device::DmaRun& r = profile.dmas[i];
      const auto [at, fresh] = last.try_emplace({r.core, r.queue, r.dma_engine}, i);
      if (!fresh) queue_before[i] = std::exchange(at->second, i);
      // A queue's semaphore counts in order: visible with the one before it and not by its own end.
      const auto [seen, first] = last_visible.try_emplace({r.core, r.queue}, i);
      if (first) continue;
      const device::DmaRun& before = profile.dmas[seen->second];
      if (r.visible.value >= 0 && r.visible == before.visible && r.visible > r.end + Picos(machine.dma.completion_ps))
        d.visible_after_[i] = d.instructions_ + seen->second;
      if (device_analysis::done(r) >= device_analysis::done(before)) seen->second = i;
    }
  }

  bool fills_psum(uint32_t i) const {
    const uint32_t row = profile.instructions[i].instruction;
    return row != kNone && into_psum[row];
  }

  // Weights are loaded beside the moving columns of the matmul before, so that a load seems long while it only waits: what the
  // next matmul waits for is the array, which is free when the last column is in, the fill before the result is out.
  void add_array(uint32_t i) {
    uint32_t p = previous[i];
    if (p != kNone && fills_psum(p)) return;   // loads are no instructions of their own: the order says it
    while (p != kNone && !fills_psum(p)) p = previous[p];
    if (p == kNone) return;
    const device::InstructionRun& before = profile.instructions[p];
    const Picos fill = machine.pe.clock.to_picos(Cycles(machine.pe.fill_drain_cycles));
    add(i, {p, kNone, Why::order, std::max(before.begin, before.end - fill)});
  }

  void constrain_instruction(uint32_t i) {
    const device::InstructionRun& r = profile.instructions[i];
    if (previous[i] != kNone) {
      const device::InstructionRun& p = profile.instructions[previous[i]];
      // No later than its end: what holds the queue beyond that is something else.
      add(i, {previous[i], kNone, Why::order, r.ready.value >= 0 ? std::clamp(r.ready, p.begin, p.end) : p.end});
    }
    if (r.instruction == kNone) return;
    if (r.engine == isa::Engine::pe && fills_psum(i)) add_array(i);
    for (const device::Semaphore& wait : profile.program.instructions[r.instruction].waits) {
      const uint32_t update = history.reached(r.core, wait, r.begin);
      if (update == kNone) continue;
      bool known = false;
      history.last_of_each_source(update, &setters);
      for (const uint32_t u : setters) {
        const uint32_t run = history.run_of(u);
        if (run == kNone) continue;
        const device::SemaphoreRun& s = profile.semaphores[u];
        const uint32_t from = s.by_dma ? d.instructions_ + run : run;
        if (d.done_[from] > r.begin) continue;
        known |= u == update;
        add(i, {from, u, Why::semaphore, s.at + Picos(isa::sequencer(machine, r.engine).wake_ps)});
      }
      if (!known) {
        ++d.unknown_setters_;
        add(i, {kNone, update, Why::semaphore, profile.semaphores[update].at + Picos(isa::sequencer(machine, r.engine).wake_ps)});
      }
    }
    // Held longer than that: a result on its way through the engine's own pipeline.
    const Picos free = latest(i);
    if (free >= r.begin || free.value == INT64_MIN) return;
    uint32_t result = kNone;
    for (uint32_t p = previous[i]; p != kNone && profile.instructions[p].end > free; p = previous[p]) {
      const Picos end = profile.instructions[p].end;
      if (end <= r.begin && (result == kNone || end > profile.instructions[result].end)) result = p;
    }
    if (result != kNone)
      add(i, {result, kNone, Why::result, profile.instructions[result].end + Picos(isa::sequencer(machine, r.engine).post_ps + isa::sequencer(machine, r.engine).wake_ps)});
  }

  void constrain_dma(uint32_t i) {
    const device::DmaRun& r = profile.dmas[i];
    const uint32_t node = d.instructions_ + i;
    Picos could(INT64_MIN);
    const uint32_t trigger = run_of(r.trigger, r.iteration);
    if (trigger != kNone && profile.instructions[trigger].begin <= r.begin) {
      const Picos ordered = r.triggered.value >= 0 ? r.triggered : profile.instructions[trigger].begin;
      could = ordered + Picos(machine.dma.start_ps);
      add(node, {trigger, kNone, Why::trigger, could});
    }
    const uint32_t before = queue_before[i];
    if (before == kNone) return;
    const Picos left = d.read(before);
    if (left > could) add(node, {d.instructions_ + before, kNone, Why::queue, left});
  }
};

Dependencies::Dependencies(const device::DeviceProfile& profile, const machine::Machine& machine)
    : profile_(profile), machine_(machine), instructions_(static_cast<uint32_t>(profile.instructions.size())),
      visible_after_(profile.dmas.size(), kNone) {
  const size_t count = profile.instructions.size() + profile.dmas.size();
  for (auto* times : {&begin_, &end_, &done_}) times->reserve(count);
  for (const auto& r : profile.instructions) {
    begin_.push_back(r.begin);
    end_.push_back(r.end);
    done_.push_back(r.end);
  }
  for (const auto& r : profile.dmas) {
    begin_.push_back(r.begin);
    end_.push_back(r.end);
    done_.push_back(device_analysis::done(r));
  }
  for (const Picos t : done_) last_done_ = std::max(last_done_, t);
  Builder builder{*this};
  builder.order_of_engines();
  builder.find_runs();
  builder.order_of_queues();
  first_.reserve(nodes() + 1);
  constraints_.reserve(2 * nodes());   // most have one or two; memory that is not used is not taken
  for (uint32_t n = 0; n < nodes(); ++n) {
    first_.push_back(static_cast<uint32_t>(constraints_.size()));
    is_dma(n) ? builder.constrain_dma(dma(n)) : builder.constrain_instruction(n);
  }
  first_.push_back(static_cast<uint32_t>(constraints_.size()));
  order_.resize(nodes());
  std::iota(order_.begin(), order_.end(), 0u);
  // Two rows of runs, each in order already unless a profile breaks its word.
  const auto earlier = [&](uint32_t a, uint32_t b) { return begin_[a] < begin_[b]; };
  const auto half = order_.begin() + instructions_;
  for (const auto& [first, last] : {std::pair(order_.begin(), half), std::pair(half, order_.end())}) {
    if (!std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier);
  }
  std::inplace_merge(order_.begin(), half, order_.end(), earlier);
}

Picos Dependencies::read(uint32_t dma) const {
  const device::DmaRun& r = profile_.dmas[dma];
  return r.read.value >= 0 ? std::clamp(r.read, r.begin, r.end) : std::max(r.begin, r.end - Picos(machine_.dma.drain_ps));
}

const Constraint* Dependencies::binding(uint32_t node, bool known) const {
  const Constraint* best = nullptr;
  for (const Constraint& c : before(node)) {
    if (known && c.from == kNone) continue;
    // At equal times a semaphore says more than the order of the queue.
    if (best == nullptr || c.allowed > best->allowed || (c.allowed == best->allowed && best->why == Why::order)) best = &c;
  }
  return best;
}

Picos Dependencies::anchor(const Constraint& c) const {
  switch (c.why) {
    case Why::order:
    case Why::trigger: return begin_[c.from];
    case Why::result:
    case Why::queue: return end_[c.from];
    case Why::semaphore: return done_[c.from];
  }
  return {};
}

const device::Instruction* Dependencies::instruction(uint32_t node) const {
  const uint32_t row = is_dma(node) ? profile_.dmas[dma(node)].trigger : profile_.instructions[node].instruction;
  return row == kNone ? nullptr : &profile_.program.instructions[row];
}

}  // namespace lanewise::trace::device_analysis
