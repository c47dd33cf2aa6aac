// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/sync.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "compiler/emit/interval_map.h"
#include "isa/pattern.h"

namespace lanewise::compiler::emit {

using isa::Engine;
using isa::Instruction;
using isa::Opcode;

namespace {

constexpr int kQueues = 16;
// Device memory is tracked in equal parts of a buffer: strided patterns of different tiles interleave, and finer
// intervals would only be cut to pieces by them.
constexpr int64_t kBufferParts = 64;

class Synchroniser {
 public:
  Synchroniser(Linear linear, const std::vector<stage::Buffer>& buffers, isa::Program& program)
      : linear_(std::move(linear)), buffers_(buffers), program_(program), hbm_(buffers.size()) {
    timeline_of_queue_.fill(-1);
    timelines_ = isa::kEngineCount;
  }

  void run() {
    number_timelines();
    known_.assign(timelines_, Clock(timelines_, -1));
    events_.resize(timelines_);
    waits_.resize(linear_.code.size());
    completion_.resize(linear_.code.size());
    for (size_t i = 0; i < linear_.code.size(); ++i) order_instruction(i);
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

  template <typename Conflict>
  void touch_tile(const isa::Tile& tile, bool write, Access access, Conflict&& conflict) {
    if (!tile.present()) return;
    const isa::ByteRange range = isa::byte_range(tile);
    access.write = write;
    access.first_partition = tile.partition;
    access.last_partition = static_cast<uint16_t>(tile.partition + tile.partitions - 1);
    (tile.space == isa::Space::psum ? psum_ : sbuf_).touch(range.begin, range.end, access, conflict);
  }

  template <typename Conflict>
  void touch_hbm(const isa::Hbm& hbm, bool write, Access access, int32_t order, Conflict&& conflict) {
    if (!hbm.present()) return;
    const stage::Buffer& buffer = buffers_[hbm.buffer];
    // Inputs that no stage writes, alone or by an alias, are never waited for.
    if (buffer.kind == stage::Buffer::Kind::input && !group_written(buffer.alias_group)) return;
    access.write = write;
    access.order = order;
    int64_t first = 0, last = kBufferParts;
    if (!hbm.row_index.present() && !shares_memory(buffer.alias_group)) {
      const isa::ByteRange range = isa::byte_range(hbm);
      const int64_t part = std::max<int64_t>(1, (buffer.bytes + kBufferParts - 1) / kBufferParts);
      first = range.begin / part;
      last = (range.end + part - 1) / part;
    }
    hbm_[buffer.alias_group].touch(first, last, access, conflict);
  }

  void learn_groups() {
    written_.assign(buffers_.size(), false);
    members_.assign(buffers_.size(), 0);
    for (const stage::Buffer& b : buffers_) {
      ++members_[b.alias_group];
      if (b.written) written_[b.alias_group] = true;
    }
  }
  bool group_written(int32_t group) {
    if (written_.empty()) learn_groups();
    return written_[group];
  }
  // Aliased inputs overlap at offsets that nobody knows.
  bool shares_memory(int32_t group) {
    if (members_.empty()) learn_groups();
    return members_[group] > 1;
  }

  void order_instruction(size_t number) {
    const Instruction& i = linear_.code[number];
    const int engine = static_cast<int>(i.engine);
    const bool dma = i.op == Opcode::dma_copy;
    Access access;
    access.timeline = dma ? timeline_of_queue_[queue_key(i)] : engine;
    access.at = static_cast<int32_t>(events_[access.timeline].size());
    Clock& known = known_[engine];
    needed_.clear();
    const auto conflict = [&](const Access& earlier) {
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
    touch_tile(i.src0, false, access, conflict);
    touch_tile(i.src1, false, access, conflict);
    touch_tile(i.src2, false, access, conflict);
    if (i.scalar0.kind == isa::Scalar::Kind::tile) touch_tile(i.scalar0.tile, false, access, conflict);
    if (i.scalar1.kind == isa::Scalar::Kind::tile) touch_tile(i.scalar1.tile, false, access, conflict);
    touch_tile(i.hbm_src.row_index, false, access, conflict);
    touch_tile(i.hbm_dst.row_index, false, access, conflict);
    if (i.accumulate) touch_tile(i.dst, false, access, conflict);
    touch_hbm(i.hbm_src, false, access, linear_.order[number], conflict);
    touch_tile(i.dst, true, access, conflict);
    touch_tile(i.dst2, true, access, conflict);
    touch_hbm(i.hbm_dst, true, access, linear_.order[number], conflict);
    wait_for_needed(number, known);
    if (dma) {
      // What the trigger knew is over when the DMA is.
      events_[engine].push_back({});
      Clock clock = known;
      clock[engine] = std::max(clock[engine], static_cast<int32_t>(events_[engine].size()) - 1);
      clock[access.timeline] = access.at;
      events_[access.timeline].push_back({std::move(clock), false, 0});
    } else {
      Clock clock = known;
      clock[engine] = access.at;
      events_[engine].push_back({std::move(clock), false, 0});
    }
    completion_[number] = {access.timeline, access.at};
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
    for (size_t n = 0; n < linear_.code.size(); ++n) {
      Instruction i = linear_.code[n];
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
  const std::vector<stage::Buffer>& buffers_;
  isa::Program& program_;
  std::array<int, isa::kEngineCount * kQueues> timeline_of_queue_{};
  int timelines_ = 0;
  std::vector<Clock> known_;                  // by engine (queues know what their triggers knew)
  std::vector<std::vector<Event>> events_;    // by timeline
  std::vector<std::vector<Wait>> waits_;      // by instruction
  std::vector<std::pair<int32_t, int32_t>> completion_;
  std::vector<Wait> needed_;
  IntervalMap sbuf_, psum_;
  std::vector<IntervalMap> hbm_;              // by alias group
  std::vector<bool> written_;
  std::vector<int> members_;
};

}  // namespace

void insert_semaphores(Linear linear, const std::vector<stage::Buffer>& buffers, isa::Program& program) {
  Synchroniser(std::move(linear), buffers, program).run();
}

}  // namespace lanewise::compiler::emit
