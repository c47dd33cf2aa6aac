// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// An event loop in time order: semaphores become visible, DMA engines start descriptors, engines begin instructions.
// The tensor engine is two agents: its sequencer hands loads and columns to a queue and goes on; they wait for their
// semaphores there. On all other engines the sequencer stays with an instruction until it begins.
#include "lab/replay.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <queue>

#include "isa/sequencer.h"
#include "isa/table.h"
#include "isa/trn2/table.h"
#include "lab/steps.h"
#include "lab/transfers.h"
#include "sim/unit/dma/rings.h"

namespace lanewise::lab {
namespace {

using isa::Engine;
using trace::device::DeviceProfile;
using trace::device::kNone;

constexpr Picos kNever{INT64_MAX};

struct Reached {
  Picos at;
  bool by_dma;
  Picos source_end;
};

struct Pending {
  Picos at;
  uint64_t order;
  uint16_t core;
  int semaphore;
  bool by_dma;
  Picos source_end;
  bool operator>(const Pending& other) const { return at != other.at ? at > other.at : order > other.order; }
};

struct Agent {
  uint16_t core = 0;
  Engine engine = Engine::sync;
  bool queue = false;                      // the tensor engine's queue
  bool triggered = false;                  // a DMA
  std::deque<std::pair<uint32_t, Picos>> work;   // instruction, handed out at; of sequencers all, at the start
  Picos ready;
  Picos begin{kNever};
};

class Player {
 public:
  Player(const DeviceProfile& captured, const machine::Machine& machine) : captured_(captured), machine_(machine) {}

  Result<Replay> play() {
    const auto& program = captured_.program;
    out_.instructions.resize(program.instructions.size());
    out_.descriptors.resize(captured_.dmas.size());
    steps_.resize(program.instructions.size());
    LW_RETURN_IF_ERROR(make_agents());
    transfers_ = transfers_of(captured_, machine_);
    find_lost();
    make_rings();
    for (Agent& a : agents_) plan(a);
    for (;;) {
      Agent* first = &agents_[0];
      for (Agent& a : agents_)
        if (a.begin < first->begin) first = &a;
      Picos dma = kNever;
      for (const auto& r : rings_) dma = std::min(dma, r->next());
      const Picos semaphore = pending_.empty() ? kNever : pending_.top().at;
      if (first->begin == kNever && dma == kNever && semaphore == kNever) break;
      if (semaphore <= dma && semaphore <= first->begin) apply_semaphore();
      else if (dma <= first->begin) start_descriptors(dma);
      else run(*first);
    }
    LW_RETURN_IF_ERROR(deadlock());
    span();
    return std::move(out_);
  }

 private:
  // Engines begin where their prologue ended in the capture.
  Status make_agents() {
    const auto& program = captured_.program;
    std::map<std::pair<uint16_t, Engine>, Picos> first_own, starts;
    for (const auto& run : captured_.instructions)
      if (run.iteration > 0)
        return unimplemented("an instruction of the program ran more than once (a loop); the replay runs each once");
    for (const auto& run : captured_.instructions)
      if (!run.setup) first_own.try_emplace({run.core, run.engine}, run.begin);
    for (const auto& run : captured_.instructions) {
      const auto own = first_own.find({run.core, run.engine});
      if (run.setup && own != first_own.end() && run.end <= own->second) {
        Picos& start = starts[{run.core, run.engine}];
        start = std::max(start, run.end);
      }
    }
    Picos earliest = kNever;
    for (const auto& [key, time] : first_own) {
      const auto start = starts.find(key);
      earliest = std::min(earliest, start == starts.end() ? time : start->second);
    }
    origin_ = earliest == kNever ? Picos(0) : earliest;
    agents_.reserve(static_cast<size_t>(program.cores) * (isa::kEngineCount + 1));
    for (uint16_t core = 0; core < program.cores; ++core)
      for (int e = 0; e <= isa::kEngineCount; ++e) {
        Agent& a = agents_.emplace_back();
        a.core = core;
        a.queue = e == isa::kEngineCount;
        a.engine = a.queue ? Engine::pe : static_cast<Engine>(e);
        const auto start = starts.find({core, a.engine});
        if (!a.queue && start != starts.end()) a.ready = start->second - origin_;
      }
    for (uint32_t i = 0; i < program.instructions.size(); ++i) {
      const auto& in = program.instructions[i];
      if (work_of(in.opcode) == Work::start) continue;
      LW_ASSIGN_OR_RETURN(steps_[i], step_of(in, machine_));
      agent(in.core, static_cast<int>(in.engine)).work.push_back({i, Picos(0)});
    }
    pipelines_.resize(static_cast<size_t>(program.cores) * isa::kEngineCount);
    for (uint16_t core = 0; core < program.cores; ++core) {
      Picos phase;
      for (const auto& change : captured_.pe_limits)
        if (change.core == core) phase = change.at - origin_;
      const int64_t window = std::max<int64_t>(1, machine_.pe.throttle_window_ps);
      arrays_.push_back(std::make_unique<sim::pe::Steps>(machine_, Picos(((phase.value % window) + window) % window)));
    }
    return ok_status();
  }

  Agent& agent(uint16_t core, int e) { return agents_[static_cast<size_t>(core) * (isa::kEngineCount + 1) + static_cast<size_t>(e)]; }

  // Where records of descriptors were lost, the program must not wait for them for ever.
  void find_lost() {
    const auto& program = captured_.program;
    for (uint32_t i = 0; i < program.instructions.size(); ++i) {
      const auto& in = program.instructions[i];
      if (in.queue == kNone || in.updates.empty() || in.setup) continue;
      Transfer& t = transfers_[i];
      t.semaphore = in.updates[0].number;
      t.lost = std::max(0, static_cast<int32_t>(in.updates[0].value) - t.visible);
      out_.lost += t.lost;
    }
  }

  void make_rings() {
    const auto engines = static_cast<int>(machine_.dma.engines);
    for (uint16_t core = 0; core < captured_.program.cores; ++core)
      rings_.push_back(std::make_unique<sim::dma::Rings>(machine_, engines, [this, core] { return others(core); }));
  }

  // Engines of the other cores that use device memory now; the cores of a capture share one stack.
  int others(uint16_t core) const {
    int n = 0;
    for (uint16_t c = 0; c < rings_.size(); ++c)
      if (c != core) n += rings_[c]->busy(now_);
    return n;
  }

  const std::vector<Reached>& reached(uint16_t core, int semaphore) { return reached_[{core, semaphore}]; }

  // Earliest begin of the agent's next instruction; kNever while its semaphore is too low.
  void plan(Agent& a) {
    a.begin = kNever;
    if (a.work.empty()) return;
    const auto [index, handed] = a.work.front();
    const auto& in = captured_.program.instructions[index];
    Picos t = std::max(a.ready, handed);
    const Step& step = steps_[index];
    const bool hand_over = a.engine == Engine::pe && !a.queue && (step.work == Work::load || step.work == Work::columns);
    ReplayedInstruction& r = out_.instructions[index];
    r.waited = false;
    if (!hand_over && !in.waits.empty()) {
      const auto& wait = in.waits[0];
      const auto& times = reached(a.core, wait.number);
      if (wait.value > 0 && times.size() < wait.value) return;
      if (wait.value > 0) {
        const Reached& at = times[wait.value - 1];
        Picos wake(isa::sequencer(machine_, a.engine).wake_ps);
        if (a.engine == Engine::pe && !a.queue) wake -= Picos(machine_.pe.queue_wake_ps);
        if (at.at + wake > t) {
          t = at.at + wake;
          r.waited = true;
          r.reached = at.at;
          r.by_dma = at.by_dma;
          r.source_end = at.source_end;
        }
      }
    }
    const Picos free = t;
    if (!hand_over) {
      if (step.work == Work::load || step.work == Work::columns) t = sim::pe::earliest(arrays_[a.core].get(), step.ours.array, t);
      else if (step.work == Work::elements || step.work == Work::table) t = pipeline(a).earliest(t);
    }
    r.waited = r.waited && t == free;
    a.begin = t;
  }

  sim::core::Pipeline& pipeline(const Agent& a) {
    return pipelines_[static_cast<size_t>(a.core) * isa::kEngineCount + static_cast<size_t>(a.engine)];
  }

  void run(Agent& a) {
    now_ = a.begin;
    const uint32_t index = a.work.front().first;
    a.work.pop_front();
    const auto& in = captured_.program.instructions[index];
    const Step& step = steps_[index];
    const machine::Machine::Sequencer& s = isa::sequencer(machine_, a.engine);
    if (a.engine == Engine::pe && !a.queue && (step.work == Work::load || step.work == Work::columns)) {
      Agent& queue = agent(a.core, isa::kEngineCount);
      queue.work.push_back({index, a.begin});
      a.ready = a.begin + Picos(machine_.pe.hand_over_ps);
      if (queue.work.size() == 1) plan(queue);
      plan(a);
      return;
    }
    ReplayedInstruction& r = out_.instructions[index];
    r.ran = true;
    r.begin = a.begin;
    switch (step.work) {
      case Work::load:
      case Work::columns: r.end = sim::pe::run(arrays_[a.core].get(), step.ours.array, a.begin, a.begin, machine_).end; break;
      case Work::elements:
      case Work::table:
        r.end = pipeline(a).run(step.ours.stages, a.begin);
        a.ready = a.begin + isa::issue_interval(machine_);
        break;
      case Work::trigger: {
        const auto found = transfers_.find(index);
        const bool io = found != transfers_.end() && found->second.io;
        const isa::TriggerTimes times = isa::trigger_times(machine_, a.engine, !a.triggered, io);
        r.end = a.begin + times.end;
        a.ready = a.begin + times.next;
        if (found != transfers_.end()) trigger(found->second, a, a.begin + times.arrives);
        a.triggered = true;
        break;
      }
      default:
        r.end = a.begin + Picos(s.wait_ps);
        a.ready = a.begin + Picos(s.wait_interval_ps);
        break;
    }
    if (step.work != Work::trigger && !in.updates.empty())
      pending_.push({r.end + Picos(s.post_ps), order_++, a.core, in.updates[0].number, false, r.end});
    plan(a);
  }

  void trigger(const Transfer& t, const Agent& a, Picos arrives) {
    if (t.visible == 0) give_lost(t, a.core, arrives + Picos(machine_.dma.write_latency_ps));
    for (const auto& [engine, list] : t.descriptors) {
      for (const sim::dma::Descriptor& d : list) out_.descriptors[d.tag].triggered = a.begin;
      rings_[a.core]->add(engine % static_cast<int>(machine_.dma.engines), static_cast<int>(t.queue), arrives, list);
    }
  }

  void give_lost(const Transfer& t, uint16_t core, Picos at) {
    for (int32_t n = 0; n < t.lost; ++n) pending_.push({at, order_++, core, t.semaphore, true, at});
  }

  void start_descriptors(Picos time) {
    now_ = time;
    for (uint16_t core = 0; core < rings_.size(); ++core) {
      if (rings_[core]->next() > time) continue;
      started_.clear();
      rings_[core]->advance(time, &started_);
      for (const sim::dma::DescriptorRun& run : started_) {
        ReplayedDescriptor& d = out_.descriptors[run.tag];
        d.start = run.start;
        d.read = run.read;
        d.complete = run.complete;
        d.visible = run.visible;
        if (run.visible < Picos(0)) continue;
        Transfer& t = transfers_[captured_.dmas[run.tag].trigger];
        pending_.push({run.visible, order_++, core, t.semaphore, true, run.complete});
        if (--t.visible == 0) give_lost(t, core, run.visible);
      }
    }
  }

  void apply_semaphore() {
    const Pending p = pending_.top();
    pending_.pop();
    now_ = p.at;
    reached_[{p.core, p.semaphore}].push_back({p.at, p.by_dma, p.source_end});
    for (Agent& a : agents_)
      if (a.core == p.core && a.begin == kNever && !a.work.empty()) plan(a);
  }

  Status deadlock() {
    std::string waiting;
    for (const Agent& a : agents_) {
      if (a.work.empty()) continue;
      const auto& in = captured_.program.instructions[a.work.front().first];
      waiting += (waiting.empty() ? "" : "; ") + std::string(isa::engine_name(a.engine)) + " of core " +
                 std::to_string(a.core) + " at instruction " + std::to_string(in.index) + " (" + in.text + ")";
      if (!in.waits.empty())
        waiting += ", semaphore " + std::to_string(in.waits[0].number) + " is " +
                   std::to_string(reached(a.core, in.waits[0].number).size());
    }
    return waiting.empty() ? ok_status() : failed_precondition("the replay waits for ever: " + waiting);
  }

  void span() {
    bool any = false;
    const auto take = [&](Picos begin, Picos end) {
      out_.first = any ? std::min(out_.first, begin) : begin;
      out_.last = any ? std::max(out_.last, end) : end;
      any = true;
    };
    for (size_t i = 0; i < out_.instructions.size(); ++i)
      if (out_.instructions[i].ran && !captured_.program.instructions[i].setup)
        take(out_.instructions[i].begin, out_.instructions[i].end);
    for (size_t d = 0; d < out_.descriptors.size(); ++d)
      if (captured_.dmas[d].trigger != kNone)
        take(out_.descriptors[d].start, std::max(out_.descriptors[d].complete, out_.descriptors[d].visible));
  }

  const DeviceProfile& captured_;
  const machine::Machine& machine_;
  Replay out_;
  std::vector<Step> steps_;
  std::vector<Agent> agents_;
  std::vector<sim::core::Pipeline> pipelines_;
  std::vector<std::unique_ptr<sim::pe::Steps>> arrays_;
  std::vector<std::unique_ptr<sim::dma::Rings>> rings_;
  std::map<uint32_t, Transfer> transfers_;          // by index of the trigger
  std::map<std::pair<uint16_t, int>, std::vector<Reached>> reached_;
  std::priority_queue<Pending, std::vector<Pending>, std::greater<>> pending_;
  std::vector<sim::dma::DescriptorRun> started_;
  uint64_t order_ = 0;
  Picos origin_, now_;
};

}  // namespace

Result<Replay> replay(const DeviceProfile& captured, const machine::Machine& machine) {
  return Player(captured, machine).play();
}

}  // namespace lanewise::lab
