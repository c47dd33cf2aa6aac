// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/record/event_ring.h"

#include <algorithm>
#include <new>

#include "base/status.h"

namespace lanewise::trace::record {

EventRing::EventRing(uint64_t capacity) : capacity_(capacity) {
  LW_CHECK(capacity > 0, "a ring holds at least one event");
}

void EventRing::note_lost(const Event& event) {
  if (counters_.overwritten++ == 0) {
    counters_.lost_begin_ns = event.start_ns;
    counters_.lost_end_ns = event.end_ns;
    return;
  }
  counters_.lost_begin_ns = std::min(counters_.lost_begin_ns, event.start_ns);
  counters_.lost_end_ns = std::max(counters_.lost_end_ns, event.end_ns);
}

void EventRing::push(const Event& event) {
  std::lock_guard lock(mutex_);
  if (event.launch_id != 0) {
    counters_.launches_submitted += event.kind == EventKind::nrta_execute_schedule;
    counters_.launches_finished += event.kind == EventKind::nc_exec_running;
  }
  if (pushed_ < capacity_ && pushed_ == blocks_.size() * kBlock) {
    std::unique_ptr<Event[]> block(new (std::nothrow) Event[kBlock]);
    if (block) {
      blocks_.push_back(std::move(block));
    } else if (pushed_ > 0) {
      capacity_ = pushed_;   // no memory: from here on the oldest go, which is counted
    } else {
      note_lost(event);
      return;
    }
  }
  if (pushed_ >= capacity_) note_lost(*slot(pushed_));
  *slot(pushed_) = event;
  ++pushed_;
}

uint64_t EventRing::read_from(uint64_t cursor, std::vector<Event>* out, uint64_t* lost) const {
  // What is there now, not what comes meanwhile: a fast producer must not keep the reader here.
  const uint64_t until = counters().pushed;
  while (cursor < until) {
    if (out->capacity() - out->size() < kReadSlice) out->reserve(2 * out->capacity() + kReadSlice);
    std::lock_guard lock(mutex_);
    if (cursor < oldest()) {
      *lost += oldest() - cursor;
      cursor = oldest();
    }
    const uint64_t end = std::min(pushed_, cursor + kReadSlice);
    for (; cursor < end; ++cursor) out->push_back(*slot(cursor));
  }
  return cursor;
}

EventRing::Counters EventRing::counters() const {
  std::lock_guard lock(mutex_);
  Counters c = counters_;
  c.pushed = pushed_;
  return c;
}

}  // namespace lanewise::trace::record
