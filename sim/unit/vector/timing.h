// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How long the Vector engine takes.
//
// Cycles for N elements a partition (V226 formulas, corrected by trn2 captures; neuroncore facts 2.3 and 6):
//   tensor_copy, tensor_scalar   N, N/2 or N/4 by performance mode
//   tensor_tensor                N with an input in PSUM; else N times `tensor_tensor_fp32_cycles`, except 16-bit
//                                operands: N/2 with performance modes, N without them for adjacent add, subtract and
//                                multiply
//   tensor_reduce                N of the input; the captures show no faster mode
//   tensor_copy_predicated, select   N with an operand in PSUM, else 2 N
//   reciprocal                   `reciprocal_cycles` N
//   memset                       N, N/2 for zero in 16 bits
// 64-bit elements pass as two halves. Wide innermost strides: stages.h.
//
// Performance modes (v3 and later): 4x for copies and tensor_scalar with 16 bits in and out, both in SBUF and adjacent;
// 2x when 16 bits but not adjacent or with one side in PSUM, and for tensor_tensor with 16-bit operands and both inputs
// in SBUF.
#pragma once

#include "isa/instruction.h"
#include "machine/machine.h"

namespace lanewise::sim::vector {

// Elements per cycle and lane that the performance mode allows: 1, 2 or 4.
int64_t performance_mode(const isa::Instruction& in, const machine::Machine& machine);

// Elements a partition that pass the engine, and the cycles it takes for each before performance modes.
int64_t elements(const isa::Instruction& in);
int64_t cycles_per_element(const isa::Instruction& in, const machine::Machine& machine);

}  // namespace lanewise::sim::vector
