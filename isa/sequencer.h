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

}  // namespace lanewise::isa
