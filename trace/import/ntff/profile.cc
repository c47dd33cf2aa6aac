// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/import/ntff/profile.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <unordered_map>

#include "isa/table.h"
#include "trace/import/ntff/join.h"
#include "trace/import/ntff/kinds.h"

namespace lanewise::trace::ntff {
namespace {

using device::DmaRun;
using device::InstructionRun;
using device::kNone;

// Cycles of a begin record count at these clocks: a dependent instruction's count is the time since the one before it
// began, to the cycle (docs/formats/ntff.md). The tensor engine's instructions are handed out at half its array's clock.
int64_t waited_khz(isa::Engine engine) { return engine == isa::Engine::vector ? 960'000 : 1'200'000; }
// A transfer is spread evenly over the rings of its queue; on each, its last descriptor also writes the semaphore.
constexpr int64_t kSemaphoreBytes = 4;
// How records of a ring are told apart where some were lost. In the captures a ring with open descriptors is never silent
// for a microsecond, at most four of its descriptors are unread when one starts, and the quickest takes 37 ps a byte.
constexpr Picos kLongestSilence{2'000'000};
constexpr size_t kMostOpenReads = 4;
constexpr int64_t kLeastPicosAByte = 20;
constexpr uint32_t kSmallBytes = 64;   // below, fixed costs decide
// End of an instruction without a datapath: its begin carries no count.
constexpr uint32_t kNoResult = UINT32_MAX;

template <typename Run>
void sort_by_begin(std::vector<Run>* runs) {
  std::stable_sort(runs->begin(), runs->end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
}

class Builder {
 public:
  Builder(std::string_view bytes, const Capture& capture, device::Program program) : bytes_(bytes), capture_(capture) {
    out_.program = std::move(program);
  }

  Result<device::DeviceProfile> build() {
    out_.producer = "neuron";
    out_.machine = out_.program.target.empty() ? "trn2" : out_.program.target;
    device::Ledger& ledger = out_.ledger;
    ledger.bytes = static_cast<int64_t>(bytes_.size());
    ledger.header = kHeaderBytes;
    ledger.metadata = static_cast<int64_t>(capture_.metadata_bytes);
    ledger.record_bytes = static_cast<int64_t>(capture_.section_bytes);
    ledger.skipped = static_cast<int64_t>(capture_.skipped);
    ledger.sentences = capture_.sentences;
    find_origin();
    for (size_t c = 0; c < capture_.cores.size(); ++c) {
      LW_ASSIGN_OR_RETURN(const CoreJoin join, join_core(capture_.cores[c], c, out_.program));
      core(capture_.cores[c], join);
    }
    sort_by_begin(&out_.instructions);
    sort_by_begin(&out_.dmas);
    mark_throttled();
    std::stable_sort(out_.semaphores.begin(), out_.semaphores.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    span();
    return std::move(out_);
  }

 private:
  struct Ring {
    std::vector<DmaRun> runs;          // in the order of their starts
    size_t read = 0, complete = 0;     // how many of them have got that record
    Picos last;                        // time of its last record
    std::deque<size_t> startless;      // places in `runs` before which one is missing; its read has come, its completion not yet
  };
  using RingKey = std::pair<uint32_t, uint32_t>;   // DMA engine, queue number

  Picos at(uint64_t time) {
    constexpr uint64_t kLongest = uint64_t{1} << 60;   // two weeks; more is a damaged record
    if (time - origin_ > kLongest) {
      ++far_;
      return Picos(kLongest);
    }
    const Picos t(static_cast<int64_t>(time - origin_));
    out_.duration = std::max(out_.duration, t);
    return t;
  }

  template <typename Visit>
  void each_record(const Core& core, Visit visit) const {
    for (const Section& s : core.sections)
      for (uint64_t i = 0; i < s.bytes / kRecordBytes; ++i) visit(read_record(bytes_, s, i), s);
  }

  void find_origin() {
    origin_ = std::numeric_limits<uint64_t>::max();
    for (const Core& core : capture_.cores)
      each_record(core, [&](const Record& r, const Section& s) {
        if (r.time < origin_ && meaning(r, s, core.physical).kind != Kind::unknown) origin_ = r.time;
      });
  }

  void core(const Core& core, const CoreJoin& join) {
    core_ = &core;
    join_ = &join;
    open_.clear();
    times_.clear();
    rings_.clear();
    lossy_ = false;
    far_ = 0;
    uint64_t lost = 0;
    std::array<std::array<int64_t*, 256>, kKinds> counts{};   // a name is made for each kind, not for each record
    each_record(core, [&](const Record& r, const Section& s) {
      const Meaning m = meaning(r, s, core.physical);
      ++out_.ledger.records;
      int64_t*& count = counts[static_cast<size_t>(m.kind)][r.kind];
      if (count == nullptr) count = &out_.ledger.kinds[ledger_name(m, r)];
      ++*count;
      out_.ledger.unknown += m.kind == Kind::unknown;
      lost += m.lost_before;
      record(r, m);
    });
    uint64_t open = 0;
    // The runtime's own instruction that stops the recording has no end, in every capture.
    for (const auto& [pc, runs] : open_)
      for (const auto& [run, waited] : runs) open += !run.setup;
    say(lost, "records say that others before them were lost");
    say(open, "instructions begin and have no end");
    say(unbegun_, "instructions end and have no begin");
    say(far_, "records have a time far from all others");
    unbegun_ = 0;
    place_transfers();
  }

  void say(uint64_t count, std::string_view what) {
    if (count > 0) out_.ledger.sentences.push_back(core_->subgraph + ": " + std::to_string(count) + " " + std::string(what));
  }

  void record(const Record& r, const Meaning& m) {
    switch (m.kind) {
      case Kind::instruction_begin: begin(r, m); break;
      case Kind::instruction_end: end(r, m); break;
      case Kind::semaphore_add:
      case Kind::semaphore_subtract:
      case Kind::semaphore_set:
      case Kind::semaphore_other:
        out_.semaphores.push_back({at(r.time), join_->core, static_cast<int32_t>(m.number), m.value, m.by_dma, m.engine});
        break;
      case Kind::descriptor_start:
      case Kind::descriptor_read:
      case Kind::descriptor_complete: descriptor(r, m); break;
      case Kind::pe_limit:
        out_.pe_limits.push_back({at(r.time), join_->core, m.limit, static_cast<uint16_t>(m.value)});
        break;
      default: break;
    }
  }

  static uint64_t open_key(const Meaning& m) { return uint64_t{m.pc} << 8 | static_cast<uint64_t>(m.engine); }

  void begin(const Record& r, const Meaning& m) {
    InstructionRun run;
    run.core = join_->core;
    run.engine = m.engine;
    run.begin = run.end = at(r.time);
    run.setup = true;
    const CoreJoin::Stream& stream = join_->streams[static_cast<size_t>(m.engine)];
    if (stream.image != nullptr) {
      const auto index = (m.pc - static_cast<uint32_t>(stream.image->address / kInstructionBytes)) & kPcMask;
      if (index >= stream.image->body_begin && index < stream.image->body_end) {
        run.setup = false;
        const uint32_t n = index - stream.image->body_begin;
        if (n < stream.program.size()) run.instruction = stream.program[n];
        run.iteration = times_[open_key(m)]++;
      }
    }
    open_[open_key(m)].push_back({run, m.waited});
  }

  void end(const Record& r, const Meaning& m) {
    const auto found = open_.find(open_key(m));
    if (found == open_.end() || found->second.empty()) {
      ++unbegun_;
      return;
    }
    auto [run, waited] = found->second.front();
    found->second.pop_front();
    run.end = std::max(run.begin, at(r.time));
    const bool counts = r.payload != kNoResult && m.engine != isa::Engine::gpsimd && m.engine != isa::Engine::sync;
    if (counts && !run.setup)
      run.ready = std::max(Picos(0), run.begin - Picos(int64_t{waited} * 1'000'000'000 / waited_khz(m.engine)));
    out_.instructions.push_back(run);
  }

  void descriptor(const Record& r, const Meaning& m) {
    Ring& ring = rings_[{m.dma_engine, m.number}];
    const Picos now = at(r.time);
    const Picos idle = now - ring.last;
    ring.last = now;
    lossy_ = lossy_ || m.lost_before;
    if (m.kind == Kind::descriptor_start) {
      // Ends that have not come by now were lost; what follows begins a new count.
      if (lossy_ && idle > kLongestSilence) {
        ring.read = ring.complete = ring.runs.size();
        ring.startless.clear();
      } else if (lossy_ && ring.runs.size() - ring.read > kMostOpenReads) ++ring.read;
      DmaRun run;
      run.core = join_->core;
      run.setup = true;
      run.dma_engine = static_cast<uint16_t>(m.dma_engine);
      run.begin = run.end = now;
      ring.runs.push_back(run);
      return;
    }
    size_t& next = m.kind == Kind::descriptor_read ? ring.read : ring.complete;
    if (next >= ring.runs.size() || now < ring.runs[next].begin) {
      ++orphans_;
      return;
    }
    // Read sooner than its engine can: its own start was lost, this one belongs to the next.
    if (lossy_ && m.kind == Kind::descriptor_read && m.value > kSmallBytes && (now - ring.runs[next].begin).value < int64_t{m.value} * kLeastPicosAByte) {
      ++orphans_;
      ring.startless.push_back(next);
      return;
    }
    if (m.kind == Kind::descriptor_complete && !ring.startless.empty() && next >= ring.startless.front()) {
      ring.startless.pop_front();
      ++orphans_;
      return;
    }
    DmaRun& run = ring.runs[next++];
    if (m.kind == Kind::descriptor_read) {
      run.read = now;
      run.bytes = m.value;
    } else {
      run.end = now;
    }
  }

  // Runs of a queue's triggers, in the order they ran.
  std::vector<const InstructionRun*> triggers_of(const CoreJoin::Queue& queue) const {
    std::vector<const InstructionRun*> found;
    for (const InstructionRun& run : out_.instructions)
      if (run.core == join_->core && queue.id_of_trigger.contains(run.instruction)) found.push_back(&run);
    std::stable_sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->begin < b->begin; });
    return found;
  }

  // The descriptors of a ring follow each other in the order in which the transfers of its queue were triggered.
  void place_transfers() {
    std::map<const CoreJoin::Queue*, std::vector<const InstructionRun*>> triggers;
    std::vector<std::vector<DmaRun*>> transfers;
    std::map<const InstructionRun*, size_t> transfer_of;
    uint64_t incomplete = 0, uneven = 0;
    for (auto& [key, ring] : rings_) {
      incomplete += ring.runs.size() - std::min(ring.read, ring.complete);
      const auto known = std::find_if(core_->rings.begin(), core_->rings.end(), [&](const ntff::Ring& r) {
        return r.dma_engine == key.first && r.number == key.second;
      });
      if (known == core_->rings.end()) continue;
      const auto queue = join_->queues.find(known->queue);
      if (queue == join_->queues.end()) continue;
      const CoreJoin::Queue& q = queue->second;
      auto [entry, fresh] = triggers.try_emplace(&q);
      if (fresh) entry->second = triggers_of(q);
      const auto rings = std::count_if(core_->rings.begin(), core_->rings.end(),
                                       [&](const ntff::Ring& r) { return r.queue == known->queue; });
      size_t next = 0;
      for (const InstructionRun* trigger : entry->second) {
        const uint32_t id = q.id_of_trigger.at(trigger->instruction);
        const int64_t bytes = q.bytes_of_id.at(id) / rings + kSemaphoreBytes;
        int64_t moved = 0;
        for (; moved < bytes && next < ring.runs.size(); ++next) {
          DmaRun& run = ring.runs[next];
          moved += run.bytes;
          run.trigger = trigger->instruction;
          run.triggered = trigger->begin;
          run.iteration = trigger->iteration;
          run.descriptor = q.descriptor_of_id.at(id);
          if (moved < bytes) continue;
          run.semaphore = true;
          const auto [slot, made] = transfer_of.try_emplace(trigger, transfers.size());
          if (made) transfers.emplace_back();
          transfers[slot->second].push_back(&run);
        }
        uneven += moved != bytes;
      }
      uneven += next != ring.runs.size();
      for (DmaRun& run : ring.runs) {
        run.setup = false;
        run.queue = q.index;
      }
    }
    say(orphans_, "DMA records belong to no descriptor");
    say(incomplete, "DMA descriptors start and are not complete");
    say(uneven, "times the descriptors of a ring do not add up to the transfers of its queue");
    orphans_ = 0;
    make_visible(transfers);
    for (auto& [key, ring] : rings_) out_.dmas.insert(out_.dmas.end(), ring.runs.begin(), ring.runs.end());
  }

  // The increments of a transfer's semaphore in their order belong to its engines in the order they were done.
  void make_visible(std::vector<std::vector<DmaRun*>>& transfers) {
    std::unordered_map<int32_t, std::vector<Picos>> increments;
    for (const device::SemaphoreRun& s : out_.semaphores)
      if (s.by_dma && s.core == join_->core) increments[s.semaphore].push_back(s.at);
    std::unordered_map<int32_t, size_t> used;
    std::stable_sort(transfers.begin(), transfers.end(), [](const auto& a, const auto& b) {
      return a.front()->triggered < b.front()->triggered;
    });
    for (std::vector<DmaRun*>& transfer : transfers) {
      const device::Instruction& trigger = out_.program.instructions[transfer.front()->trigger];
      if (trigger.updates.empty()) continue;
      std::vector<Picos>& times = increments[trigger.updates[0].number];
      size_t& next = used[trigger.updates[0].number];
      std::stable_sort(transfer.begin(), transfer.end(), [](const DmaRun* a, const DmaRun* b) { return a->end < b->end; });
      for (DmaRun* run : transfer) {
        // Increments that the runtime made before the program began are not the transfer's.
        while (next < times.size() && times[next] < run->begin) ++next;
        if (next < times.size()) run->visible = times[next++];
      }
    }
  }

  // The array starts limited: the first change of a capture is always to full clock. Runs are in order of begin by now.
  void mark_throttled() {
    struct Limit {
      std::vector<const device::PeLimitChange*> changes;
      size_t next = 0;
      bool limited = true;
    };
    std::map<uint16_t, Limit> limits;   // by core
    for (const device::PeLimitChange& change : out_.pe_limits) limits[change.core].changes.push_back(&change);
    for (auto& [core, limit] : limits)
      std::stable_sort(limit.changes.begin(), limit.changes.end(), [](const auto* a, const auto* b) { return a->at < b->at; });
    for (InstructionRun& run : out_.instructions) {
      if (run.engine != isa::Engine::pe) continue;
      Limit& limit = limits[run.core];
      for (; limit.next < limit.changes.size() && limit.changes[limit.next]->at <= run.begin; ++limit.next)
        limit.limited = limit.changes[limit.next]->limit < 1;
      run.throttled = limit.limited;
    }
  }

  void span() {
    bool any = false;
    const auto take = [&](Picos begin, Picos end) {
      out_.first = any ? std::min(out_.first, begin) : begin;
      out_.last = any ? std::max(out_.last, end) : end;
      any = true;
    };
    for (const InstructionRun& run : out_.instructions)
      if (!run.setup && (run.instruction == kNone || !out_.program.instructions[run.instruction].setup))
        take(run.begin, run.end);
    for (const DmaRun& run : out_.dmas)
      if (!run.setup) take(run.begin, std::max(run.end, run.visible));
  }

  std::string_view bytes_;
  const Capture& capture_;
  device::DeviceProfile out_;
  uint64_t origin_ = 0;
  // Of the core at hand.
  const Core* core_ = nullptr;
  const CoreJoin* join_ = nullptr;
  std::unordered_map<uint64_t, std::deque<std::pair<InstructionRun, uint32_t>>> open_;
  std::unordered_map<uint64_t, uint32_t> times_;
  std::map<RingKey, Ring> rings_;
  uint64_t unbegun_ = 0, far_ = 0, orphans_ = 0;
  bool lossy_ = false;                             // DMA records were lost before the one at hand
};

std::string hex(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (char c : bytes) {
    const auto b = static_cast<uint8_t>(c);
    text += digits[b >> 4];
    text += digits[b & 15];
  }
  return text;
}

}  // namespace

Result<device::DeviceProfile> profile_of(std::string_view bytes, const Capture& capture, device::Program program,
                                         std::string_view pair_id) {
  // The runtime keeps the id as text, cut at its first zero byte.
  const std::string_view theirs = pair_id.substr(0, pair_id.find('\0'));
  if (!pair_id.empty() && theirs != std::string_view(capture.pair_id).substr(0, theirs.size()))
    return invalid_argument("NEFF and NTFF do not belong together: the pair id is " + hex(pair_id) +
                            " in the NEFF and begins with " + hex(capture.pair_id) + " in the capture of " + capture.neff);
  return Builder(bytes, capture, std::move(program)).build();
}

Result<device::DeviceProfile> read_profile(std::string_view bytes, device::Program program, std::string_view pair_id) {
  LW_ASSIGN_OR_RETURN(const Capture capture, read_capture(bytes));
  return profile_of(bytes, capture, std::move(program), pair_id);
}

}  // namespace lanewise::trace::ntff
