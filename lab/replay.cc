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
#include "sim/unit/dma/rings.h"

namespace lanewise::lab {
namespace {

using isa::Engine;
using trace::device::DeviceProfile;
using trace::device::kNone;

constexpr Picos kNever{INT64_MAX};
constexpr int64_t kSemaphoreBytes = 4;   // a descriptor of its own where the data is cast
struct Transfer {
  int semaphore = -1;
  // By DMA engine of the core: indexes in DeviceProfile::dmas.
  std::map<uint16_t, std::vector<uint32_t>> descriptors;
  uint32_t queue = kNone;
  int64_t read_run = 0, write_run = 0;
  bool input = false;
  int32_t visible = 0;         // recorded descriptors that update the semaphore, yet to do so
  int32_t lost = 0;            // updates whose descriptors were not recorded
  double cast_ratio = 0;       // bytes read for each byte written, when the transfer changes the type; else 0
};

// Contiguous bytes at the end of a pattern.
int64_t run_bytes(const trace::device::Operand& o, int64_t bytes) {
  int64_t run = 1, elements = 1;
  bool contiguous = true;
  for (size_t d = o.sizes.size(); d-- > 0;) {
    contiguous = contiguous && d < o.steps.size() && o.steps[d] == run;
    if (contiguous) run *= o.sizes[d];
    elements *= std::max<int64_t>(1, o.sizes[d]);
  }
  return std::max<int64_t>(1, bytes / std::max<int64_t>(1, elements) * run);
}

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
    make_transfers();
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

  void make_transfers() {
    const auto& program = captured_.program;
    for (uint32_t d = 0; d < captured_.dmas.size(); ++d) {
      const auto& run = captured_.dmas[d];
      if (run.setup || run.trigger == kNone || run.iteration != 0) continue;
      Transfer& t = transfers_[run.trigger];
      t.descriptors[run.dma_engine].push_back(d);
      t.queue = run.queue;
      const auto& updates = program.instructions[run.trigger].updates;
      if (!updates.empty()) t.semaphore = updates[0].number;
      t.visible += run.semaphore && t.semaphore >= 0;
      if (run.descriptor != kNone) {
        const auto& row = program.descriptors[run.descriptor];
        if (row.from.space == trace::device::Space::hbm) t.read_run = run_bytes(row.from, row.bytes);
        t.input = std::any_of(program.tensors.begin(), program.tensors.end(), [&](const auto& tensor) {
          return tensor.name == row.from.tensor && tensor.kind == "input";
        });
        const auto* from = isa::trn2::dtype_row(row.from.dtype);
        const auto* to = isa::trn2::dtype_row(row.to.dtype);
        if (row.from.dtype != row.to.dtype && from != nullptr && to != nullptr) t.cast_ratio = double(from->bytes) / to->bytes;
        if (row.to.space == trace::device::Space::hbm) t.write_run = run_bytes(row.to, row.bytes);
      }
    }
  }

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
      rings_.push_back(std::make_unique<sim::dma::Rings>(machine_, engines, [this](int own, const sim::dma::Descriptor& d) { return slowdown(own, d); }));
  }

  // All engines that use device memory share the stack of their cores.
  double slowdown(int own, const sim::dma::Descriptor& d) const {
    int all = own;
    for (const auto& r : rings_)
      if (r.get() != serving_) all += r->busy(now_);
    const double rate = double(machine_.dma.bytes_per_cycle) * double(machine_.dma.clock.khz) * 1000;
    const double stack = double(machine_.dma.hbm_bytes_per_second) * double(machine_.chip.cores_per_hbm_stack);
    // A run of bytes costs device memory the time of some more.
    double scattered = 1;
    if (d.read_run > 0) scattered += double(machine_.dma.scattered_read_bytes) / double(d.read_run);
    else if (d.write_run > 0) scattered += double(machine_.dma.scattered_write_bytes) / double(d.write_run);
    return stack > 0 ? rate * all * scattered / stack : 0;
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
      case Work::trigger:
        r.end = a.begin + Picos(s.trigger_ps);
        a.ready = a.begin + Picos(s.trigger_interval_ps);
        trigger(index, a);
        break;
      default:
        r.end = a.begin + Picos(s.wait_ps);
        a.ready = a.begin + Picos(s.wait_interval_ps);
        break;
    }
    if (step.work != Work::trigger && !in.updates.empty())
      pending_.push({r.end + Picos(s.post_ps), order_++, a.core, in.updates[0].number, false, r.end});
    plan(a);
  }

  void trigger(uint32_t index, const Agent& a) {
    const auto found = transfers_.find(index);
    if (found == transfers_.end()) return;
    const Transfer& t = found->second;
    const Picos arrives = a.begin + Picos(machine_.dma.start_ps);
    if (t.visible == 0) give_lost(t, a.core, arrives + Picos(machine_.dma.write_latency_ps));
    for (const auto& [engine, list] : t.descriptors) {
      std::vector<sim::dma::Descriptor> descriptors;
      for (uint32_t d : list) {
        const auto& run = captured_.dmas[d];
        out_.descriptors[d].triggered = a.begin;
        descriptors.push_back({run.bytes, run.semaphore && t.semaphore >= 0, t.read_run, t.write_run, t.read_run == 0 && t.write_run == 0, t.input,
                               run.bytes > kSemaphoreBytes ? static_cast<int64_t>(double(run.bytes) * t.cast_ratio) : 0, d});
      }
      rings_[a.core]->add(engine % static_cast<int>(machine_.dma.engines), static_cast<int>(t.queue), arrives, descriptors);
    }
  }

  void give_lost(const Transfer& t, uint16_t core, Picos at) {
    for (int32_t n = 0; n < t.lost; ++n) pending_.push({at, order_++, core, t.semaphore, true, at});
  }

  void start_descriptors(Picos time) {
    now_ = time;
    for (uint16_t core = 0; core < rings_.size(); ++core) {
      if (rings_[core]->next() > time) continue;
      serving_ = rings_[core].get();
      started_.clear();
      serving_->advance(time, &started_);
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
  sim::dma::Rings* serving_ = nullptr;   // whose descriptors start now
  uint64_t order_ = 0;
  Picos origin_, now_;
};

}  // namespace

Result<Replay> replay(const DeviceProfile& captured, const machine::Machine& machine) {
  return Player(captured, machine).play();
}

}  // namespace lanewise::lab
