// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace lanewise::isa
