// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One NeuronCore on the time axis: our programs on the units that lab/replay runs captured ones on.
//
// Events happen in time order: a semaphore becomes visible, the DMA engines reach something, an engine begins its next
// instruction. Ties go in this order, then by engine number, so a run has one outcome. A sequencer stays with an
// instruction until it begins: its semaphore and the wake-up, results still in its own pipeline (those come back like a
// semaphore: post and wake), room in the datapath, and what it shares with other engines. The tensor engine's sequencer
// hands loads and columns to a queue and goes on; they wait for their semaphores there. Since events are taken in time
// order, nothing that happens later can move a begin forward.
//
// Every run begins in one state: no activation table, idle queues, the array limited, and a window of its limiter that
// begins with the program. On the chip the limiter's windows lie on a clock of their own; a time that depended on it
// would not be one of program and machine.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "base/status.h"
#include "sim/chip/chip.h"
#include "sim/chip/steps.h"
#include "sim/core/boxes.h"
#include "sim/core/pipeline.h"
#include "sim/core/stream.h"
#include "sim/unit/dma/engines.h"
#include "sim/unit/hbm/hbm.h"
#include "sim/unit/pe/steps.h"
#include "sim/unit/psum/psum.h"
#include "sim/unit/sbuf/sbuf.h"
#include "sim/unit/scalar/tables.h"
#include "sim/unit/sync/sync.h"

namespace lanewise::sim {

class TimingModel {
 public:
  TimingModel(const isa::Program& program, const machine::Machine& machine, bool records);
  Result<Timing> run();

 private:
  // What does not depend on when an instruction runs.
  struct Decoded {
    Step step;
    uint32_t banks = 0;       // of PSUM, shared between Vector and Scalar
    bool port = false;        // needs the SBUF port that Vector and GpSimd share
    bool known = false;
  };
  struct EngineState {
    EngineState(const std::vector<isa::Instruction>& stream, const core::LoopMap& loops, const machine::Machine::Sequencer& numbers)
        : cursor(stream, loops), has_loops(loops.has_loops), sequencer(numbers) {
      if (has_loops) cache.resize(stream.size());
    }
    core::StreamCursor cursor;
    bool has_loops;
    const machine::Machine::Sequencer& sequencer;
    Decoded decoded;          // of the instruction at the head
    std::vector<Decoded> cache;   // by instruction, for streams with loops
    Picos ready;              // the sequencer comes to the head
    Picos begin{INT64_MAX};   // when it will begin; kNever while it waits
    core::Pipeline pipeline;
    core::InFlight in_flight;
    Picos busy_until;
    Picos last_end;
    bool triggered = false;   // a DMA
  };
  // At the tensor engine's queue since `handed`.
  struct Queued {
    uint32_t index, iteration;
    Picos handed;
    bool array;               // else an increment, which keeps its place in the order
    pe::Work work;
  };
  struct RunningDma {
    uint8_t engine, queue;
    uint32_t index, iteration;
    Picos trigger;
    isa::SemaphoreUpdate update;
    int64_t bytes, descriptors;
    bool finished = false;
    Picos begin, end;         // first descriptor, last byte written
  };
  // DMAs of one queue in order of their triggers. Each becomes visible no earlier than the one before it, also where it
  // used other DMA engines and was done first: a semaphore of a queue counts in order.
  struct QueueOrder {
    std::vector<uint32_t> dmas;
    size_t first = 0;         // not yet visible
    Picos visible;            // of the last one that is
  };

  Decoded decode(const isa::Instruction& in, const core::Registers& registers) const;
  void load_head(int engine);
  void hand_over();
  void plan(int engine);
  void plan_queue();
  bool delayed(int engine);
  void begin(int engine);
  void begin_queued();
  Picos trigger(int engine, Picos begin, Picos arrives);
  bool moves_io(const isa::Instruction& in) const;
  void finish(const InstructionRecord& record, const isa::Instruction& in, EngineState& state);
  void finish_dmas(Picos now);
  void complete(QueueOrder& queue);
  void apply_semaphore();
  Status deadlock() const;

  const isa::Program& program_;
  const machine::Machine& machine_;
  bool records_;
  std::array<core::LoopMap, isa::kEngineCount> loops_;
  std::vector<EngineState> engines_;
  std::deque<Queued> queue_;
  Picos queue_begin_{INT64_MAX};
  sync::SemaphoreClock semaphores_;
  sbuf::SharedPort port_;
  psum::Banks banks_;
  pe::Steps array_;
  scalar::Tables tables_;
  hbm::Share share_;
  dma::Engines dma_;
  std::vector<RunningDma> running_;                  // by DMA number
  std::array<QueueOrder, isa::kEngineCount * 16> queues_;
  std::vector<dma::Finished> finished_;
  std::vector<std::pair<Picos, Picos>> dma_spans_;
  Timing timing_;
};

}  // namespace lanewise::sim
