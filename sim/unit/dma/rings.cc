// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/dma/rings.h"

#include <algorithm>
#include <utility>

namespace lanewise::sim::dma {
namespace {

constexpr int64_t kSemaphoreBytes = 4;   // at the end of its descriptor, or alone in one

}  // namespace

Rings::Rings(const machine::Machine& machine, int engines, Others others)
    : machine_(machine), others_(std::move(others)), engines_(static_cast<size_t>(engines)) {}

void Rings::plan(Engine& engine) {
  engine.next = Picos(INT64_MAX);
  for (const auto& ring : engine.rings)
    if (!ring.empty()) engine.next = std::min(engine.next, std::max(engine.free, ring.front().time));
  next_ = Picos(INT64_MAX);
  for (const Engine& e : engines_) next_ = std::min(next_, e.next);
}

void Rings::add(int number, int ring, Picos time, const std::vector<Descriptor>& descriptors) {
  Engine& engine = engines_[static_cast<size_t>(number)];
  if (engine.rings.size() <= static_cast<size_t>(ring)) engine.rings.resize(static_cast<size_t>(ring) + 1);
  const machine::Machine::Dma& m = machine_.dma;
  const int far = number - static_cast<int>(engines_.size() / 2);
  if (far >= 0) time += Picos(m.far_engine_ps + far * m.engine_step_ps);
  if (engine.first_add < Picos(0)) {
    engine.first_add = time;
    engine.first_fetch = fetching_ = std::max(time, fetching_ + Picos(m.first_fetch_ps));
  }
  if (time < engine.first_fetch) time = engine.first_fetch + (time - engine.first_add);   // in the order of their triggers
  for (const Descriptor& d : descriptors) engine.rings[static_cast<size_t>(ring)].push_back({time, d});
  plan(engine);
}

int Rings::moving(Picos time, bool memory_only) const {
  int n = 0;
  for (const Engine& e : engines_) n += e.moves_from <= time && time < e.moves_until && (e.memory || !memory_only);
  return n;
}

int Rings::busy(Picos time) const { return moving(time, true); }

Picos Rings::path(const Descriptor& d, Picos time) const {
  const machine::Machine::Dma& m = machine_.dma;
  if (d.read_run > 0) return Picos(0);   // from device memory: never narrower than the engines
  return Picos(static_cast<int64_t>(static_cast<double>(d.bytes) * (moving(time, false) + 1) / static_cast<double>(m.path_write_bytes_per_second) * 1e12));
}

Picos Rings::memory(const Descriptor& d, Picos time) const {
  if (d.read_run == 0 && !d.to_memory) return Picos(0);
  const double stack = static_cast<double>(machine_.dma.hbm_bytes_per_second) * static_cast<double>(machine_.chip.cores_per_hbm_stack);
  double bytes = static_cast<double>(d.bytes);
  if (d.read_run > 0) bytes *= 1 + static_cast<double>(machine_.dma.scattered_read_bytes) / static_cast<double>(d.read_run);
  return Picos(static_cast<int64_t>(bytes * (moving(time, true) + 1 + others_()) / stack * 1e12));
}

DescriptorRun Rings::start(Engine& engine, Picos time) {
  size_t ring = engine.turn;
  for (size_t n = 0; n < engine.rings.size(); ++n, ++ring) {
    ring %= engine.rings.size();
    if (!engine.rings[ring].empty() && engine.rings[ring].front().time <= time) break;
  }
  ring %= engine.rings.size();
  const Descriptor d = engine.rings[ring].front().descriptor;
  engine.rings[ring].pop_front();
  engine.turn = ring + 1;

  const machine::Machine::Dma& m = machine_.dma;
  const auto cycles = [&](int64_t n) { return m.clock.to_picos(Cycles(n)); };
  const auto streaming = [&](int64_t bytes) { return cycles((bytes + m.bytes_per_cycle - 1) / m.bytes_per_cycle); };
  const bool casts = d.cast_from > 0;
  const Picos fixed = cycles(m.descriptor_cycles), latency(m.read_latency_ps);
  engine.moves_until = std::min(engine.moves_until, time);   // not counted twice
  const Picos data = std::max(streaming(d.bytes), path(d, time) - fixed), memory = this->memory(d, time);
  DescriptorRun r;
  r.tag = d.tag;
  if (d.new_pages > 0) {
    paging_ = std::max(paging_, time) + Picos(d.new_pages * m.page_ps);
    time = std::max(time, paging_ + Picos(m.page_latency_ps));
  }
  r.start = time;
  const Picos begins = std::max({time + latency + fixed + cycles(casts ? m.cast_cycles : 0), engine.read + cycles(m.descriptor_cycles / 2),
                                 engine.written - Picos(m.write_ahead_ps)});
  r.read = begins + data;
  const int64_t written = d.write_run > 0 ? (d.bytes - (d.semaphore ? kSemaphoreBytes : 0) + d.write_run - 1) / d.write_run : 0;
  engine.written = std::max(r.read, engine.written + streaming(d.bytes) + fixed + cycles(m.write_run_cycles * written));
  const Picos alone = engine.written + Picos(m.write_latency_ps + (d.semaphore ? m.semaphore_write_ps : 0) + (d.to_memory ? m.hbm_write_ps : 0));
  r.complete = std::max(alone, engine.complete + cycles((d.bytes + m.retire_bytes_per_cycle - 1) / m.retire_bytes_per_cycle));
  if (d.semaphore) engine.told = r.complete = std::max(r.complete, engine.told + streaming(d.bytes) + Picos(m.semaphore_busy_ps));
  if (d.semaphore) r.visible = std::max(r.read, r.complete - Picos(m.visible_before_complete_ps));

  // The next one starts while elements are still cast, up to three of them.
  engine.free = casts ? std::max(time + streaming(d.cast_from) + fixed, engine.read_before[1] + latency) : r.read - latency;
  engine.free = std::max(engine.free, time + memory);
  engine.read_before[1] = engine.read_before[0];
  engine.read_before[0] = r.read;
  engine.read = r.read;
  engine.complete = r.complete;
  engine.moves_from = r.read - data;
  engine.moves_until = r.read;
  engine.memory = memory > Picos(0);
  return r;
}

void Rings::advance(Picos time, std::vector<DescriptorRun>* runs) {
  for (Engine& e : engines_)
    while (e.next <= time) {
      runs->push_back(start(e, e.next));
      e.next = Picos(INT64_MAX);
      for (const auto& ring : e.rings)
        if (!ring.empty()) e.next = std::min(e.next, std::max(e.free, ring.front().time));
    }
  next_ = Picos(INT64_MAX);
  for (const Engine& e : engines_) next_ = std::min(next_, e.next);
}

}  // namespace lanewise::sim::dma
