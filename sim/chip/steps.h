// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions as work for the units: one place that says which unit takes an instruction and what it costs there, for our
// own programs (sim/chip/timing_model) and for captured ones (lab/replay).
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/pipeline.h"
#include "sim/unit/pe/work.h"

namespace lanewise::sim {

enum class Unit : uint8_t {
  sequencer,   // waits, increments, loops: nothing beyond the sequencer
  array,       // loads and columns of the tensor engine, through its queue
  datapath,    // stages of Vector, Scalar or GpSimd
  trigger,     // of a DMA
};

struct Step {
  Unit unit = Unit::sequencer;
  pe::Work array;
  core::Stages stages;   // of datapath; without the load of a table
};

// Pure: nothing in it depends on when the instruction runs.
Step step_of(const isa::Instruction& in, const machine::Machine& machine);

// `stages` of an instruction that loads a table first.
core::Stages behind_table_load(core::Stages stages, Picos load);

}  // namespace lanewise::sim
