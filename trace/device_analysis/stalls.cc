// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/stalls.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/device_analysis/intervals.h"
#include "trace/device_analysis/operands.h"

namespace lanewise::trace::device_analysis {

using device::kNone;

std::string_view stall_reason_name(StallReason reason) {
  switch (reason) {
    case StallReason::data: return "data";
    case StallReason::dma: return "dma";
    case StallReason::queue: return "queue";
    case StallReason::buffer_free: return "buffer_free";
    case StallReason::order: return "order";
    case StallReason::pipeline: return "pipeline";
    case StallReason::other: return "other";
  }
  return "";
}

namespace {

bool shares(const device::Instruction& a, bool a_written, const device::Instruction& b, bool b_written) {
  for (const device::Operand& x : a.operands) {
    if (is_written(x) != a_written) continue;
    for (const device::Operand& y : b.operands) {
      if (is_written(y) == b_written && box_of(x).overlaps(box_of(y))) return true;
    }
  }
  return false;
}

class Finder {
 public:
  explicit Finder(const Dependencies& d) : d_(d), profile_(d.profile()) {}

  StallReport run() {
    const Picos end = whole(profile_);
    for (const Lane& lane : lanes(profile_)) {
      EngineTime time{lane.core, lane.engine, {}, {}, {}, {}};
      Picos at;
      for (const uint32_t r : lane.runs) {
        const device::InstructionRun& run = profile_.instructions[r];
        if (run.begin > at) stall(lane, r, at, run.begin, &time);
        if (run.end > at) time.busy += run.end - std::max(at, run.begin);
        at = std::max(at, run.end);
      }
      time.idle = end - at;
      report_.engines.push_back(time);
    }
    return std::move(report_);
  }

 private:
  // Whether something from `in` on in its stream (step 1: until the next wait; -1: back to the update before) shares an operand
  // with what `other` covers: a wait protects all that follows it, an update tells of all that went before.
  using Covered = std::vector<const device::Instruction*>;
  Covered covered(const device::Instruction* in, int step) const {
    constexpr size_t kCovered = 64;   // bounds the search in streams that hardly ever wait
    const auto& all = profile_.program.instructions;
    Covered out;
    for (const device::Instruction* i = in; i >= all.data() && i < all.data() + all.size() && out.size() < kCovered; i += step) {
      if (i->core != in->core || i->engine != in->engine) break;
      if (i != in && !(step > 0 ? i->waits : i->updates).empty()) break;
      if (!i->operands.empty()) out.push_back(i);
    }
    return out;
  }

  static bool any_shares(const Covered& writers, bool written, const Covered& readers, bool read_written) {
    for (const device::Instruction* w : writers) {
      for (const device::Instruction* r : readers) {
        if (shares(*w, written, *r, read_written)) return true;
      }
    }
    return false;
  }

  StallReason reason_of(uint32_t waiter, const Constraint& c) {
    const device::Instruction* waits = d_.instruction(waiter);
    const device::Instruction* sets = c.from == kNone ? nullptr : d_.instruction(c.from);
    const bool dma = c.from != kNone && d_.is_dma(c.from);
    if (waits == nullptr || sets == nullptr) return dma ? StallReason::dma : StallReason::order;
    const auto [known, fresh] = reasons_.try_emplace({waits, sets, dma}, StallReason::order);
    if (!fresh) return known->second;
    const Covered readers = covered(waits, 1), writers = dma ? Covered{sets} : covered(sets, -1);
    StallReason reason = dma ? StallReason::dma : StallReason::order;
    if (any_shares(writers, true, readers, false)) reason = dma ? StallReason::dma : StallReason::data;
    else if (any_shares(writers, false, readers, true) || any_shares(writers, true, readers, true)) reason = StallReason::buffer_free;
    return known->second = reason;
  }

  void add(const Lane& lane, uint32_t run, Picos begin, Picos end, StallReason reason, const Constraint* c, EngineTime* time) {
    if (end <= begin) return;
    time->stall += end - begin;
    time->by_reason[static_cast<int>(reason)] += end - begin;
    report_.stalls.push_back({lane.core, lane.engine, begin, end, reason, run, c == nullptr ? kNone : c->update, c == nullptr ? kNone : c->from});
  }

  void stall(const Lane& lane, uint32_t run, Picos begin, Picos end, EngineTime* time) {
    const Constraint* c = d_.binding(run, false);
    if (c == nullptr) return add(lane, run, begin, end, StallReason::other, nullptr, time);
    const Picos allowed = std::max(begin, c->allowed);
    if (c->why != Why::semaphore) {
      add(lane, run, begin, allowed, StallReason::pipeline, nullptr, time);
    } else {
      const StallReason reason = reason_of(run, *c);
      Picos at = begin;
      if (reason == StallReason::dma && c->from != kNone && d_.is_dma(c->from)) {
        const Constraint* held = d_.binding(c->from);
        if (held != nullptr && held->why == Why::queue) {
          // From when it could have begun to when the one before it had moved.
          Picos could(0);
          for (const Constraint& other : d_.before(c->from)) {
            if (other.why == Why::trigger) could = other.allowed;
          }
          const Picos from = std::clamp(could, at, allowed), to = std::clamp(d_.begin(c->from), at, allowed);
          add(lane, run, at, from, reason, c, time);
          add(lane, run, from, to, StallReason::queue, c, time);
          at = to;
        }
      }
      add(lane, run, at, allowed, reason, c, time);
    }
    add(lane, run, allowed, end, c->why == Why::result ? StallReason::pipeline : StallReason::other, nullptr, time);
  }

  const Dependencies& d_;
  const device::DeviceProfile& profile_;
  std::map<std::tuple<const device::Instruction*, const device::Instruction*, bool>, StallReason> reasons_;   // by waiter, setter, DMA
  StallReport report_;
};

}  // namespace

StallReport find_stalls(const Dependencies& dependencies) { return Finder(dependencies).run(); }

StallReport report_within(const StallReport& report, const device::DeviceProfile& profile, const Interval& span) {
  StallReport out;
  std::map<std::pair<uint16_t, isa::Engine>, size_t> rows;
  for (const Lane& lane : lanes(profile)) {
    EngineTime time{lane.core, lane.engine, {}, {}, {}, {}};
    time.busy = total_overlap(busy(profile, lane), {span});
    rows[{lane.core, lane.engine}] = out.engines.size();
    out.engines.push_back(time);
  }
  for (Stall stall : report.stalls) {
    const Interval cut = Subject::part({stall.begin, stall.end}, span);
    if (cut.end <= cut.begin) continue;
    stall.begin = cut.begin;
    stall.end = cut.end;
    EngineTime& time = out.engines[rows.at({stall.core, stall.engine})];
    time.stall += stall.end - stall.begin;
    time.by_reason[static_cast<int>(stall.reason)] += stall.end - stall.begin;
    out.stalls.push_back(stall);
  }
  for (EngineTime& time : out.engines) time.idle = span.end - span.begin - time.busy - time.stall;
  return out;
}

}  // namespace lanewise::trace::device_analysis
