// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/dma/rings.h"

#include <algorithm>
#include <utility>

namespace lanewise::sim::dma {

Rings::Rings(const machine::Machine& machine, int engines, Slowdown slowdown)
    : machine_(machine), slowdown_(std::move(slowdown)), engines_(static_cast<size_t>(engines)) {}

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

int Rings::busy(Picos time) const {
  int n = 0;
  for (const Engine& e : engines_) n += e.busy_until > time;
  return n;
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
  const auto streaming = [&](int64_t bytes) { return m.clock.to_picos(Cycles((bytes + m.bytes_per_cycle - 1) / m.bytes_per_cycle)); };
  const Picos data = streaming(d.bytes), fixed = m.clock.to_picos(Cycles(m.descriptor_cycles + (d.on_chip ? m.on_chip_cycles : 0)));
  const Picos cast = m.clock.to_picos(Cycles(d.cast_from > 0 ? m.cast_cycles : 0));
  Picos pace = d.cast_from > 0 ? streaming(d.cast_from) : data;   // the next one starts while elements are still cast
  const bool memory = d.read_run > 0 || d.write_run > 0;
  if (memory) {
    engine.busy_until = time;   // not counted twice
    const double factor = slowdown_(busy(time) + 1, d);
    if (factor > 1) pace = Picos(static_cast<int64_t>(static_cast<double>(pace.value) * factor));
  }
  Picos wait;
  if (d.input && !engine.has_read) {
    engine.has_read = true;
    reading_ = std::max(time, reading_) + Picos(m.first_read_ps);
    wait = reading_ - time;
  }
  DescriptorRun r;
  r.tag = d.tag;
  r.start = time;
  r.read = time + wait + data + cast + fixed + Picos(m.read_latency_ps);
  const Picos alone = r.read + Picos(m.write_latency_ps + (d.semaphore ? m.semaphore_write_ps : 0) +
                                     (d.write_run > 0 ? m.hbm_write_ps : 0));
  r.complete = std::max(alone, engine.complete);
  if (d.semaphore) engine.told = r.complete = std::max(r.complete, engine.told + data + Picos(m.semaphore_busy_ps));
  if (d.semaphore) r.visible = std::max(r.read, r.complete - Picos(m.visible_before_complete_ps));
  engine.complete = r.complete;
  engine.free = time + wait + pace + fixed;
  if (memory) engine.busy_until = engine.free;
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
