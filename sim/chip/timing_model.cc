// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/chip/timing_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "isa/table.h"
#include "sim/core/semaphores.h"
#include "sim/unit/dma/descriptors.h"
#include "sim/unit/gpsimd/timing.h"
#include "sim/unit/vector/timing.h"

namespace lanewise::sim {
namespace {

using isa::Engine;
using isa::Opcode;
using sync::kNever;

bool is_control(Opcode op) {
  return op == Opcode::semaphore_wait || op == Opcode::semaphore_increment || op == Opcode::loop_begin ||
         op == Opcode::loop_end;
}

}  // namespace

TimingModel::TimingModel(const isa::Program& program, const machine::Machine& machine, bool records)
    : program_(program), machine_(machine), records_(records), semaphores_(machine), port_(machine), banks_(machine),
      array_(machine), share_(machine), dma_(machine, [this](int64_t demand) { return share_.granted(demand); }) {}

TimingModel::Decoded TimingModel::decode(const isa::Instruction& in, const core::Registers& registers) const {
  Decoded d;
  d.known = true;
  if (is_control(in.op)) {
    d.cost = {sync::dispatch(machine_), sync::dispatch(machine_)};
    return d;
  }
  if (in.op == Opcode::dma_copy) {
    d.cost = {Picos(machine_.dma.trigger_ps), Picos(machine_.dma.trigger_ps)};
    return d;
  }
  d.datapath = true;
  const int64_t factor = sbuf::stride_factor(in, machine_);
  bool fast = false;
  switch (in.engine) {
    case Engine::vector:
      d.cost = vector::cost(in, machine_, factor);
      fast = vector::performance_mode(in, machine_) > 1;
      break;
    case Engine::scalar: d.cost = scalar::cost(in, machine_, factor); break;
    case Engine::gpsimd: d.cost = gpsimd::cost(in, machine_, factor); break;
    default: break;   // the array decides when it runs
  }
  d.port = port_.needs(in, fast);
  d.banks = banks_.used(in, registers);
  return d;
}

void TimingModel::load_head(int e) {
  EngineState& s = engines_[e];
  if (s.cursor.done()) {
    s.begin = kNever;
    return;
  }
  const isa::Instruction& in = s.cursor.instruction();
  if (!s.has_loops) {
    s.decoded = decode(in, s.cursor.registers());
  } else {
    Decoded& cached = s.cache[s.cursor.index()];
    if (!cached.known) cached = decode(in, s.cursor.registers());
    s.decoded = cached;
    s.decoded.banks = banks_.used(in, s.cursor.registers());   // moves with the address register
  }
  plan(e);
}

void TimingModel::plan(int e) {
  EngineState& s = engines_[e];
  const isa::Instruction& in = s.cursor.instruction();
  Picos t = semaphores_.start(in.wait, s.ready);
  if (t == kNever) {
    s.begin = kNever;
    return;
  }
  s.operands = t;
  if (static_cast<Engine>(e) == Engine::pe && s.decoded.datapath) {
    // Reads SBUF and writes PSUM: never its own result.
    s.begin = array_.earliest(in, t);
    return;
  }
  if (!is_control(in.op)) {
    const Picos done = s.in_flight.done(in, s.cursor.registers(), t);
    if (done > t) t = done + semaphores_.post() + semaphores_.wake();
  }
  s.begin = t;
  delayed(e);
}

// Moves the begin of an engine behind what shares its port or banks. True when it moved.
bool TimingModel::delayed(int e) {
  EngineState& s = engines_[e];
  const Engine engine = static_cast<Engine>(e);
  Picos t = s.begin;
  if (s.decoded.port) t = std::max(t, port_.free(engine));
  if (s.decoded.banks != 0) t = std::max(t, banks_.free(engine, s.decoded.banks));
  std::swap(t, s.begin);
  return t < s.begin;
}

void TimingModel::occupy(EngineState& s, int e, Picos from, Picos to) {
  if (from < s.busy_until) from = s.busy_until;
  if (to > from) timing_.busy[e] += to - from;
  s.busy_until = std::max(s.busy_until, to);
  s.last_end = std::max(s.last_end, to);
}

void TimingModel::begin(int e) {
  EngineState& s = engines_[e];
  const isa::Instruction& in = s.cursor.instruction();
  const Engine engine = static_cast<Engine>(e);
  InstructionRecord r;
  r.engine = static_cast<uint8_t>(e);
  r.index = s.cursor.index();
  r.iteration = s.cursor.iteration();
  r.ready = s.ready;
  r.begin = s.begin;
  Picos next;
  if (engine == Engine::pe && s.decoded.datapath) {
    r.ready = std::max(r.ready, std::min(array_.earliest(in, Picos(0)), r.begin));
    const pe::Array::Run run = array_.run(in, s.operands);
    r.end = run.end;
    r.throttled = run.throttled;
    next = run.columns_begin;   // the next load may start beside these columns
  } else {
    Picos extra;
    if (engine == Engine::scalar) extra = r.table_load = tables_.load(in, machine_);
    if (in.op == Opcode::dma_copy) {
      const dma::Transfer transfer = dma::describe(in, machine_);
      extra = Picos(transfer.indexed_rows * machine_.dma.software_descriptor_ps);
      const int queue = e * 16 + in.queue % 16;
      queues_[queue].dmas.push_back(dma_.add(queue, r.begin + extra + Picos(machine_.dma.start_ps), transfer));
      running_.push_back({r.engine, static_cast<uint8_t>(in.queue % 16), r.index, r.iteration, r.begin, in.update,
                          transfer.bytes, transfer.descriptors});
    }
    r.end = r.begin + extra + s.decoded.cost.latency;
    next = r.begin + extra + s.decoded.cost.interval;
    if (s.decoded.port) port_.take(engine, next);
    if (s.decoded.banks != 0) banks_.take(engine, s.decoded.banks, next);
    if (s.decoded.datapath) {
      if (in.dst.present()) s.in_flight.add(in.dst, s.cursor.registers(), r.end);
      if (in.dst2.present()) s.in_flight.add(in.dst2, s.cursor.registers(), r.end);
    }
  }
  if (in.op != Opcode::dma_copy) semaphores_.schedule(in.update, r.end + semaphores_.post());
  occupy(s, e, r.begin, r.end);
  ++timing_.instructions;
  if (records_) timing_.records.push_back(r);
  s.cursor.advance();
  s.ready = next;
  load_head(e);
}

void TimingModel::finish_dmas(Picos now) {
  finished_.clear();
  dma_.advance(now, &finished_);
  for (const dma::Finished& f : finished_) {
    RunningDma& d = running_[f.job];
    d.finished = true;
    d.begin = f.begin;
    d.end = f.end + Picos(machine_.dma.drain_ps);
    dma_spans_.push_back({d.begin, d.end});
    complete(queues_[d.engine * 16 + d.queue]);
  }
}

void TimingModel::complete(QueueOrder& queue) {
  for (; queue.first < queue.dmas.size() && running_[queue.dmas[queue.first]].finished; ++queue.first) {
    const RunningDma& d = running_[queue.dmas[queue.first]];
    queue.visible = std::max(queue.visible, d.end + Picos(machine_.dma.completion_ps));
    semaphores_.schedule(d.update, queue.visible);
    timing_.dma_bytes += d.bytes;
    timing_.duration = std::max(timing_.duration, queue.visible);
    if (records_)
      timing_.dma_records.push_back({d.engine, d.queue, d.index, d.iteration, d.trigger, d.begin, d.end, queue.visible,
                                     d.bytes, d.descriptors});
  }
}

Status TimingModel::deadlock() const {
  std::array<core::Waiter, isa::kEngineCount> waiting;
  int count = 0;
  for (int e = 0; e < isa::kEngineCount; ++e) {
    const core::StreamCursor& c = engines_[e].cursor;
    if (c.done()) continue;
    const isa::Instruction& in = c.instruction();
    waiting[count++] = {static_cast<Engine>(e), c.index(), &in, semaphores_.value(in.wait.semaphore)};
  }
  return count == 0 ? ok_status() : core::deadlock(waiting.data(), count);
}

void TimingModel::apply_semaphore() {
  const int semaphore = semaphores_.apply();
  for (int e = 0; e < isa::kEngineCount; ++e) {
    EngineState& s = engines_[e];
    if (s.begin == kNever && !s.cursor.done() && s.cursor.instruction().wait.semaphore == semaphore) plan(e);
  }
}

Result<Timing> TimingModel::run() {
  if (machine_.dma.engines < 1 || machine_.dma.engines > dma::kMaxEngines)
    return invalid_argument("dma.engines must be 1 to " + std::to_string(dma::kMaxEngines));
  if (machine_.memory.psum_banks > psum::kMaxBanks)
    return invalid_argument("memory.psum_banks must be at most " + std::to_string(psum::kMaxBanks));
  engines_.reserve(isa::kEngineCount);
  for (int e = 0; e < isa::kEngineCount; ++e) {
    auto map = core::map_loops(program_.streams[e]);
    if (!map.ok()) return map.status().with_context(isa::engine_name(static_cast<Engine>(e)));
    loops_[e] = std::move(map).value();
    engines_.emplace_back(program_.streams[e], loops_[e]);
  }
  for (int e = 0; e < isa::kEngineCount; ++e) load_head(e);
  for (;;) {
    int first = 0;
    for (int e = 1; e < isa::kEngineCount; ++e)
      if (engines_[e].begin < engines_[first].begin) first = e;
    const Picos t = engines_[first].begin, semaphore = semaphores_.next(), dma = dma_.next();
    if (semaphore == kNever && dma == kNever && t == kNever) break;
    if (semaphore <= dma && semaphore <= t) apply_semaphore();
    else if (dma <= t) finish_dmas(dma);
    else if (!delayed(first)) begin(first);
  }
  LW_RETURN_IF_ERROR(deadlock());
  for (const EngineState& s : engines_) timing_.duration = std::max(timing_.duration, s.last_end);
  std::sort(dma_spans_.begin(), dma_spans_.end());
  Picos until;
  for (const auto& [from, to] : dma_spans_) {
    if (to > until) timing_.dma_busy += to - std::max(from, until);
    until = std::max(until, to);
  }
  return std::move(timing_);
}

}  // namespace lanewise::sim
