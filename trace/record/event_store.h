// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The rings of one capture and the rule that says which events it keeps.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "trace/record/capture.h"
#include "trace/record/event_ring.h"

namespace lanewise::trace::record {

class EventStore {
 public:
  // `cores` empty = all. The window begins at `start_ns`, after launch `last_launch_before`.
  EventStore(uint64_t events_per_core, const std::vector<int>& cores, int64_t start_ns, uint64_t last_launch_before);
  ~EventStore();
  EventStore(const EventStore&) = delete;
  EventStore& operator=(const EventStore&) = delete;

  // Any thread.
  void keep(const Event& event);
  bool core_enabled(uint16_t nc) const { return nc < kMaxCores && (all_cores_ || enabled_[nc]); }

  // The ring of a core, or null while it has no event. Cores are 0 .. core_limit()-1.
  const EventRing* ring(int nc) const { return rings_[nc].load(std::memory_order_acquire); }
  int core_limit() const { return core_limit_.load(std::memory_order_acquire); }

  // Over all cores.
  EventRing::Counters totals() const;
  // Every event that is left, in order of end time.
  std::vector<Event> sorted() const;

 private:
  EventRing* make_ring(uint16_t nc);

  const uint64_t events_per_core_;
  const int64_t start_ns_;
  const uint64_t last_launch_before_;
  bool all_cores_;
  std::vector<bool> enabled_;
  std::array<std::atomic<EventRing*>, kMaxCores> rings_{};
  std::atomic<int> core_limit_{0};
  std::atomic<uint64_t> core_out_of_range_{0};
  std::mutex make_mutex_;
};

}  // namespace lanewise::trace::record
