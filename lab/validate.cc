// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/validate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "lab/steps.h"
#include "trace/device/exec_span.h"

namespace lanewise::lab {
namespace {

using isa::Engine;
using trace::device::DeviceProfile;
using trace::device::InstructionRun;
using trace::device::kNone;

double ns(Picos t) { return static_cast<double>(t.value) / 1000; }

struct Pair {
  std::string kind;
  uint16_t core;
  double ours, captured, tick;
  int64_t group = -1;          // of those that only a DMA engine tells apart
};

double tick_of(const Clock& clock) { return 1e6 / static_cast<double>(clock.khz); }

double tick_of(Engine engine, const machine::Machine& m) {
  switch (engine) {
    case Engine::pe: return tick_of(m.pe.clock);
    case Engine::vector: return tick_of(m.vector.clock);
    case Engine::scalar: return tick_of(m.scalar.clock);
    default: return tick_of(m.gpsimd.clock);
  }
}

std::string kind_of(const trace::device::Instruction& in, const InstructionRun& run) {
  switch (work_of(in.opcode)) {
    case Work::columns: return run.throttled ? "MATMUL throttled" : "MATMUL warm";
    case Work::wait: return "SEMAPHORE_WAIT";
    case Work::trigger: return "DMA_TRIGGER";
    case Work::elements:
      if (in.opcode == "COPY") return in.engine == Engine::scalar ? "COPY ACT" : in.engine == Engine::vector ? "COPY DVE" : "COPY POOL";
      return in.opcode;
    default: return in.opcode;
  }
}

class Comparison {
 public:
  Comparison(const DeviceProfile& captured, const Replay& ours, const machine::Machine& machine)
      : captured_(captured), ours_(ours), machine_(machine) {}

  std::vector<Pair> pairs() {
    run_of_.assign(captured_.program.instructions.size(), nullptr);
    for (const InstructionRun& run : captured_.instructions)
      if (run.instruction != kNone && run.iteration == 0) run_of_[run.instruction] = &run;
    instructions();
    hops();
    descriptors();
    return std::move(pairs_);
  }

 private:
  void add(std::string kind, uint16_t core, Picos ours, Picos captured, double tick, int64_t group = -1) {
    pairs_.push_back({std::move(kind), core, ns(ours), ns(captured), tick, group});
  }

  void instructions() {
    for (size_t i = 0; i < run_of_.size(); ++i) {
      const InstructionRun* run = run_of_[i];
      const ReplayedInstruction& r = ours_.instructions[i];
      if (run == nullptr || !r.ran) continue;
      const auto& in = captured_.program.instructions[i];
      add(kind_of(in, *run), in.core, r.end - r.begin, run->end - run->begin, tick_of(in.engine, machine_));
    }
  }

  // When a semaphore had the value an instruction waits for, as recorded: the last time before it began.
  bool reached(const InstructionRun& run, int semaphore, uint32_t value, Picos* at, bool* by_dma) const {
    bool found = false;
    for (const auto& s : captured_.semaphores) {
      if (s.at > run.begin) break;
      if (s.core != run.core || s.semaphore != semaphore || s.value != value) continue;
      found = true;
      *at = s.at;
      *by_dma = s.by_dma;
    }
    return found;
  }

  Picos source_end(uint16_t core, int semaphore, Picos at) const {
    Picos end(-1);
    for (size_t i = 0; i < run_of_.size(); ++i) {
      const auto& in = captured_.program.instructions[i];
      if (run_of_[i] == nullptr || in.core != core || in.updates.empty() || in.updates[0].number != semaphore) continue;
      if (in.queue == kNone && run_of_[i]->end <= at) end = std::max(end, run_of_[i]->end);
    }
    return end;
  }

  void hops() {
    for (size_t i = 0; i < run_of_.size(); ++i) {
      const InstructionRun* run = run_of_[i];
      const ReplayedInstruction& r = ours_.instructions[i];
      const auto& in = captured_.program.instructions[i];
      if (run == nullptr || !r.waited || in.waits.empty()) continue;
      Picos at;
      bool by_dma = false;
      if (!reached(*run, in.waits[0].number, in.waits[0].value, &at, &by_dma) || by_dma != r.by_dma) continue;
      // Held back by the semaphore alone: it was waiting already when the update came.
      const Picos before = run->ready >= Picos(0) ? run->ready : previous_end(in, *run);
      if (before > at) continue;
      const double tick = tick_of(in.engine, machine_);
      if (by_dma) {
        add("SEMAPHORE_HOP", in.core, r.begin - r.reached, run->begin - at, tick);
        continue;
      }
      const Picos source = source_end(in.core, in.waits[0].number, at);
      if (source >= Picos(0)) add("SEMAPHORE_HOP", in.core, r.begin - r.source_end, run->begin - source, tick);
    }
  }

  // End of the instruction before it on its engine.
  Picos previous_end(const trace::device::Instruction& in, const InstructionRun& run) const {
    Picos end;
    for (const InstructionRun& other : captured_.instructions)
      if (other.core == run.core && other.engine == in.engine && other.begin < run.begin) end = std::max(end, std::min(other.end, run.begin));
    return end;
  }

  void descriptors() {
    const double tick = tick_of(machine_.dma.clock);
    std::map<std::pair<uint32_t, uint16_t>, int64_t> place;                  // by trigger and engine: how many came before
    std::map<std::tuple<uint32_t, int64_t, int64_t>, int64_t> groups;        // by trigger, place and bytes
    std::map<uint32_t, std::pair<Picos, Picos>> first;   // by trigger: ours, captured
    for (size_t d = 0; d < captured_.dmas.size(); ++d) {
      const auto& run = captured_.dmas[d];
      if (run.setup || run.trigger == kNone || run.iteration != 0) continue;
      const ReplayedDescriptor& r = ours_.descriptors[d];
      const std::tuple<uint32_t, int64_t, int64_t> alike(run.trigger, place[{run.trigger, run.dma_engine}]++, run.bytes);
      const int64_t group = groups.try_emplace(alike, static_cast<int64_t>(groups.size())).first->second;
      if (run.read >= Picos(0)) add("DMA_OCCUPANCY", run.core, r.read - r.start, run.read - run.begin, tick, group);
      add("DMA_LATENCY", run.core, r.complete - r.start, run.end - run.begin, tick, group);
      const auto [entry, fresh] = first.try_emplace(run.trigger, r.start - r.triggered, run.begin - run.triggered);
      if (!fresh) {
        entry->second.first = std::min(entry->second.first, r.start - r.triggered);
        entry->second.second = std::min(entry->second.second, run.begin - run.triggered);
      }
    }
    for (const auto& [trigger, times] : first)
      add("DMA_START", captured_.program.instructions[trigger].core, times.first, times.second, tick);
  }

  const DeviceProfile& captured_;
  const Replay& ours_;
  const machine::Machine& machine_;
  std::vector<const InstructionRun*> run_of_;
  std::vector<Pair> pairs_;
};

// Sum of |t - captured| / captured for the t that makes it least: the median, each weighted with 1 / captured.
double least_error(std::vector<double> captured) {
  std::sort(captured.begin(), captured.end());
  double all = 0, before = 0, error = 0;
  for (const double c : captured) all += 1 / c;
  double best = captured.front();
  for (const double c : captured) {
    best = c;
    before += 1 / c;
    if (before >= all / 2) break;
  }
  for (const double c : captured) error += std::abs(best - c) / c;
  return error;
}

std::vector<KindRow> kinds_of(const std::vector<Pair>& pairs, int core) {
  std::map<std::string, KindRow> rows;
  std::map<std::string, std::map<int64_t, std::vector<double>>> alike;
  for (const Pair& p : pairs) {
    if ((core >= 0 && p.core != core) || p.captured <= 0) continue;
    KindRow& row = rows[p.kind];
    row.kind = p.kind;
    ++row.n;
    row.ours_ns += p.ours;
    row.captured_ns += p.captured;
    row.mae_ns += std::abs(p.ours - p.captured);
    row.mae_pct += 100 * std::abs(p.ours - p.captured) / p.captured;
    row.tick_ns = std::max(row.tick_ns, p.tick);
    if (p.group >= 0) alike[p.kind][p.group].push_back(p.captured);
  }
  std::vector<KindRow> out;
  for (auto& [kind, row] : rows) {
    const auto n = static_cast<double>(row.n);
    for (double* value : {&row.ours_ns, &row.captured_ns, &row.mae_ns, &row.mae_pct}) *value /= n;
    if (const auto groups = alike.find(kind); groups != alike.end()) {
      row.floor_pct = 0;
      for (const auto& [group, captured] : groups->second) row.floor_pct += 100 * least_error(captured) / n;
    }
    out.push_back(std::move(row));
  }
  return out;
}

// What the replay did of what trace::device::exec_span counts.
std::optional<trace::device::Span> replayed_span(const DeviceProfile& captured, const Replay& ours, int core) {
  std::optional<trace::device::Span> span;
  const auto take = [&](Picos begin, Picos end) {
    span = span ? trace::device::Span{std::min(span->begin, begin), std::max(span->end, end)} : trace::device::Span{begin, end};
  };
  for (const InstructionRun& run : captured.instructions)
    if ((core < 0 || run.core == core) && run.instruction != kNone && is_real(captured, run) && ours.instructions[run.instruction].ran)
      take(ours.instructions[run.instruction].begin, ours.instructions[run.instruction].end);
  for (size_t d = 0; d < captured.dmas.size(); ++d) {
    const auto& run = captured.dmas[d];
    if ((core >= 0 && run.core != core) || !is_real(captured, run) || run.trigger == kNone) continue;
    take(ours.descriptors[d].start, std::max(ours.descriptors[d].complete, ours.descriptors[d].visible));
  }
  return span;
}

KernelRow kernel_row(const DeviceProfile& captured, const Replay& ours, int core, std::string name) {
  KernelRow row;
  row.name = std::move(name);
  const auto theirs = trace::device::exec_span(captured, core);
  const auto replayed = replayed_span(captured, ours, core);
  if (theirs && replayed) row.captured_ns = ns(theirs->length()), row.ours_ns = ns(replayed->length());
  return row;
}

}  // namespace

Result<Validation> validate(const DeviceProfile& captured, const machine::Machine& machine, const std::string& name) {
  LW_ASSIGN_OR_RETURN(const Replay ours, replay(captured, machine));
  if (captured.last <= captured.first)
    return failed_precondition(name + " holds no instruction of the program; capture an execution of it");
  Validation v;
  v.records = captured.ledger.records;
  v.unknown = captured.ledger.unknown;
  v.sentences = captured.ledger.sentences;
  if (ours.lost > 0)
    v.sentences.push_back(std::to_string(ours.lost) + " shares of DMA transfers are not in the capture; the replay takes them as done with the rest of their transfer");
  const std::vector<Pair> pairs = Comparison(captured, ours, machine).pairs();
  for (int core = -1; core < captured.program.cores; ++core) {
    KernelRow row = kernel_row(captured, ours, core, core < 0 ? name : name + " core " + std::to_string(core));
    if (core >= 0 && row.captured_ns <= 0) continue;
    row.kinds = kinds_of(pairs, core);
    v.kernels.push_back(std::move(row));
  }
  return v;
}

}  // namespace lanewise::lab
