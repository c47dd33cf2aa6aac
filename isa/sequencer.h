// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "isa/instruction.h"
#include "machine/machine.h"

namespace lanewise::isa {

// The numbers of an engine's sequencer.
inline const machine::Machine::Sequencer& sequencer(const machine::Machine& machine, Engine engine) {
  switch (engine) {
    case Engine::pe: return machine.sequencer.pe;
    case Engine::vector: return machine.sequencer.vector;
    case Engine::scalar: return machine.sequencer.scalar;
    case Engine::gpsimd: return machine.sequencer.gpsimd;
    case Engine::sync: break;
  }
  return machine.sequencer.sync;
}

// From an instruction that a sequencer hands to a datapath to the next one it may hand out. Vector's number for all of
// them: captured copies of Scalar agree with it and not with the longer time its sequencer takes for a wait.
inline Picos issue_interval(const machine::Machine& machine) { return Picos(machine.sequencer.vector.wait_interval_ps); }

// What a DMA trigger takes, counted from its begin.
struct TriggerTimes {
  Picos end;       // of the instruction
  Picos next;      // the sequencer comes to the next one
  Picos arrives;   // the descriptors reach the DMA engines
};
// `first`: of that engine in an execution. `io`: what it moves is an input or an output of the program.
inline TriggerTimes trigger_times(const machine::Machine& machine, Engine engine, bool first, bool io) {
  const machine::Machine::Sequencer& s = sequencer(machine, engine);
  const Picos more((first ? machine.dma.first_trigger_ps : 0) + (io ? machine.dma.io_trigger_ps : 0));
  return {Picos(s.trigger_ps) + more, Picos(s.trigger_interval_ps) + (first ? more : Picos(0)),
          Picos(first ? machine.dma.start_ps : std::max(int64_t{0}, machine.dma.start_ps - machine.dma.later_start_less_ps))};
}

}  // namespace lanewise::isa
