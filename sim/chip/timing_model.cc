// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/chip/timing_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "isa/sequencer.h"
#include "isa/table.h"
#include "sim/core/semaphores.h"
#include "sim/unit/dma/descriptors.h"
#include "sim/unit/vector/timing.h"

namespace lanewise::sim {
namespace {

using isa::Engine;
using isa::Opcode;
using sync::kNever;

constexpr int kPe = static_cast<int>(Engine::pe);
constexpr Picos kLongAgo{INT64_MIN / 4};

}  // namespace

TimingModel::TimingModel(const isa::Program& program, const machine::Machine& machine, bool records)
    : program_(program), machine_(machine), records_(records), port_(machine), banks_(machine), array_(machine, Picos(0)),
      share_(machine), dma_(machine, [this](int64_t demand) { return share_.granted(demand); }) {}

TimingModel::Decoded TimingModel::decode(const isa::Instruction& in, const core::Registers& registers) const {
  Decoded d;
  d.known = true;
  d.step = step_of(in, machine_);
  if (d.step.unit != Unit::datapath) return d;
  d.port = port_.needs(in, in.engine == Engine::vector && vector::performance_mode(in, machine_) > 1);
  d.banks = banks_.used(in, registers);
  return d;
}

void TimingModel::load_head(int e) {
  EngineState& s = engines_[e];
  for (;;) {
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
      if (s.decoded.step.unit == Unit::datapath) s.decoded.banks = banks_.used(in, s.cursor.registers());   // moves with the address register
    }
    if (e != kPe || (s.decoded.step.unit != Unit::array && in.op != Opcode::semaphore_increment)) break;
    hand_over();
  }
  plan(e);
}

// The head of the tensor engine's sequencer goes to the queue; nothing holds that up.
void TimingModel::hand_over() {
  EngineState& s = engines_[kPe];
  const bool array = s.decoded.step.unit == Unit::array;
  const pe::Work& work = s.decoded.step.array;
  queue_.push_back({s.cursor.index(), s.cursor.iteration(), s.ready, array, work});
  const int steps = array ? work.passes * (int{work.loads} + int{work.streams}) : 1;
  s.ready += Picos(steps * machine_.pe.hand_over_ps);
  if (queue_.size() == 1) plan_queue();
  s.cursor.advance();
}

void TimingModel::plan(int e) {
  EngineState& s = engines_[e];
  const isa::Instruction& in = s.cursor.instruction();
  const Picos wake(s.sequencer.wake_ps - (e == kPe ? machine_.pe.queue_wake_ps : 0));
  Picos t = semaphores_.start(in.wait, s.ready, wake);
  s.begin = t;
  if (t == kNever || s.decoded.step.unit == Unit::sequencer) return;
  const Picos done = s.in_flight.done(in, s.cursor.registers(), t);
  if (done > t) t = done + Picos(s.sequencer.post_ps + s.sequencer.wake_ps);
  if (s.decoded.step.unit == Unit::datapath) t = s.pipeline.earliest(t);
  s.begin = t;
  delayed(e);
}

void TimingModel::plan_queue() {
  queue_begin_ = kNever;
  if (queue_.empty()) return;
  const Queued& q = queue_.front();
  Picos t = q.handed;
  if (q.array) t = pe::earliest(&array_, q.work, t);
  t = semaphores_.start(program_.streams[kPe][q.index].wait, t, Picos(engines_[kPe].sequencer.wake_ps));
  if (q.array && t != kNever) t = pe::earliest(&array_, q.work, t);
  queue_begin_ = t;
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

void TimingModel::finish(const InstructionRecord& r, const isa::Instruction& in, EngineState& s) {
  if (in.op != Opcode::dma_copy) semaphores_.schedule(in.update, r.end + Picos(s.sequencer.post_ps));
  const Picos from = std::max(r.begin, s.busy_until);
  if (r.end > from) timing_.busy[r.engine] += r.end - from;
  s.busy_until = std::max(s.busy_until, r.end);
  s.last_end = std::max(s.last_end, r.end);
  ++timing_.instructions;
  if (records_) timing_.records.push_back(r);
}

bool TimingModel::moves_io(const isa::Instruction& in) const {
  const auto io = [&](const isa::Hbm& side) {
    if (!side.present() || static_cast<size_t>(side.buffer) >= program_.buffers.size()) return false;
    const isa::Buffer::Kind kind = program_.buffers[static_cast<size_t>(side.buffer)].kind;
    return kind == isa::Buffer::Kind::input || kind == isa::Buffer::Kind::output;
  };
  return io(in.hbm_src) || io(in.hbm_dst);
}

// Returns how long the engine prepares descriptors before it triggers.
Picos TimingModel::trigger(int e, Picos begin, Picos arrives) {
  const EngineState& s = engines_[e];
  const isa::Instruction& in = s.cursor.instruction();
  const dma::Transfer transfer = dma::describe(in, machine_);
  const Picos prepared(transfer.indexed_rows * machine_.dma.software_descriptor_ps);
  const int queue = e * 16 + in.queue % 16;
  queues_[queue].dmas.push_back(dma_.add(queue, begin + prepared + arrives, transfer));
  running_.push_back({static_cast<uint8_t>(e), static_cast<uint8_t>(in.queue % 16), s.cursor.index(), s.cursor.iteration(), begin,
                      in.update, transfer.bytes, transfer.descriptors});
  return prepared;
}

void TimingModel::begin(int e) {
  EngineState& s = engines_[e];
  const isa::Instruction& in = s.cursor.instruction();
  InstructionRecord r;
  r.engine = static_cast<uint8_t>(e);
  r.index = s.cursor.index();
  r.iteration = s.cursor.iteration();
  r.ready = s.ready;
  r.begin = s.begin;
  switch (s.decoded.step.unit) {
    case Unit::sequencer:
      r.end = r.begin + Picos(s.sequencer.wait_ps);
      // An engine finishes in order, so an increment speaks for what is before it.
      if (in.op == Opcode::semaphore_increment) r.end = std::max(r.end, s.last_end);
      s.ready = r.begin + Picos(s.sequencer.wait_interval_ps);
      break;
    case Unit::trigger: {
      const isa::TriggerTimes times = isa::trigger_times(machine_, static_cast<Engine>(e), !s.triggered, moves_io(in));
      const Picos prepared = trigger(e, r.begin, times.arrives);
      r.end = r.begin + prepared + times.end;
      s.ready = r.begin + prepared + times.next;
      s.triggered = true;
      break;
    }
    default: {
      const Engine engine = static_cast<Engine>(e);
      r.ready = std::min(r.begin, s.pipeline.earliest(s.ready));   // before that the datapath had no room
      core::Stages stages = s.decoded.step.stages;
      if (engine == Engine::scalar) {
        r.table_load = tables_.load(in, machine_);
        if (r.table_load > Picos(0)) stages = behind_table_load(stages, r.table_load);
      }
      r.end = s.pipeline.run(stages, r.begin);
      if (s.decoded.port) port_.take(engine, r.begin + stages.front);
      if (s.decoded.banks != 0) banks_.take(engine, s.decoded.banks, r.begin + stages.front);
      if (in.dst.present()) s.in_flight.add(in.dst, s.cursor.registers(), r.end);
      if (in.dst2.present()) s.in_flight.add(in.dst2, s.cursor.registers(), r.end);
      s.ready = r.begin + isa::issue_interval(machine_);
      break;
    }
  }
  finish(r, in, s);
  s.cursor.advance();
  load_head(e);
}

void TimingModel::begin_queued() {
  EngineState& s = engines_[kPe];
  const Queued q = queue_.front();
  queue_.pop_front();
  const isa::Instruction& in = program_.streams[kPe][q.index];
  InstructionRecord r;
  r.engine = static_cast<uint8_t>(kPe);
  r.index = q.index;
  r.iteration = q.iteration;
  r.ready = q.handed;
  r.begin = queue_begin_;
  if (q.array) {
    const Picos free = q.work.streams ? array_.earliest_columns(kLongAgo) : array_.earliest_load(kLongAgo);
    const pe::WorkRun run = pe::run(&array_, q.work, q.handed, queue_begin_, machine_);
    r.begin = run.begin;
    r.end = run.end;
    r.throttled = run.limited;
    r.ready = std::min(r.begin, std::max(r.ready, free));
  } else {
    r.end = std::max(r.begin + Picos(s.sequencer.wait_ps), s.last_end);
  }
  finish(r, in, s);
  plan_queue();
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
    const bool queued = e == kPe && !queue_.empty();
    if (c.done() && !queued) continue;
    const uint32_t index = queued ? queue_.front().index : c.index();
    const isa::Instruction& in = program_.streams[e][index];
    waiting[count++] = {static_cast<Engine>(e), index, &in, semaphores_.value(in.wait.semaphore)};
  }
  return count == 0 ? ok_status() : core::deadlock(waiting.data(), count);
}

void TimingModel::apply_semaphore() {
  const int semaphore = semaphores_.apply();
  for (int e = 0; e < isa::kEngineCount; ++e) {
    EngineState& s = engines_[e];
    if (s.begin == kNever && !s.cursor.done() && s.cursor.instruction().wait.semaphore == semaphore) plan(e);
  }
  if (queue_begin_ == kNever && !queue_.empty() && program_.streams[kPe][queue_.front().index].wait.semaphore == semaphore)
    plan_queue();
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
    engines_.emplace_back(program_.streams[e], loops_[e], isa::sequencer(machine_, static_cast<Engine>(e)));
  }
  for (int e = 0; e < isa::kEngineCount; ++e) load_head(e);
  for (;;) {
    int first = 0;
    for (int e = 1; e < isa::kEngineCount; ++e)
      if (engines_[e].begin < engines_[first].begin) first = e;
    const Picos t = std::min(engines_[first].begin, queue_begin_), semaphore = semaphores_.next(), dma = dma_.next();
    if (semaphore == kNever && dma == kNever && t == kNever) break;
    if (semaphore <= dma && semaphore <= t) apply_semaphore();
    else if (dma <= t) finish_dmas(dma);
    else if (queue_begin_ == t) begin_queued();
    else if (!delayed(first)) begin(first);
  }
  LW_RETURN_IF_ERROR(deadlock());
  for (const EngineState& s : engines_) timing_.duration = std::max(timing_.duration, s.last_end);
  // The array takes an instruction while those before it still run: what began is known after it was taken.
  std::stable_sort(timing_.records.begin(), timing_.records.end(),
                   [](const InstructionRecord& a, const InstructionRecord& b) { return a.begin < b.begin; });
  std::sort(dma_spans_.begin(), dma_spans_.end());
  Picos until;
  for (const auto& [from, to] : dma_spans_) {
    if (to > until) timing_.dma_busy += to - std::max(from, until);
    until = std::max(until, to);
  }
  return std::move(timing_);
}

}  // namespace lanewise::sim
