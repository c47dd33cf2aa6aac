// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "sim/unit/dma/engines.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lanewise::sim::dma {
namespace {

constexpr int kRateBits = 20;
constexpr int64_t kFull = int64_t{1} << kRateBits;

int64_t scaled(int64_t value, int64_t rate) {
  return static_cast<int64_t>(static_cast<__int128>(value) * rate >> kRateBits);
}
// Smallest span in which `rate` serves `left`.
int64_t span_for(int64_t left, int64_t rate) {
  if (left < (int64_t{1} << 42)) return ((left << kRateBits) + rate - 1) / rate;
  return static_cast<int64_t>(((static_cast<__int128>(left) << kRateBits) + rate - 1) / rate);
}

}  // namespace

Engines::Engines(const machine::Machine& machine, Grant grant)
    : engines_(static_cast<int>(std::clamp<int64_t>(machine.dma.engines, 1, kMaxEngines))), grant_(std::move(grant)) {
  ring_of_.fill(-1);
}

uint32_t Engines::add(int queue, Picos time, const Transfer& transfer) {
  if (ring_of_[queue] < 0) {
    ring_of_[queue] = static_cast<int16_t>(rings_.size());
    rings_.emplace_back();
    last_arrival_.emplace_back();
  }
  const int ring = ring_of_[queue];
  uint32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<uint32_t>(jobs_.size());
    jobs_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  Job& job = jobs_[slot];
  job.number = count_;
  job.busy_ps = transfer.busy_ps;
  job.pieces = 0;
  int64_t service = 0;
  for (int e = 0; e < engines_; ++e) {
    job.pieces += transfer.busy_ps[e] > 0;
    service += transfer.busy_ps[e];
  }
  LW_CHECK(job.pieces > 0, "a DMA without work");
  job.hbm_rate = static_cast<int64_t>((static_cast<__int128>(transfer.hbm_bytes) << kRateBits) / service);
  last_arrival_[ring] = std::max(last_arrival_[ring], time);
  arrivals_.push_back({last_arrival_[ring], count_, slot, ring});
  std::push_heap(arrivals_.begin(), arrivals_.end(), later);
  next_ = std::min(next_, arrivals_.front().time);
  return count_++;
}

void Engines::start_head(Ring& ring, int e) {
  while (ring.head[e] < ring.entries.size()) {
    const Entry& entry = ring.entries[ring.head[e]];
    if (entry.engines >> e & 1u) {
      Job& job = jobs_[entry.slot];
      ring.left[e] = job.busy_ps[e];
      job.begin = std::min(job.begin, now_);
      return;
    }
    ++ring.head[e];
  }
}

void Engines::serve(Picos span, std::vector<Finished>* finished) {
  for (Ring& ring : rings_) {
    bool idle = true;
    for (int e = 0; e < engines_; ++e) {
      if (ring.left[e] == 0) continue;
      const int64_t served = scaled(span.value, rate_[e]);
      ring.left[e] = std::max<int64_t>(0, ring.left[e] - served);
      if (ring.left[e] > 0) {
        idle = false;
        continue;
      }
      const uint32_t slot = ring.entries[ring.head[e]].slot;
      Job& job = jobs_[slot];
      if (--job.pieces == 0) {
        finished->push_back({job.number, job.begin, now_});
        free_slots_.push_back(slot);
      }
      ++ring.head[e];
      start_head(ring, e);
      idle &= ring.left[e] == 0;
    }
    if (idle && !ring.entries.empty()) {
      ring.entries.clear();
      ring.head.fill(0);
    }
  }
}

void Engines::advance(Picos time, std::vector<Finished>* finished) {
  const Picos span = time - now_;
  now_ = time;
  if (span.value > 0) serve(span, finished);
  while (!arrivals_.empty() && arrivals_.front().time <= now_) {
    std::pop_heap(arrivals_.begin(), arrivals_.end(), later);
    const Arrival a = arrivals_.back();
    arrivals_.pop_back();
    Job& job = jobs_[a.slot];
    job.begin = Picos(INT64_MAX);
    Ring& ring = rings_[a.ring];
    Entry entry{a.slot, 0};
    for (int e = 0; e < engines_; ++e) entry.engines |= (job.busy_ps[e] > 0 ? 1u : 0u) << e;
    ring.entries.push_back(entry);
    for (int e = 0; e < engines_; ++e)
      if (ring.left[e] == 0) start_head(ring, e);
  }
  plan();
}

void Engines::plan() {
  std::array<int32_t, kMaxEngines> sharing{};
  std::array<int64_t, kMaxEngines> shortest, wanted{};
  shortest.fill(INT64_MAX);
  for (const Ring& ring : rings_)
    for (int e = 0; e < engines_; ++e)
      if (ring.left[e] > 0) {
        ++sharing[e];
        shortest[e] = std::min(shortest[e], ring.left[e]);
        wanted[e] += jobs_[ring.entries[ring.head[e]].slot].hbm_rate;
      }
  int64_t demand = 0;
  for (int e = 0; e < engines_; ++e)
    if (sharing[e] > 0) demand += wanted[e] / sharing[e];
  const int64_t granted = std::clamp<int64_t>(grant_(demand), 1, kFull);
  int64_t span = INT64_MAX, last_left = -1, last_rate = -1;
  for (int e = 0; e < engines_; ++e) {
    if (sharing[e] == 0) continue;
    rate_[e] = std::max<int64_t>(1, granted / sharing[e]);
    if (shortest[e] == last_left && rate_[e] == last_rate) continue;   // all engines alike: one division
    last_left = shortest[e], last_rate = rate_[e];
    span = std::min(span, span_for(shortest[e], rate_[e]));
  }
  next_ = span == INT64_MAX ? Picos(INT64_MAX) : now_ + Picos(span);
  if (!arrivals_.empty()) next_ = std::min(next_, arrivals_.front().time);
}

}  // namespace lanewise::sim::dma
