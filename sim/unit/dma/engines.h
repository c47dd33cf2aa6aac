// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The DMA engines of a core at work.
//
// Every DMA engine holds one ring per DMA queue. A ring is in order; the rings of an engine that have work share it
// equally (round robin by descriptor, seen as a fluid), and all engines together slow down when they would draw more
// than the grant for device memory. Progress is kept in integer ps of full-rate service, so a run is reproducible.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/units.h"
#include "machine/machine.h"
#include "sim/unit/dma/descriptors.h"

namespace lanewise::sim::dma {

// One finished DMA.
struct Finished {
  uint32_t job = 0;
  Picos begin;      // its first descriptor started
  Picos end;        // its last descriptor left the engine; writing it takes the drain time from here
};

// Device memory's answer: the fraction (of 2^20) of their full rate at which engines may run that ask for `demand`
// bytes per 2^20 ps together.
using Grant = std::function<int64_t(int64_t demand)>;

class Engines {
 public:
  Engines(const machine::Machine& machine, Grant grant);

  // Queues `transfer` on ring set `queue` (any number below 256) at `time`, which is not before `now`.
  // Returns its job number, counted from 0.
  uint32_t add(int queue, Picos time, const Transfer& transfer);
  // Time of the next thing that happens here, INT64_MAX when idle.
  Picos next() const { return next_; }
  // Moves on to `time` <= next() and appends what finished.
  void advance(Picos time, std::vector<Finished>* finished);

 private:
  struct Job {
    uint32_t number = 0;
    int64_t hbm_rate = 0;   // bytes per 2^20 ps of service
    int pieces = 0;         // engines that still work on it
    Picos begin;
    std::array<int64_t, kMaxEngines> busy_ps{};
  };
  struct Entry {
    uint32_t slot;          // in jobs_, recycled when the job is finished
    uint32_t engines;       // bit e: it has work for engine e
  };
  struct Ring {             // one queue on all engines
    std::vector<Entry> entries;                   // in order of arrival
    std::array<uint32_t, kMaxEngines> head{};     // entry at work or next to come, by engine
    std::array<int64_t, kMaxEngines> left{};      // of the entry at work, ps of service; 0 = idle
  };
  struct Arrival {
    Picos time;
    uint32_t number, slot;
    int ring;
  };
  static bool later(const Arrival& a, const Arrival& b) {
    return a.time != b.time ? a.time > b.time : a.number > b.number;
  }

  void start_head(Ring& ring, int engine);
  void serve(Picos span, std::vector<Finished>* finished);
  void plan();

  int engines_;
  Grant grant_;
  Picos now_, next_{INT64_MAX};
  uint32_t count_ = 0;
  std::vector<Job> jobs_;
  std::vector<uint32_t> free_slots_;
  std::array<int16_t, 256> ring_of_;
  std::vector<Ring> rings_;
  std::vector<Picos> last_arrival_;               // by ring
  std::vector<Arrival> arrivals_;                 // heap, earliest first
  std::array<int64_t, kMaxEngines> rate_{};       // service per 2^20 ps for each ring at work on the engine
};

}  // namespace lanewise::sim::dma
