// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/device_analysis/stalls.h"

#include <algorithm>

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
  // The instruction whose operands speak for a bare wait (the next one) or a bare update (the one before).
  const device::Instruction* speaker(const device::Instruction* in, int step) const {
    const auto& all = profile_.program.instructions;
    for (const device::Instruction* i = in; i >= all.data() && i < all.data() + all.size(); i += step) {
      if (i->core != in->core || i->engine != in->engine) break;
      if (!i->operands.empty()) return i;
      if (i != in && !(step > 0 ? i->updates : i->waits).empty() && !i->setup) break;
    }
    return nullptr;
  }

  StallReason reason_of(uint32_t waiter, const Constraint& c) const {
    const device::Instruction* waits = d_.instruction(waiter);
    const device::Instruction* sets = c.from == kNone ? nullptr : d_.instruction(c.from);
    const bool dma = c.from != kNone && d_.is_dma(c.from);
    const device::Instruction* reader = waits == nullptr ? nullptr : speaker(waits, 1);
    const device::Instruction* writer = sets == nullptr ? nullptr : dma ? sets : speaker(sets, -1);
    // With several waits in a row the setter may belong to any instruction up to the next other wait; the first with
    // operands is the common case, and what it shares decides.
    if (reader != nullptr && writer != nullptr) {
      if (shares(*writer, true, *reader, false)) return dma ? StallReason::dma : StallReason::data;
      if (shares(*writer, false, *reader, true) || shares(*writer, true, *reader, true)) return StallReason::buffer_free;
    }
    return dma ? StallReason::dma : StallReason::order;
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
  StallReport report_;
};

}  // namespace

StallReport find_stalls(const Dependencies& dependencies) { return Finder(dependencies).run(); }

}  // namespace lanewise::trace::device_analysis
