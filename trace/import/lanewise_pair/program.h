// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Our own program as the tables of the device level.
//
//   isa::Instruction  ->  Instruction: operands, waits, updates, elements, FLOPs, bytes, names of the debug map
//   dma_copy          ->  besides, one DmaDescriptor: all that the trigger moves. The trigger's own bytes are 0, so that
//                         sums over instructions and sums over descriptors count nothing twice
//   isa::Buffer       ->  Tensor
//
// FLOPs: nc_matmul 2 x contraction rows x stationary columns x moving columns; nc_transpose the same with the identity
// that streams past (and `transpose`); multiply_moving 2 x rows x columns of dst x moving columns, half of it in each of the
// passes of f32; the other engines one operation a step of the instruction and element.
// Instructions of the sequencer (semaphores, loops) are `setup`: they are no part of total_exec_time, as
// EVENT_SEMAPHORE and COMPARE_BRANCH are none in the public definition.
#pragma once

#include "isa/program.h"
#include "trace/device/profile.h"
#include "trace/record/neff.h"

namespace lanewise::trace::lanewise_pair {

// `hash`: as in the names of the files.
device::Program program_of(const isa::Program& program, uint64_t hash);

// The program of one of our .neff files. Errors: failed_precondition (made by another tool), data_loss.
Result<device::Program> program_of(const record::Neff& neff);

}  // namespace lanewise::trace::lanewise_pair
