// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/event_store.h"

#include <algorithm>

namespace lanewise::trace::record {

EventStore::EventStore(uint64_t events_per_core, const std::vector<int>& cores, int64_t start_ns,
                       uint64_t last_launch_before)
    : events_per_core_(events_per_core),
      start_ns_(start_ns),
      last_launch_before_(last_launch_before),
      all_cores_(cores.empty()),
      enabled_(kMaxCores, false) {
  for (int nc : cores) enabled_[nc] = true;
}

EventStore::~EventStore() {
  for (auto& ring : rings_) delete ring.load(std::memory_order_relaxed);
}

EventRing* EventStore::make_ring(uint16_t nc) {
  std::lock_guard lock(make_mutex_);
  EventRing* ring = rings_[nc].load(std::memory_order_acquire);
  if (ring != nullptr) return ring;
  ring = new EventRing(events_per_core_);
  rings_[nc].store(ring, std::memory_order_release);
  if (nc >= core_limit()) core_limit_.store(nc + 1, std::memory_order_release);
  return ring;
}

void EventStore::keep(const Event& event) {
  if (event.launch_id != 0 && event.launch_id <= last_launch_before_) return;
  if (is_hardware(event.kind) && event.start_ns < start_ns_) return;
  if (event.nc >= kMaxCores) {
    if (all_cores_) core_out_of_range_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (!core_enabled(event.nc)) return;
  EventRing* ring = rings_[event.nc].load(std::memory_order_acquire);
  if (ring == nullptr) ring = make_ring(event.nc);
  ring->push(event);
}

EventRing::Counters EventStore::totals() const {
  EventRing::Counters sum;
  for (int nc = 0; nc < core_limit(); ++nc) {
    if (const EventRing* r = ring(nc)) {
      const EventRing::Counters c = r->counters();
      sum.pushed += c.pushed;
      sum.overwritten += c.overwritten;
      sum.launches_submitted += c.launches_submitted;
      sum.launches_finished += c.launches_finished;
    }
  }
  sum.overwritten += core_out_of_range_.load(std::memory_order_relaxed);
  return sum;
}

std::vector<Event> EventStore::sorted() const {
  std::vector<Event> events;
  for (int nc = 0; nc < core_limit(); ++nc) {
    uint64_t lost = 0;   // already in the ring's counters
    if (const EventRing* r = ring(nc)) r->read_from(0, &events, &lost);
  }
  // Ties keep the order in which they were emitted.
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.end_ns < b.end_ns; });
  return events;
}

}  // namespace lanewise::trace::record
