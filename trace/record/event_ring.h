// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The events of one core, newest `capacity` of them. Memory grows with what is stored, a block at a time.
//
// Any number of threads push; one thread (the writer) follows with `read_from`. A push holds the lock for one copy of
// an event, a read for at most kReadSlice copies, so that neither waits for the other's I/O.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "trace/record/event.h"

namespace lanewise::trace::record {

class EventRing {
 public:
  explicit EventRing(uint64_t capacity);

  void push(const Event& event);

  // Appends to `out` every event from number `cursor` on that is still there and returns the number of the next one.
  // `lost` grows by those between `cursor` and the oldest that is left. Numbers start at 0.
  uint64_t read_from(uint64_t cursor, std::vector<Event>* out, uint64_t* lost) const;

  struct Counters {
    uint64_t pushed = 0;
    uint64_t overwritten = 0;
    uint64_t launches_submitted = 0;   // nrta_execute_schedule with a launch id
    uint64_t launches_finished = 0;    // nc_exec_running with a launch id
    int64_t lost_begin_ns = 0;         // the time that the overwritten events covered
    int64_t lost_end_ns = 0;
  };
  Counters counters() const;

 private:
  static constexpr uint64_t kBlock = 512;
  static constexpr uint64_t kReadSlice = 256;

  Event* slot(uint64_t number) const {
    const uint64_t i = number % capacity_;
    return &blocks_[i / kBlock][i % kBlock];
  }
  uint64_t oldest() const { return pushed_ > capacity_ ? pushed_ - capacity_ : 0; }
  void note_lost(const Event& event);

  mutable std::mutex mutex_;
  uint64_t capacity_;
  uint64_t pushed_ = 0;
  Counters counters_;
  std::vector<std::unique_ptr<Event[]>> blocks_;
};

}  // namespace lanewise::trace::record
