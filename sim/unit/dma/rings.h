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
// What holds a descriptor back, in this order:
//   rings      an engine takes descriptors in turn from its rings; the first ones of an engine have to be fetched
//   order      an engine reads one after the other: what starts behind a descriptor that is still read waits for it
//   path       the engines of a core that move data from SBUF at the same time share one path
//   memory     between two starts there is time for device memory, shared by all engines that use its stack; every
//              contiguous run read costs it some bytes more
//   writing    an engine reads at most `write_ahead_ps` ahead of what it writes, and every contiguous run written costs it
//              `write_run_cycles` more
//   pages      the first read of a page of device memory waits for the page. All engines of a core ask one place, which
//              serves them one after the other. Captures show such waits inside one descriptor or the other, as it comes;
//              here they lie before the start of the one that asks, so that they move the program and not its sizes
//   completion in order, `retire_bytes_per_cycle` behind one that was late; behind a descriptor with a semaphore the
//              next such one completes no earlier than its data and `semaphore_busy_ps` later
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "base/units.h"
#include "machine/machine.h"

namespace lanewise::sim::dma {

struct Descriptor {
  int64_t bytes = 0;           // written
  bool semaphore = false;      // writes its transfer's semaphore at the end
  int64_t read_run = 0;        // contiguous bytes a run that it reads from device memory; 0: reads none
  int64_t write_run = 0;       // contiguous bytes a run that it writes, wherever to
  bool to_memory = false;      // writes device memory
  int64_t new_pages = 0;       // pages of device memory that nothing has read before it
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
  // Engines of other cores that use the same stack of device memory now.
  using Others = std::function<int()>;
  Rings(const machine::Machine& machine, int engines, Others others);

  // Descriptors that engine `engine` finds in ring `ring` at `time`. Times of one ring must not go back.
  void add(int engine, int ring, Picos time, const std::vector<Descriptor>& descriptors);
  // Time of the next start; INT64_MAX when all are idle.
  Picos next() const { return next_; }
  // Starts everything up to `time`.
  void advance(Picos time, std::vector<DescriptorRun>* runs);
  // Engines that move data of device memory at `time`.
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
    Picos read;                // when the last one is
    Picos read_before[2];      // ... and when the two before it were
    Picos written;             // the last one, by the engine
    Picos complete, told;      // of the last one; of the last one with a semaphore
    Picos moves_from, moves_until;   // data of the last one
    bool memory = false;       // ... is of device memory
    Picos next{INT64_MAX};
    Picos first_add{-1}, first_fetch;   // when its first descriptors were there, and when it had got them
  };
  void plan(Engine& engine);
  DescriptorRun start(Engine& engine, Picos time);
  // How long the path from SBUF and device memory take for `d` at least, beside those that move data at `time`.
  Picos path(const Descriptor& d, Picos time) const;
  Picos memory(const Descriptor& d, Picos time) const;
  int moving(Picos time, bool memory_only) const;

  const machine::Machine& machine_;
  Others others_;
  std::vector<Engine> engines_;
  Picos next_{INT64_MAX};
  Picos fetching_, paging_;    // the one-after-another of first fetches and of pages
};

}  // namespace lanewise::sim::dma
