// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The DMA engines of a core descriptor by descriptor, as captures time them:
//
//   start |-- occupancy --| next start
//         |--- read -------|                       last byte read
//         |--- read -------|--- write --|          last byte written ("complete")
//                               | visible          the semaphore, where the descriptor writes one
//
// An engine takes descriptors in turn from its rings. The first ones of a program find neither descriptors nor data at
// once: engines wait for that one after another. Completion is in order; behind a descriptor with a semaphore the
// next such one completes no earlier than its data and `semaphore_busy_ps` later.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "base/units.h"
#include "machine/machine.h"

namespace lanewise::sim::dma {

struct Descriptor {
  int64_t bytes = 0;
  bool semaphore = false;      // writes its transfer's semaphore at the end
  int64_t read_run = 0;        // contiguous bytes a run that it reads from device memory; 0: reads none
  int64_t write_run = 0;       // the same of what it writes to device memory
  bool on_chip = false;        // neither reads nor writes device memory
  bool input = false;          // what it reads was put there from outside: not near when the program begins
  int64_t cast_from = 0;       // bytes read when it changes the type of its elements; 0: it does not
  uint64_t tag = 0;            // the caller's
};
struct DescriptorRun {
  uint64_t tag = 0;
  Picos start, read, complete;
  Picos visible{-1};           // of the semaphore, or -1
};

class Rings {
 public:
  // Device memory's answer: how many times the time of its data an engine has to leave between two starts while `engines`
  // of this core use device memory; the runs of the descriptor that asks.
  using Slowdown = std::function<double(int engines, const Descriptor& descriptor)>;
  Rings(const machine::Machine& machine, int engines, Slowdown slowdown);

  // Descriptors that engine `engine` finds in ring `ring` at `time`. Times of one ring must not go back.
  void add(int engine, int ring, Picos time, const std::vector<Descriptor>& descriptors);
  // Time of the next start; INT64_MAX when all are idle.
  Picos next() const { return next_; }
  // Starts everything up to `time`.
  void advance(Picos time, std::vector<DescriptorRun>* runs);
  // Engines that work for device memory at `time`.
  int busy(Picos time) const;

 private:
  struct Waiting {
    Picos time;
    Descriptor descriptor;
  };
  struct Engine {
    std::vector<std::deque<Waiting>> rings;
    size_t turn = 0;           // ring to ask first
    Picos free;                // may start its next descriptor
    Picos complete, told;      // of the last one; of the last one with a semaphore
    Picos busy_until;          // with device memory
    Picos next{INT64_MAX};
    bool has_read = false;
    Picos first_add{-1}, first_fetch;   // when its first descriptors were there, and when it had got them
  };
  void plan(Engine& engine);
  DescriptorRun start(Engine& engine, Picos time);

  const machine::Machine& machine_;
  Slowdown slowdown_;
  std::vector<Engine> engines_;
  Picos next_{INT64_MAX};
  Picos fetching_, reading_;   // the one-after-another of first fetches and first reads
};

}  // namespace lanewise::sim::dma
