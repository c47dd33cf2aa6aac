// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/sync.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "compiler/emit/interval_map.h"

namespace lanewise::compiler::emit {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;

namespace {

constexpr int kQueues = 16;

class Synchroniser {
 public:
  Synchroniser(Linear linear, const std::vector<int32_t>& order, const std::vector<stage::Buffer>& buffers, isa::Program& program)
      : linear_(std::move(linear)), order_(order), program_(program), lister_(buffers) {
    timeline_of_queue_.fill(-1);
    timelines_ = isa::kEngineCount;
  }

  void run() {
    number_timelines();
    regions_.assign(lister_.regions(), IntervalMap(IntervalMap::Merge::reads_of_a_timeline));
    known_.assign(timelines_, Clock(timelines_, -1));
    events_.resize(timelines_);
    waits_.resize(linear_.code.size());
    completion_.resize(linear_.code.size());
    for (int32_t i : order_) order_instruction(i);
    write_streams();
  }

 private:
  using Clock = std::vector<int32_t>;   // by timeline: the last event known to be over

  struct Event {
    Clock clock;          // what is over when this event is over
    bool waited_for = false;
    uint32_t count = 0;   // of waited-for events of the timeline up to and with this one
  };
  struct Wait {
    int32_t timeline, at;
  };

  static int queue_key(const Instruction& i) { return static_cast<int>(i.engine) * kQueues + i.queue; }

  void number_timelines() {
    for (const Instruction& i : linear_.code) {
      if (i.op != Opcode::dma_copy) continue;
      int& timeline = timeline_of_queue_[queue_key(i)];
      if (timeline < 0) timeline = timelines_++;
    }
  }

  void order_instruction(size_t number) {
    const Instruction& i = linear_.code[number];
    const int engine = static_cast<int>(i.engine);
    const bool dma = i.op == Opcode::dma_copy;
    const int32_t timeline = dma ? timeline_of_queue_[queue_key(i)] : engine;
    const int32_t at = static_cast<int32_t>(events_[timeline].size());
    Clock& known = known_[engine];
    needed_.clear();
    const auto conflict = [&](const OpenAccess& earlier) {
      // An engine's own instructions are in order. A DMA that follows another on its queue starts in order, but may
      // read what that one still writes, so it waits like everybody.
      if (earlier.timeline == engine || known[earlier.timeline] >= earlier.at) return;
      for (Wait& wait : needed_) {
        if (wait.timeline == earlier.timeline) {
          wait.at = std::max(wait.at, earlier.at);
          return;
        }
      }
      needed_.push_back({earlier.timeline, earlier.at});
    };
    for (const ByteAccess& access : lister_.list(i, linear_.order[number])) regions_[access.region].touch(access, timeline, at, conflict);
    wait_for_needed(number, known);
    if (dma) {
      // What the trigger knew is over when the DMA is.
      events_[engine].push_back({});
      Clock clock = known;
      clock[engine] = std::max(clock[engine], static_cast<int32_t>(events_[engine].size()) - 1);
      clock[timeline] = at;
      events_[timeline].push_back({std::move(clock), false, 0});
    } else {
      Clock clock = known;
      clock[engine] = at;
      events_[engine].push_back({std::move(clock), false, 0});
    }
    completion_[number] = {timeline, at};
  }

  // Drops needs that others imply, latest event first, and raises the clock.
  void wait_for_needed(size_t number, Clock& known) {
    std::sort(needed_.begin(), needed_.end(), [&](const Wait& a, const Wait& b) {
      const Clock& ca = events_[a.timeline][a.at].clock;
      const Clock& cb = events_[b.timeline][b.at].clock;
      return weight(ca) > weight(cb);
    });
    for (const Wait& wait : needed_) {
      if (known[wait.timeline] >= wait.at) continue;
      Event& event = events_[wait.timeline][wait.at];
      event.waited_for = true;
      waits_[number].push_back(wait);
      for (int t = 0; t < timelines_; ++t) known[t] = std::max(known[t], event.clock[t]);
    }
  }

  static int64_t weight(const Clock& clock) {
    int64_t sum = 0;
    for (int32_t c : clock) sum += c;
    return sum;
  }

  void write_streams() {
    std::vector<int16_t> semaphore(timelines_, -1);
    int16_t next = 0;
    for (int t = 0; t < timelines_; ++t) {
      uint32_t count = 0;
      for (Event& event : events_[t]) {
        count += event.waited_for;
        event.count = count;
      }
      if (count > 0) semaphore[t] = next++;
    }
    LW_CHECK(next <= isa::kSemaphores, "one semaphore a timeline fits");
    program_.semaphores_used = next;
    std::array<size_t, isa::kEngineCount> lengths{};
    for (size_t n = 0; n < linear_.code.size(); ++n)
      lengths[static_cast<int>(linear_.code[n].engine)] += std::max<size_t>(1, waits_[n].size());
    for (int e = 0; e < isa::kEngineCount; ++e) program_.streams[e].reserve(lengths[e]);
    for (int32_t n : order_) {
      Instruction& i = linear_.code[n];
      auto& stream = program_.streams[static_cast<int>(i.engine)];
      const auto& waits = waits_[n];
      for (size_t w = 0; w < waits.size(); ++w) {
        const isa::SemaphoreWait wait{semaphore[waits[w].timeline], events_[waits[w].timeline][waits[w].at].count};
        if (w + 1 == waits.size()) {
          i.wait = wait;
        } else {
          Instruction first;
          first.op = Opcode::semaphore_wait;
          first.engine = i.engine;
          first.wait = wait;
          first.debug = i.debug;
          stream.push_back(first);
        }
      }
      const auto [timeline, at] = completion_[n];
      if (events_[timeline][at].waited_for) i.update = {semaphore[timeline], 1};
      stream.push_back(i);
    }
  }

  Linear linear_;
  const std::vector<int32_t>& order_;
  isa::Program& program_;
  std::array<int, isa::kEngineCount * kQueues> timeline_of_queue_{};
  int timelines_ = 0;
  std::vector<Clock> known_;                  // by engine (queues know what their triggers knew)
  std::vector<std::vector<Event>> events_;    // by timeline
  std::vector<std::vector<Wait>> waits_;      // by instruction
  std::vector<std::pair<int32_t, int32_t>> completion_;
  std::vector<Wait> needed_;
  AccessLister lister_;
  std::vector<IntervalMap> regions_;
};

}  // namespace

void insert_semaphores(Linear linear, const std::vector<int32_t>& order, const std::vector<stage::Buffer>& buffers,
                       isa::Program& program) {
  Synchroniser(std::move(linear), order, buffers, program).run();
}

}  // namespace lanewise::compiler::emit
