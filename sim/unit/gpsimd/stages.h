// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"
#include "sim/core/pipeline.h"

namespace lanewise::sim::gpsimd {

// An instruction in the engine's two stages: one element a cycle and partition, begin to end `fixed_cycles` beyond that
// (`iota_fixed_cycles` for iota); 64-bit integers go through in `int64_factor` pieces.
//   wide reads        two cycles an element: A1's half rate, no capture shows GpSimd at work
//   partial writes    `partial_write_ps` an element, as Vector and Scalar find SBUF
core::Stages stages(const isa::Instruction& in, const machine::Machine& machine, core::Patterns patterns);

}  // namespace lanewise::sim::gpsimd
